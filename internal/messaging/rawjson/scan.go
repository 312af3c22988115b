// Package rawjson scans JSON text without building values.
//
// A Web API body is a flat object whose larger members (blocks, attachments,
// profile) are needed as the received bytes, with their order of keys.
package rawjson

import (
	"iter"
	"strconv"
)

// Valid reports whether b is one JSON value, with at most depth nested arrays and
// objects and only white space around it. Invalid UTF-8 is allowed inside
// strings; Unquote replaces it.
func Valid(b []byte, depth int) bool {
	end := scanValue(b, skipSpace(b, 0), depth)
	return end >= 0 && skipSpace(b, end) == len(b)
}

// Trim removes JSON white space from both ends.
func Trim(b []byte) []byte {
	b = b[skipSpace(b, 0):]
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// Members returns the members of an object in order: the key as its quoted
// literal, and the value without white space around it. The text must have passed
// Valid. Other values have no members.
func Members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		i := skipSpace(b, 0)
		if i >= len(b) || b[i] != '{' {
			return
		}
		i = skipSpace(b, i+1)
		for i < len(b) && b[i] == '"' {
			keyEnd := scanString(b, i)
			if keyEnd < 0 {
				return
			}
			start := skipSpace(b, skipSpace(b, keyEnd)+1)
			end := scanValue(b, start, maxDepth)
			if end < 0 || !yield(b[i:keyEnd], b[start:end]) {
				return
			}
			i = skipSpace(b, skipSpace(b, end)+1)
		}
	}
}

// Elements returns the elements of an array with their positions. The text must
// have passed Valid. Other values have no elements.
func Elements(b []byte) iter.Seq2[int, []byte] {
	return func(yield func(n int, value []byte) bool) {
		i := skipSpace(b, 0)
		if i >= len(b) || b[i] != '[' {
			return
		}
		i = skipSpace(b, i+1)
		for n := 0; i < len(b) && b[i] != ']'; n++ {
			end := scanValue(b, i, maxDepth)
			if end < 0 || !yield(n, b[i:end]) {
				return
			}
			i = skipSpace(b, skipSpace(b, end)+1)
		}
	}
}

// maxDepth bounds scans of text that has passed Valid.
const maxDepth = 10_000

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// scanValue returns the end of the value that starts at i, or -1 when there is
// none.
func scanValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return scanString(b, i)
	case c == '{':
		return scanObject(b, i, depth)
	case c == '[':
		return scanArray(b, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return scanNumber(b, i)
	case c == 't':
		return scanWord(b, i, "true")
	case c == 'f':
		return scanWord(b, i, "false")
	case c == 'n':
		return scanWord(b, i, "null")
	}
	return -1
}

func scanObject(b []byte, i, depth int) int {
	if depth <= 0 {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for i < len(b) && b[i] == '"' {
		if i = scanString(b, i); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = scanValue(b, skipSpace(b, i+1), depth-1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		if b[i] == '}' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
	return -1
}

func scanArray(b []byte, i, depth int) int {
	if depth <= 0 {
		return -1
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = scanValue(b, i, depth-1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		if b[i] == ']' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

func scanWord(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return -1
}

func scanNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	start := i
	if i = scanDigits(b, i); i < 0 || b[start] == '0' && i > start+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = scanDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = scanDigits(b, i)
	}
	return i
}

// scanDigits returns the end of one or more digits, or -1 when there is none.
func scanDigits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func scanString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			i++
			if i >= len(b) {
				return -1
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(b, i+1); !ok {
					return -1
				}
				i += 4
			default:
				return -1
			}
		}
	}
	return -1
}

// hex4 reads the four hexadecimal digits at i.
func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[i:i+4]), 16, 16)
	return rune(n), err == nil
}
