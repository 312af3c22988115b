// Package jsontext writes texts as JSON strings straight into a buffer. Replies
// are made of thousands of them, so there is no reflection and no copy.
package jsontext

import "unicode/utf8"

const hex = "0123456789abcdef"

// plain marks the bytes that stand for themselves in a JSON string: ASCII without
// controls, the quotation mark and the backslash.
var plain = func() (p [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		p[c] = c != '"' && c != '\\'
	}
	return p
}()

// plainLength returns how many bytes at the start of s are plain: in most texts,
// all of them.
func plainLength(s string) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := w^each*'"', w^each*'\\'
		// A subtraction borrows into the high bit of a byte that is too small; a byte
		// above ASCII has that bit itself.
		if (w|(w-each*' ')|(quote-each)|(slash-each))&high != 0 {
			break
		}
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// Append appends s as a JSON string. The result is valid JSON for every s:
// bytes that are no UTF-8 become U+FFFD. '<', '>' and '&' stay as they are, and
// so do the line separators that JavaScript once took for line ends.
func Append(dst []byte, s string) []byte {
	return append(AppendEscaped(append(dst, '"'), s), '"')
}

// AppendEscaped appends s as Append does, without the quotation marks.
func AppendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := plainLength(s); i < len(s); {
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
		if plain[c] {
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

// Len returns the length of what Append appends for s.
func Len(s string) int {
	n := len(s) + 2
	for i := plainLength(s); i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				n += len("\uFFFD") - 1
			}
			i += size
			continue
		}
		switch {
		case plain[c]:
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		default:
			n += len(`\u0000`) - 1
		}
		i++
	}
	return n
}
