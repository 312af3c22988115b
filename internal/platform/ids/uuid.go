package ids

import "encoding/hex"

// FormatUUID returns the text form of a UUID, in lower case.
func FormatUUID(raw [16]byte) string {
	var b [36]byte
	hex.Encode(b[:8], raw[:4])
	hex.Encode(b[9:13], raw[4:6])
	hex.Encode(b[14:18], raw[6:8])
	hex.Encode(b[19:23], raw[8:10])
	hex.Encode(b[24:], raw[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// AsVersion4 sets the version and variant of a random UUID.
func AsVersion4(raw [16]byte) [16]byte {
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80
	return raw
}

// AsVersion8 sets the version and variant of a UUID with custom content.
func AsVersion8(raw [16]byte) [16]byte {
	raw[6], raw[8] = raw[6]&0x0f|0x80, raw[8]&0x3f|0x80
	return raw
}

// dashesBefore is the number of dashes before each byte in the text form.
var dashesBefore = [16]int{4: 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4}

// ParseUUID parses the text form of a UUID in lower case, the inverse of
// FormatUUID.
func ParseUUID(text string) (raw [16]byte, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return raw, false
	}
	for i := range raw {
		at := 2*i + dashesBefore[i]
		hi, lo := nibble(text[at]), nibble(text[at+1])
		if hi > 15 || lo > 15 {
			return raw, false
		}
		raw[i] = hi<<4 | lo
	}
	return raw, true
}

func nibble(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// IsUUID reports whether a text has the form of a UUID (RFC 9562), in either case.
func IsUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case nibble(c|0x20) > 15 || c < '0':
			return false
		}
	}
	return true
}

// UUID returns the bytes of a public UUID for a purpose; always the same. Use
// AsVersion4 to set version and variant.
func (s *Secrets) UUID(purpose string) [16]byte { return uuidOf(s.ID(purpose, Hex, 32)) }

// SecretUUID returns a secret in the form of a UUID for a purpose.
func (s *Secrets) SecretUUID(purpose string) string {
	return FormatUUID(uuidOf(s.Text(purpose, Hex, 32)))
}

func uuidOf(digits string) (raw [16]byte) {
	_, _ = hex.Decode(raw[:], []byte(digits))
	return raw
}
