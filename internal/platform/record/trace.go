package record

import "encoding/hex"

// Trace is the position of a request in a distributed trace, from the header
// traceparent of W3C Trace Context. The zero Trace is none.
type Trace struct {
	ID    [16]byte
	Span  [8]byte
	Flags byte
}

const traceparentLength = 55

// ParseTraceparent parses a header traceparent. It returns false for an invalid
// one.
func ParseTraceparent(text string) (t Trace, ok bool) {
	var version, flags [1]byte
	if len(text) < traceparentLength || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
		!readHex(version[:], text[:2]) || version[0] == 0xff || !readHex(t.ID[:], text[3:35]) || !readHex(t.Span[:], text[36:52]) || !readHex(flags[:], text[53:55]) {
		return Trace{}, false
	}
	if rest := text[traceparentLength:]; rest != "" && (version[0] == 0 || rest[0] != '-') {
		return Trace{}, false
	}
	if t.ID == [16]byte{} || t.Span == [8]byte{} {
		return Trace{}, false
	}
	t.Flags = flags[0]
	return t, true
}

// readHex decodes lower-case hexadecimal digits, as the header requires.
func readHex(into []byte, text string) bool {
	for i := range text {
		if c := text[i]; c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(into, []byte(text))
	return err == nil
}

// IsZero reports whether there is no trace.
func (t Trace) IsZero() bool { return t.ID == [16]byte{} }

// TraceID returns the id of the trace in hexadecimal, "" for none.
func (t Trace) TraceID() string {
	if t.IsZero() {
		return ""
	}
	return hex.EncodeToString(t.ID[:])
}

// SpanID returns the id of the caller's span in hexadecimal, "" for none.
func (t Trace) SpanID() string {
	if t.IsZero() {
		return ""
	}
	return hex.EncodeToString(t.Span[:])
}

// Header returns the header traceparent, "" for no trace.
func (t Trace) Header() string {
	if t.IsZero() {
		return ""
	}
	return "00-" + t.TraceID() + "-" + t.SpanID() + "-" + hex.EncodeToString([]byte{t.Flags})
}
