package pages

import "slices"

// Content is a file in memory.
type Content interface {
	// Part returns n bytes at an offset, nil past the end. They must not be changed.
	Part(at, n int64) []byte
}

// Bytes is a file as one slice.
type Bytes []byte

// Part implements Content.
func (b Bytes) Part(at, n int64) []byte {
	if at < 0 || n < 0 || at > int64(len(b)) || n > int64(len(b))-at {
		return nil
	}
	return b[at : at+n : at+n]
}

// OfDefinitions returns the numbers of the pages that define a file's tables and
// indexes, in order: the tree with its root on page 1, and its overflow pages. It
// returns nil for a damaged file, or one with another page size. It uses each part
// of the content only until it reads the next.
func OfDefinitions(c Content, size int) []uint32 {
	if sizeOf(c) != size {
		return nil
	}
	usable := size - int(c.Part(0, HeaderOfFile)[reservedAt])
	seen := map[uint32]bool{}
	page := func(no uint32) []byte {
		if no == 0 || seen[no] {
			return nil
		}
		seen[no] = true
		return c.Part((int64(no)-1)*int64(size), int64(size))
	}
	for next := []uint32{1}; len(next) > 0; {
		no := next[0]
		next = next[1:]
		data := page(no)
		switch {
		case data == nil:
			return nil
		case kindOf(data, no) == tableInner:
			children, ok := childrenOf(data, no)
			if !ok {
				return nil
			}
			next = append(next, children...)
		case kindOf(data, no) == tableLeaf:
			for _, long := range overflowOf(data, no, usable) {
				for ; long != 0; long = number(data) {
					if data = page(long); data == nil {
						return nil
					}
				}
			}
		default:
			return nil
		}
	}
	out := make([]uint32, 0, len(seen))
	for no := range seen {
		out = append(out, no)
	}
	slices.Sort(out)
	return out
}
