package edge

import (
	"bytes"
	"strings"
)

// mendPath replaces each invalid percent escape in the path of a request line by
// a text of the same length, and reports whether there was one. net/http would
// reply to such a request in plain text; this way it reaches the service, which
// rejects it in its own form. Text that is not a request line remains unchanged.
// If the end of the line was not read, the last two bytes may be part of an
// escape.
func mendPath(read []byte) (broken bool) {
	line, _, whole := bytes.Cut(read, []byte{'\n'})
	method, target, found := bytes.Cut(line, []byte{' '})
	if !found || !isMethod(method) || whole && !bytes.Contains(target, []byte(" HTTP/1.")) {
		return false
	}
	end := bytes.IndexAny(target, " ?")
	if end >= 0 {
		target = target[:end]
	}
	for i, c := range target {
		if c == '%' && !isEscape(target[i:]) && (end >= 0 || i+2 < len(target)) {
			target[i] = '_'
			broken = true
		}
	}
	return broken
}

func isMethod(word []byte) bool {
	for _, c := range word {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(word) > 0
}

// isBroken reports whether a query contains an invalid percent escape.
func isBroken(query string) bool {
	for {
		i := strings.IndexByte(query, '%')
		if i < 0 {
			return false
		}
		if query = query[i:]; !isEscape(query) {
			return true
		}
		query = query[1:]
	}
}

// isEscape reports whether a text begins with a complete percent escape.
func isEscape[T string | []byte](s T) bool { return len(s) > 2 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
