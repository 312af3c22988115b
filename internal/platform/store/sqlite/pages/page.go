package pages

import "encoding/binary"

// The format of a page of a SQLite file: https://sqlite.org/fileformat.html,
// sections 1.5 and 1.6.
const (
	indexInner = 0x02
	tableInner = 0x05
	indexLeaf  = 0x0a
	tableLeaf  = 0x0d

	sizeAt     = 16  // of page 1: offset of the page size, two bytes; 1 means 65536
	leastSize  = 512 // the smallest page size, in bytes
	reservedAt = 20  // of page 1: offset of the number of unused bytes at the end of each page
	// HeaderOfFile is the length of the file header, before the header of page 1.
	HeaderOfFile = 100
)

func number(b []byte) uint32 { return binary.BigEndian.Uint32(b) }

func headerAt(no uint32) int {
	if no == 1 {
		return HeaderOfFile
	}
	return 0
}

func kindOf(page []byte, no uint32) byte {
	if len(page) < HeaderOfFile+12 {
		return 0
	}
	return page[headerAt(no)]
}

// eachCell calls fn with the offset of each cell, until fn returns false. It
// reports whether the page is well-formed and fn accepted all cells.
func eachCell(page []byte, no uint32, fn func(at int) bool) bool {
	kind, at := kindOf(page, no), headerAt(no)
	first := at + 8
	if kind == tableInner || kind == indexInner {
		first += 4
	}
	if kind == 0 {
		return false
	}
	for i := range int(binary.BigEndian.Uint16(page[at+3:])) {
		p := first + 2*i
		if p+2 > len(page) {
			return false
		}
		cell := int(binary.BigEndian.Uint16(page[p:]))
		if cell >= len(page)-4 || !fn(cell) {
			return false
		}
	}
	return true
}

// childrenOf returns the numbers of the pages below an inner page.
func childrenOf(page []byte, no uint32) (out []uint32, ok bool) {
	ok = eachCell(page, no, func(at int) bool {
		out = append(out, number(page[at:]))
		return true
	})
	return append(out, number(page[headerAt(no)+8:])), ok
}

// eachRowID calls fn with the row id of each row of a leaf other than page 1. It
// reports whether the page is well-formed.
func eachRowID(page []byte, fn func(int64)) bool {
	return eachCell(page, 2, func(at int) bool {
		_, n := varint(page[at:])
		id, m := varint(page[at+n:])
		fn(int64(id))
		return n > 0 && m > 0
	})
}

// overflowOf returns the first overflow page of each row that does not fit on a
// tree page; none for other kinds of pages.
func overflowOf(page []byte, no uint32, usable int) (out []uint32) {
	kind := kindOf(page, no)
	most := usable - 35
	switch kind {
	case tableLeaf:
	case indexLeaf, indexInner:
		most = (usable-12)*64/255 - 23
	default:
		return nil
	}
	least := (usable-12)*32/255 - 23
	eachCell(page, no, func(at int) bool {
		if kind == indexInner {
			at += 4
		}
		size, n := varint(page[at:])
		if n == 0 {
			return false
		}
		at += n
		if kind == tableLeaf {
			_, n = varint(page[at:])
			at += n
		}
		if size <= uint64(most) {
			return true
		}
		local := least + int((size-uint64(least))%uint64(usable-4))
		if local > most {
			local = least
		}
		if at+local+4 > len(page) {
			return false
		}
		out = append(out, number(page[at+local:]))
		return true
	})
	return out
}

// varint decodes SQLite's variable-length integer and returns its length in
// bytes, 0 if b is too short.
func varint(b []byte) (v uint64, n int) {
	for n < len(b) && n < 9 {
		if n == 8 {
			return v<<8 | uint64(b[8]), 9
		}
		c := b[n]
		n++
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, n
		}
	}
	return 0, 0
}
