package messaging

import (
	"strconv"
	"strings"
)

// TS is a message timestamp: microseconds since 1970, unique in its channel.
// On the wire it is seconds, a dot and six digits.
type TS int64

// String returns the wire form.
func (t TS) String() string { return string(t.append(make([]byte, 0, 20))) }

func (t TS) append(b []byte) []byte {
	b = strconv.AppendInt(b, int64(t)/1e6, 10)
	micro := int64(t) % 1e6
	b = append(b, '.')
	for div := int64(1e5); div > 0; div /= 10 {
		b = append(b, byte('0'+micro/div%10))
	}
	return b
}

// ParseTS parses a timestamp: seconds, with up to six digits after a dot. It uses
// no floating point, and reports whether s is valid.
func ParseTS(s string) (TS, bool) {
	seconds, fraction, dotted := strings.Cut(s, ".")
	if seconds == "" || len(seconds) > 12 || len(fraction) > 6 || dotted && fraction == "" || !digits(seconds) || !digits(fraction) {
		return 0, false
	}
	n, err := strconv.ParseInt(seconds+fraction+"000000"[len(fraction):], 10, 64)
	return TS(n), err == nil
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
