package args

import "bytes"

// unescape decodes the percent escapes and plus signs of a form. It returns b
// itself when there are none. An invalid escape is left unchanged and sets ok to
// false.
func unescape(b []byte) (out []byte, ok bool) {
	if bytes.IndexByte(b, '%') < 0 && bytes.IndexByte(b, '+') < 0 {
		return b, true
	}
	ok = true
	out = make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '+':
			out = append(out, ' ')
		case '%':
			if i+2 < len(b) && isHex(b[i+1]) && isHex(b[i+2]) {
				out = append(out, nibble(b[i+1])<<4|nibble(b[i+2]))
				i += 2
				continue
			}
			ok = false
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out, ok
}

// escaped reports whether every percent sign in b begins an escape.
func escaped(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '%')
		if i < 0 {
			return true
		}
		if i+2 >= len(b) || !isHex(b[i+1]) || !isHex(b[i+2]) {
			return false
		}
		b = b[i+3:]
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func nibble(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
