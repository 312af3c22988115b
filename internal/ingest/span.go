package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Span is one operation of a trace, as an instrumented program sends it. It is
// stored as one event.
type Span struct {
	Event
	Trace   string // 32 hex digits
	Span    string // 16 hex digits
	Above   string // the span that triggered this one, or ""
	Naming  string // the session that the span sets for its trace, or ""
	Call    bool   // of a model: its tokens count, and those of the spans above it do not
	Traits  Members
	Program string // that sent it: the client of its session
}

// SpanEvent returns the id of the event for a span of a project: always the same
// for the same span.
func SpanEvent(project, trace, span string) string {
	h := sha256.New()
	for _, part := range []string{"span", project, trace, span} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return uuidOf(h.Sum(nil))
}

// CheckSpan validates a span like an event and derives its ids. It shortens
// values that are too long for a dimension, because instrumentations do not
// handle errors. It returns ValidationFailed.
func (in *Ingest) CheckSpan(project string, s *Span, now int64) error {
	var err error
	if s.Trace, err = hexID("trace_id", s.Trace, 16); err != nil {
		return err
	}
	if s.Span, err = hexID("span_id", s.Span, 8); err != nil {
		return err
	}
	s.ID, s.Session = SpanEvent(project, s.Trace, s.Span), s.Trace
	if above, err := hexID("parent_span_id", s.Above, 8); err == nil && above != s.Span {
		s.Parent = SpanEvent(project, s.Trace, above)
	}
	for _, text := range []*string{&s.Name, &s.Type, &s.Model, &s.Customer, &s.User, &s.Program} {
		*text = cut(*text, maxText)
	}
	if s.Naming = strings.TrimSpace(cut(s.Naming, maxFreeID)); s.Naming != "" {
		if s.Naming, err = checkID("session_id", s.Naming, true, true); err != nil {
			s.Naming = ""
		}
	}
	return in.CheckEvent(&s.Event, true, now)
}

// hexID returns an id of n bytes in lower case.
func hexID(field, text string, n int) (string, error) {
	if len(text) != 2*n {
		return "", wrong(field, "must be %d bytes", n)
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return "", wrong(field, "must be hexadecimal")
	}
	for _, b := range raw {
		if b != 0 {
			return strings.ToLower(text), nil
		}
	}
	return "", wrong(field, "must not be zero")
}

// cut returns at most n bytes of a text, in whole characters, without NUL.
func cut(text string, n int) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
