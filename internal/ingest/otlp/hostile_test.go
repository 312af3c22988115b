package otlp_test

import (
	"bytes"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const at = uint64(1_795_317_180_153_000_000)

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func request(spans ...*tracepb.Span) []byte {
	b, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: spans}}}}})
	if err != nil {
		panic(err)
	}
	return b
}

func span(id byte) *tracepb.Span {
	return &tracepb.Span{TraceId: bytes.Repeat([]byte{7}, 16), SpanId: bytes.Repeat([]byte{id}, 8), Name: "s", StartTimeUnixNano: at, EndTimeUnixNano: at + 5_000_000}
}

// emptySpans returns a request with spans without any field.
func emptySpans(n int) []byte {
	list := func(field protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), b)
	}
	return list(1, list(2, bytes.Repeat([]byte{0x12, 0x00}, n)))
}

// Requests that no exporter sends are stored as far as they are meaningful, or
// rejected. None results in a status of 500.
func TestHostileSpans(t *testing.T) {
	deep := text("x")
	for range 20 {
		deep = &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: []*commonpb.KeyValue{{Key: "k", Value: deep}}}}}
	}
	deeper := deep
	for range 200 {
		deeper = &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: []*commonpb.KeyValue{{Key: "k", Value: deeper}}}}}
	}
	with := func(change func(s *tracepb.Span)) []byte {
		s := span(1)
		change(s)
		return request(span(2), s)
	}
	links := make([]*tracepb.Span_Link, 100_000)
	for i := range links {
		links[i] = &tracepb.Span_Link{TraceId: make([]byte, 16), SpanId: make([]byte, 8)}
	}
	for name, row := range map[string]struct {
		body   []byte
		status int
		stored string // "" for both
	}{
		"nested":        {with(func(s *tracepb.Span) { s.Attributes = []*commonpb.KeyValue{{Key: "a", Value: deep}} }), 200, ""},
		"nested deeper": {with(func(s *tracepb.Span) { s.Attributes = []*commonpb.KeyValue{{Key: "a", Value: deeper}} }), 400, "none"},
		"long key": {with(func(s *tracepb.Span) {
			s.Attributes = []*commonpb.KeyValue{{Key: strings.Repeat("k", 1<<20), Value: text("v")}}
		}), 200, ""},
		"zero trace":    {with(func(s *tracepb.Span) { s.TraceId = make([]byte, 16) }), 200, "1 of 2 spans were rejected. span 0101010101010101: trace_id must not be zero"},
		"short span id": {with(func(s *tracepb.Span) { s.SpanId = []byte{1} }), 200, "span_id must be 8 bytes"},
		"ends first":    {with(func(s *tracepb.Span) { s.EndTimeUnixNano = at - 1 }), 200, ""},
		"no times":      {with(func(s *tracepb.Span) { s.StartTimeUnixNano, s.EndTimeUnixNano = 0, 0 }), 200, ""},
		"far future":    {with(func(s *tracepb.Span) { s.StartTimeUnixNano = 1<<64 - 1 }), 200, "24 hours ahead"},
		"seconds":       {with(func(s *tracepb.Span) { s.StartTimeUnixNano = 1_795_317_180 }), 200, "timestamp"},
		"same id twice": {with(func(s *tracepb.Span) { s.SpanId = bytes.Repeat([]byte{2}, 8) }), 200, ""},
		"own parent":    {with(func(s *tracepb.Span) { s.ParentSpanId = s.SpanId }), 200, ""},
		"100,000 links": {with(func(s *tracepb.Span) { s.Links = links }), 200, ""},
		"8 MiB": {with(func(s *tracepb.Span) {
			s.Attributes = []*commonpb.KeyValue{{Key: "input.value", Value: text(strings.Repeat("x", 9<<20))}}
		}), 200, "limit is 8388608"},
		"no UTF-8":              {bytes.ReplaceAll(with(func(s *tracepb.Span) { s.Name = "name" }), []byte("name"), []byte("n\xffme")), 200, ""},
		"no message":            {[]byte("\xff\xff\xff"), 400, "none"},
		"2 million empty spans": {emptySpans(2_000_000), 413, "none"},
		"empty":                 {nil, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			rec := w.send(protobuf, row.body)
			if rec.Code != row.status || rec.Header().Get("Content-Type") != protobuf {
				t.Fatalf("%d %s %q", rec.Code, rec.Header(), rec.Body)
			}
			if row.stored != "none" && ((row.stored == "") != (rec.Body.Len() == 0) || !strings.Contains(rec.Body.String(), row.stored)) {
				t.Errorf("%q", rec.Body)
			}
		})
	}
}

func TestTransport(t *testing.T) {
	w := open(t)
	body := request(span(1))
	json := `{"resourceSpans":[{"unknown":{"a":[1]},"scopeSpans":[{"spans":[{"traceId":"4A8C5EA7D5C764D9B7D84C51C6AB0549","spanId":"EADE1A44F399E08E","parentSpanId":"","name":"n","kind":"SPAN_KIND_CLIENT",
		"startTimeUnixNano":1795317410058000000,"endTimeUnixNano":"1795317410061111951","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
		{"key":"gen_ai.usage.input_tokens","value":{"intValue":"21"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":9}}]}]}]}]}`
	for name, row := range map[string]struct {
		kind, body string
		headers    []string
		status     int
	}{
		"text":            {"text/plain", "x", nil, 415},
		"no type":         {"", "x", nil, 415},
		"unknown coding":  {protobuf, string(body), []string{"Content-Encoding", "br"}, 415},
		"gzip":            {protobuf, string(zipped(body)), []string{"Content-Encoding", "gzip"}, 200},
		"truncated gzip":  {protobuf, string(zipped(body)[:30]), []string{"Content-Encoding", "gzip"}, 400},
		"gzip bomb":       {protobuf, string(zipped(make([]byte, 30<<20))), []string{"Content-Encoding", "gzip"}, 413},
		"no key":          {protobuf, string(body), []string{"X-Api-Key", ""}, 401},
		"wrong key":       {protobuf, string(body), []string{"X-Api-Key", "sk_x"}, 401},
		"bearer":          {protobuf, string(body), []string{"X-Api-Key", "", "Authorization", "Bearer " + w.key}, 200},
		"JSON":            {jsonType + "; charset=utf-8", json, nil, 200},
		"no JSON":         {jsonType, "{", nil, 400},
		"nested JSON":     {jsonType, `{"resourceSpans":` + strings.Repeat("[", 100_000), nil, 400},
		"id of 31 digits": {jsonType, strings.Replace(json, "4A8C", "4A8", 1), nil, 200},
	} {
		rec := w.send(row.kind, []byte(row.body), row.headers...)
		form := jsonType // also for a type that is not known
		if row.kind == protobuf {
			form = protobuf
		}
		if rec.Code != row.status || rec.Header().Get("Content-Type") != form {
			t.Errorf("%s: %d %s %q", name, rec.Code, rec.Header(), rec.Body)
		}
	}
	if got := w.tree(t); !strings.Contains(got, "session 4a8c5ea7d5c764d9b7d84c51c6ab0549") || !strings.Contains(got, "tokens 21/9 at 1795317410058 for 3") {
		t.Error(got)
	}
}

// While the store cannot store events, the reply is 503 in the encoding of the
// request.
func TestOverloadIsAnsweredWith503(t *testing.T) {
	w := open(t)
	body := request(span(1))
	w.events.Close()
	for name, row := range map[string][2]string{"protobuf": {protobuf, string(body)}, "JSON": {jsonType, oneSpan}} {
		rec := w.send(row[0], []byte(row[1]))
		if rec.Code != 503 || rec.Header().Get("Retry-After") == "" || rec.Header().Get("Content-Type") != row[0] || rec.Body.Len() == 0 {
			t.Errorf("%s: %d %s %q", name, rec.Code, rec.Header(), rec.Body)
		}
	}
	if got := w.tree(t); strings.Contains(got, "session") {
		t.Errorf("stored all the same:\n%s", got)
	}
}

const oneSpan = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"4a8c5ea7d5c764d9b7d84c51c6ab0549","spanId":"eade1a44f399e08e","name":"n","startTimeUnixNano":"1795317410058000000"}]}]}]}`

// Whatever arrives, the reply is a reply of OTLP and nothing panics.
func FuzzProtobuf(f *testing.F) { fuzz(f, protobuf) }
func FuzzJSON(f *testing.F)     { fuzz(f, jsonType) }

func fuzz(f *testing.F, kind string) {
	f.Add(request(span(1), span(2)))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"4a8c5ea7d5c764d9b7d84c51c6ab0549","spanId":"eade1a44f399e08e","startTimeUnixNano":"1795317410058000000","attributes":[{"key":"llm.input_messages.0.message.role","value":{"stringValue":"x"}}]}]}]}]}`))
	w := open(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		switch rec := w.send(kind, body); rec.Code {
		case 200, 400, 413:
		default:
			t.Errorf("%d %q", rec.Code, rec.Body)
		}
	})
}
