package jsontext

import "bytes"

// sure is the number of values up to which an upper bound suffices.
const sure = 2_000

// Values returns the number of values in a JSON text, or an upper bound: each
// value but the first follows a comma or an opening bracket. It ignores commas
// and brackets inside strings only if there are many.
func Values(b []byte) int {
	if n := separators(b); n <= sure {
		return n
	}
	n := 1
	for {
		i := bytes.IndexByte(b, '"')
		if i < 0 {
			return n + separators(b) - 1
		}
		n += separators(b[:i]) - 1
		if b = afterString(b[i+1:]); b == nil {
			return n
		}
	}
}

func separators(b []byte) int {
	return 1 + bytes.Count(b, []byte(",")) + bytes.Count(b, []byte("[")) + bytes.Count(b, []byte("{"))
}

// afterString returns the rest of b after the string in which it begins, nil when
// that does not end.
func afterString(b []byte) []byte {
	for i := 0; ; {
		end := bytes.IndexByte(b[i:], '"')
		if end < 0 {
			return nil
		}
		end += i
		slashes := 0
		for slashes < end-i && b[end-1-slashes] == '\\' {
			slashes++
		}
		if i = end + 1; slashes%2 == 0 {
			return b[i:]
		}
	}
}

// Nests reports whether arrays and objects of a JSON text are nested more than
// depth levels.
func Nests(b []byte, depth int) bool {
	level := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			rest := afterString(b[i+1:])
			if rest == nil {
				return false
			}
			i = len(b) - len(rest) - 1
		case '[', '{':
			if level++; level > depth {
				return true
			}
		case ']', '}':
			level--
		}
	}
	return false
}
