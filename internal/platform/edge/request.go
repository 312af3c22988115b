package edge

import (
	"bytes"
	"strconv"
)

// requestSize returns the length of the request, header and body, at the start of
// a text. It returns 0 if that is unknown: the header is incomplete, or the body
// is chunked.
func requestSize(text []byte) int64 {
	end := bytes.Index(text, []byte("\r\n\r\n"))
	if end < 0 {
		return 0
	}
	size, body := int64(end+len("\r\n\r\n")), int64(0)
	for head := text[:end]; ; {
		at := bytes.IndexByte(head, '\n')
		if at < 0 || at+1 == len(head) {
			return size + body
		}
		head = head[at+1:]
		switch head[0] {
		default: // the common case
			continue
		case 'C', 'c', 'T', 't', 'U', 'u':
		}
		line, _, _ := bytes.Cut(head, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte{':'})
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil || n < 0 || n > maxSize || body > 0 {
				return 0
			}
			body = n
		case bytes.EqualFold(name, []byte("Transfer-Encoding")), bytes.EqualFold(name, []byte("Upgrade")):
			return 0
		}
	}
}

// maxSize exceeds the size of all accepted bodies.
const maxSize = 1 << 40
