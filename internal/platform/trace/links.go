package trace

import (
	"encoding/hex"
	"strings"

	"github.com/valyala/fastjson"

	"understudy/internal/platform/record"
)

// Links is the references to requests in the metadata of an event.
type Links struct {
	Requests []string     // ids
	Seqs     []int64      // numbers
	Place    record.Trace // in a distributed trace; without a span only the trace
}

var parsers fastjson.ParserPool

// ReadLinks parses the metadata of an event, a JSON object with request_id,
// request_ids, request_seq, request_seqs, traceparent, trace_id and span_id. It
// ignores invalid members.
func ReadLinks(metadata string) (l Links) {
	if !strings.Contains(metadata, "request_") && !strings.Contains(metadata, "trace") {
		return l
	}
	p := parsers.Get()
	defer parsers.Put(p)
	m, err := p.Parse(metadata)
	if err != nil {
		return l
	}
	l.addRequest(m.Get("request_id"))
	for _, v := range m.GetArray("request_ids") {
		l.addRequest(v)
	}
	l.addSeq(m.Get("request_seq"))
	for _, v := range m.GetArray("request_seqs") {
		l.addSeq(v)
	}
	if t, ok := record.ParseTraceparent(string(m.GetStringBytes("traceparent"))); ok {
		l.Place = t
		return l
	}
	var t record.Trace
	if readID(t.ID[:], m.GetStringBytes("trace_id")) && !t.IsZero() {
		l.Place.ID = t.ID
		if readID(t.Span[:], m.GetStringBytes("span_id")) {
			l.Place.Span = t.Span
		}
	}
	return l
}

func (l *Links) addRequest(v *fastjson.Value) {
	if v != nil && v.Type() == fastjson.TypeString && len(v.GetStringBytes()) > 0 {
		l.Requests = append(l.Requests, string(v.GetStringBytes()))
	}
}

func (l *Links) addSeq(v *fastjson.Value) {
	if v != nil && v.GetInt64() > 0 {
		l.Seqs = append(l.Seqs, v.GetInt64())
	}
}

// readID decodes hexadecimal digits that fill into.
func readID(into, text []byte) bool {
	if len(text) != hex.EncodedLen(len(into)) {
		return false
	}
	_, err := hex.Decode(into, text)
	return err == nil
}
