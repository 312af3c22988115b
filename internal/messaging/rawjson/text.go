package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote gives the text of a quoted string literal that has passed Valid. Lone
// surrogates and bytes that are no UTF-8 become U+FFFD.
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

// unescape reads the escape whose letter stands at i and gives the index after it.
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

// AppendString appends s as a quoted string literal. Bytes that are no UTF-8
// become U+FFFD, so that the result is valid JSON for every s; '<', '>' and
// '&' stay as they are.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// AppendEscaped appends s as AppendString does, without the quotation marks.
func AppendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

// Clean makes valid JSON text safe to keep: bytes that are no UTF-8 become
// U+FFFD and escaped NUL characters are taken out. It gives b itself when
// there is nothing to mend.
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
		default: // an escape is two bytes here, so that "\\u0000" stays
			out = append(out, b[i], b[i+1])
			i += 2
		}
	}
	return out
}
