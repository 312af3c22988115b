// Package jsontext encodes texts as JSON strings into a buffer, without
// reflection or copies: replies contain thousands of them.
package jsontext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// plain marks the bytes that need no escape in a JSON string: ASCII except
// controls, the quotation mark and the backslash.
var plain = func() (p [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		p[c] = c != '"' && c != '\\'
	}
	return p
}()

// shorts maps a byte to the letter of its short escape, 0 if it has none.
var shorts = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't'}

const (
	each = 0x0101010101010101
	high = 0x80 * each
)

// word returns the eight bytes of s from i on, the first one lowest.
func word(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// marked returns the high bits of bytes of w: of quotation marks and backslashes,
// and of controls and bytes above ASCII.
func marked(w uint64) (quoted, odd uint64) {
	low := w &^ high // without the high bits no sum carries into the next byte
	quote, slash := low^each*'"', low^each*'\\'
	quoted = ^((quote + each*0x7f) & (slash + each*0x7f)) & high
	odd = (^(low + each*(0x80-' ')) | w) & high
	return quoted &^ w, odd
}

// plainLength returns the length of a beginning of s that needs no escape, all of
// s in most texts.
func plainLength(s string) int {
	if len(s) < 8 {
		for i := range len(s) {
			if !plain[s[i]] {
				return i
			}
		}
		return len(s)
	}
	i := 0
	for ; i+16 <= len(s); i += 16 {
		if special(word(s, i))|special(word(s, i+8)) != 0 {
			return i
		}
	}
	if i+8 <= len(s) {
		if special(word(s, i)) != 0 {
			return i
		}
		i += 8
	}
	if special(word(s, len(s)-8)) != 0 { // the first of these bytes may have been checked before
		return i
	}
	return len(s)
}

// special returns 0 if all bytes of w are plain. It does not say which are not: a
// subtraction borrows from the next byte.
func special(w uint64) uint64 {
	return (w | (w - each*' ') | (w ^ each*'"' - each) | (w ^ each*'\\' - each)) & high
}

// Append appends s as a JSON string. The result is valid JSON for every s:
// invalid UTF-8 becomes U+FFFD. '<', '>', '&' and the line separators U+2028 and
// U+2029 are not escaped.
func Append(dst []byte, s string) []byte {
	return append(AppendEscaped(append(dst, '"'), s), '"')
}

// AppendEscaped appends s as Append does, without the quotation marks.
func AppendEscaped(dst []byte, s string) []byte {
	const longest = 8 + len(`\u0000`) // the most that one iteration writes
	i := plainLength(s)
	if dst = append(dst, s[:i]...); i == len(s) {
		return dst
	}
	out, n := dst[:cap(dst)], len(dst)
	for len(s)-i >= 8 && len(out)-n >= longest {
		w := word(s, i)
		binary.LittleEndian.PutUint64(out[n:], w)
		quoted, odd := marked(w)
		plain := bits.TrailingZeros64(quoted|odd) / 8 // 8 if all are plain
		i, n = i+plain, n+plain
		switch {
		case plain == 8:
		case s[i] < utf8.RuneSelf:
			n = len(appendByte(out[:n], s[i]))
			i++
		default:
			for i < len(s) && s[i] >= utf8.RuneSelf && len(out)-n >= utf8.UTFMax {
				grown, size := appendRune(out[:n], s[i:])
				n, i = len(grown), i+size
			}
		}
	}
	dst = out[:n]
	for i < len(s) {
		start := i
		for i < len(s) && plain[s[i]] {
			i++
		}
		dst = append(dst, s[start:i]...)
		switch {
		case i == len(s):
		case s[i] < utf8.RuneSelf:
			dst = appendByte(dst, s[i])
			i++
		default:
			size := 0
			dst, size = appendRune(dst, s[i:])
			i += size
		}
	}
	return dst
}

// appendByte appends the escape of a byte of ASCII.
func appendByte(dst []byte, c byte) []byte {
	if short := shorts[c]; short != 0 {
		return append(dst, '\\', short)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// appendRune appends the character above ASCII at the start of s. It returns its
// length in s.
func appendRune(dst []byte, s string) ([]byte, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		return append(dst, "\uFFFD"...), size
	}
	return append(dst, s[:size]...), size
}

// Len returns the number of bytes that Append appends for s.
func Len(s string) int {
	n := len(s) + 2
	for i := 0; i < len(s); {
		if len(s)-i >= 8 {
			quoted, odd := marked(word(s, i))
			sure := bits.TrailingZeros64(odd) &^ 7 // 64 when there is no odd byte
			n += bits.OnesCount64(quoted & (1<<sure - 1))
			if i += sure / 8; sure == 64 {
				continue
			}
		}
		for ; i < len(s) && s[i] >= utf8.RuneSelf; i++ {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				n += len("\uFFFD") - 1
			}
			i += size - 1
		}
		if i == len(s) {
			break
		}
		switch c := s[i]; {
		case plain[c]:
		case shorts[c] != 0:
			n++
		default:
			n += len(`\u0000`) - 1
		}
		i++
	}
	return n
}
