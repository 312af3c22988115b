package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the text of a quoted string literal that has passed Valid.
// Lone surrogates and invalid UTF-8 become U+FFFD.
func Unquote(lit []byte) string {
	if len(lit) < 2 {
		return ""
	}
	lit = lit[1 : len(lit)-1]
	if bytes.IndexByte(lit, '\\') < 0 && utf8.Valid(lit) {
		return string(lit)
	}
	out := make([]byte, 0, len(lit))
	for i := 0; i < len(lit); {
		c := lit[i]
		switch {
		case c == '\\' && i+1 < len(lit):
			var r rune
			r, i = unescape(lit, i+1)
			out = utf8.AppendRune(out, r)
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(lit[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return string(out)
}

// unescape decodes the escape whose letter is at i and returns the index after
// it.
func unescape(lit []byte, i int) (rune, int) {
	switch lit[i] {
	case 'b':
		return '\b', i + 1
	case 'f':
		return '\f', i + 1
	case 'n':
		return '\n', i + 1
	case 'r':
		return '\r', i + 1
	case 't':
		return '\t', i + 1
	case 'u':
		r, ok := hex4(lit, i+1)
		if !ok {
			return utf8.RuneError, i + 1
		}
		i += 5
		if utf16.IsSurrogate(r) {
			if i+6 <= len(lit) && lit[i] == '\\' && lit[i+1] == 'u' {
				if low, ok := hex4(lit, i+2); ok {
					if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
						return pair, i + 6
					}
				}
			}
			return utf8.RuneError, i
		}
		return r, i
	}
	return rune(lit[i]), i + 1
}

// Clean makes valid JSON text safe to store: it replaces invalid UTF-8 by U+FFFD
// and removes escaped NUL characters. It returns b itself if nothing changes.
func Clean(b []byte) []byte {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	nul := []byte(`\u0000`)
	if !bytes.Contains(b, nul) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch {
		case b[i] != '\\' || i+1 == len(b):
			out = append(out, b[i])
			i++
		case bytes.HasPrefix(b[i:], nul):
			i += len(nul)
		default: // skip both bytes of an escape, so that "\\u0000" is not one
			out = append(out, b[i], b[i+1])
			i += 2
		}
	}
	return out
}
