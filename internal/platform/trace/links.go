package trace

import (
	"encoding/hex"
	"encoding/json"
	"strings"

	"understudy/internal/platform/record"
)

// Links is what the metadata of an event say about its requests.
type Links struct {
	Requests []string // ids
	Seqs     []int64  // numbers
	Trace    string   // the id of a trace, 32 digits; "" for none
	Span     string   // the id of a span, 16 digits; "" for none
}

// ReadLinks reads the metadata of an event, a JSON object: request_id,
// request_ids, request_seq, request_seqs, traceparent, trace_id and span_id.
// What is malformed is ignored.
func ReadLinks(metadata string) (l Links) {
	if !strings.Contains(metadata, "request_") && !strings.Contains(metadata, "trace") {
		return l
	}
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(metadata), &m) != nil {
		return l
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(m[name], &s)
		return s
	}
	if id := text("request_id"); id != "" {
		l.Requests = append(l.Requests, id)
	}
	var several []string
	_ = json.Unmarshal(m["request_ids"], &several)
	l.Requests = append(l.Requests, several...)
	var one int64
	if json.Unmarshal(m["request_seq"], &one) == nil && one > 0 {
		l.Seqs = append(l.Seqs, one)
	}
	var more []int64
	_ = json.Unmarshal(m["request_seqs"], &more)
	l.Seqs = append(l.Seqs, more...)
	if t, ok := record.ParseTraceparent(text("traceparent")); ok {
		l.Trace, l.Span = t.TraceID(), t.SpanID()
		return l
	}
	l.Trace = hexadecimal(text("trace_id"), 16)
	if l.Trace != "" {
		l.Span = hexadecimal(text("span_id"), 8)
	}
	return l
}

// hexadecimal returns an id of n bytes in small letters, "" for anything else.
func hexadecimal(text string, n int) string {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != n || strings.Trim(text, "0") == "" {
		return ""
	}
	return strings.ToLower(text)
}
