package edge

import (
	"bytes"
	"strings"
)

// mendPath replaces each broken percent escape in the path of a request line
// with a text of the same length, and reports whether there was one. The server
// of net/http would answer such a request in plain text; this way it reaches
// the service, which refuses it in its own form.
func mendPath(line []byte) (broken bool) {
	line, _, _ = bytes.Cut(line, []byte{'\n'})
	_, target, found := bytes.Cut(line, []byte{' '})
	if !found {
		return false
	}
	if end := bytes.IndexAny(target, " ?"); end >= 0 {
		target = target[:end]
	}
	for i, c := range target {
		if c == '%' && !isEscape(target[i:]) {
			target[i] = '_'
			broken = true
		}
	}
	return broken
}

// isBroken reports whether a query holds a broken percent escape.
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

// isEscape reports whether a text begins with a whole percent escape.
func isEscape[T string | []byte](s T) bool { return len(s) > 2 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
