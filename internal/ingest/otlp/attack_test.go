package otlp_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// inJSON converts a request in protobuf to JSON with hexadecimal ids.
func inJSON(t *testing.T, body []byte) []byte {
	t.Helper()
	data := &tracepb.TracesData{}
	if err := proto.Unmarshal(body, data); err != nil {
		t.Fatal(err)
	}
	text, err := protojson.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, rs := range data.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				for _, id := range [][]byte{s.GetTraceId(), s.GetSpanId(), s.GetParentSpanId()} {
					encoded, _ := protojson.Marshal(&commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: id}})
					_, encoded, _ = bytes.Cut(encoded, []byte(`:`))
					encoded = bytes.TrimSuffix(bytes.TrimSpace(encoded), []byte("}"))
					if len(id) > 0 {
						text = bytes.ReplaceAll(text, encoded, []byte(`"`+hex.EncodeToString(id)+`"`))
					}
				}
			}
		}
	}
	return text
}

// Both encodings store and reject the same spans, whatever is wrong with the spans.
func TestBothEncodingsTreatHostileSpansAlike(t *testing.T) {
	many := func(n int) (out []*commonpb.KeyValue) {
		for i := range n {
			out = append(out, &commonpb.KeyValue{Key: fmt.Sprint("attribute.", i), Value: text("v")})
		}
		return out
	}
	list := func(depth int) *commonpb.AnyValue {
		v := text("x")
		for range depth {
			v = &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{v}}}}
		}
		return v
	}
	number := func(f float64) *commonpb.AnyValue {
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: f}}
	}
	const negative = uint64(1) << 63 // as signed time
	for name, row := range map[string]struct {
		change   func(s *tracepb.Span)
		rejected string // "" when it is stored
	}{
		"10,000 attributes": {func(s *tracepb.Span) { s.Attributes = many(10_000) }, ""},
		"lists in lists":    {func(s *tracepb.Span) { s.Attributes = []*commonpb.KeyValue{{Key: "a", Value: list(20)}} }, ""},
		"a key twice":       {func(s *tracepb.Span) { s.Attributes = append(many(1), many(1)...) }, ""},
		"negative start":    {func(s *tracepb.Span) { s.StartTimeUnixNano = negative }, "timestamp"},
		"end is far":        {func(s *tracepb.Span) { s.EndTimeUnixNano = math.MaxUint64 }, "latency must be"},
		"end alone is far":  {func(s *tracepb.Span) { s.StartTimeUnixNano, s.EndTimeUnixNano = 0, math.MaxUint64 }, "timestamp"},
		"no trace id":       {func(s *tracepb.Span) { s.TraceId = nil }, "trace_id must be 16 bytes"},
		"trace id of 15":    {func(s *tracepb.Span) { s.TraceId = s.TraceId[:15] }, "trace_id must be 16 bytes"},
		"trace id of 17":    {func(s *tracepb.Span) { s.TraceId = append(bytes.Clone(s.TraceId), 1) }, "trace_id must be 16 bytes"},
		"trace id of 1 MiB": {func(s *tracepb.Span) { s.TraceId = bytes.Repeat([]byte{5}, 1<<20) }, "trace_id must be 16 bytes"},
		"span id of 9":      {func(s *tracepb.Span) { s.SpanId = append(bytes.Clone(s.SpanId), 1) }, "span_id must be 8 bytes"},
		"parent of 7":       {func(s *tracepb.Span) { s.ParentSpanId = []byte{3, 3, 3, 3, 3, 3, 3} }, ""},
		"parent not there":  {func(s *tracepb.Span) { s.ParentSpanId = bytes.Repeat([]byte{9}, 8) }, ""},
		"NaN tokens": {func(s *tracepb.Span) {
			s.Attributes = []*commonpb.KeyValue{{Key: "gen_ai.usage.input_tokens", Value: number(math.NaN())}}
		}, ""},
		"negative tokens": {func(s *tracepb.Span) {
			s.Attributes = []*commonpb.KeyValue{{Key: "gen_ai.usage.input_tokens", Value: number(-5)}}
		}, ""},
		"endless tokens": {func(s *tracepb.Span) {
			s.Attributes = []*commonpb.KeyValue{{Key: "gen_ai.usage.input_tokens", Value: number(math.Inf(1))}}
		}, ""},
		"empty value":    {func(s *tracepb.Span) { s.Attributes = []*commonpb.KeyValue{{Key: "a"}, {Key: "", Value: text("x")}} }, ""},
		"session of NUL": {func(s *tracepb.Span) { s.Attributes = []*commonpb.KeyValue{{Key: "session.id", Value: text("\x00")}} }, ""},
		"long session": {func(s *tracepb.Span) {
			s.Attributes = []*commonpb.KeyValue{{Key: "session.id", Value: text(strings.Repeat("s", 1<<20))}}
		}, ""},
		"event far before": {func(s *tracepb.Span) { s.Events = []*tracepb.Span_Event{{Name: "e", TimeUnixNano: 1}} }, ""},
		"event far after":  {func(s *tracepb.Span) { s.Events = []*tracepb.Span_Event{{Name: "e", TimeUnixNano: math.MaxUint64}} }, ""},
		"10,000 span events": {func(s *tracepb.Span) {
			s.Events = make([]*tracepb.Span_Event, 10_000)
			for i := range s.Events {
				s.Events[i] = &tracepb.Span_Event{Name: "e", TimeUnixNano: at + uint64(i)}
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			trees := map[string]string{}
			for _, kind := range []string{protobuf, jsonType} {
				w := open(t)
				s := span(1)
				row.change(s)
				body := request(span(2), s)
				if kind == jsonType {
					body = inJSON(t, body)
				}
				for range 2 { // sending it again changes nothing
					rec := w.send(kind, body)
					if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), row.rejected) || strings.Contains(rec.Body.String(), "1 of 2") != (row.rejected != "") {
						t.Fatalf("%s: %d %.300q", kind, rec.Code, rec.Body)
					}
				}
				trees[kind] = w.tree(t)
				want := 2
				if row.rejected != "" {
					want = 1
				}
				if got := strings.Count(trees[kind], " at "); got != want {
					t.Errorf("%s: %d spans are stored, want %d:\n%.2000s", kind, got, want, trees[kind])
				}
			}
			if trees[protobuf] != trees[jsonType] {
				t.Errorf("protobuf:\n%.2000s\nJSON:\n%.2000s", trees[protobuf], trees[jsonType])
			}
		})
	}
}

// Of several spans with one id the first one counts, within a request and across
// requests, in both encodings.
func TestTheFirstSpanOfAnIDCounts(t *testing.T) {
	w := open(t)
	named := func(name string) *tracepb.Span {
		s := span(1)
		s.Name = name
		return s
	}
	for i, body := range [][]byte{request(named("first"), named("second")), request(named("third"))} {
		for kind, b := range map[string][]byte{protobuf: body, jsonType: inJSON(t, body)} {
			if rec := w.send(kind, b); rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), "rejected") {
				t.Fatalf("request %d: %d %q", i, rec.Code, rec.Body)
			}
		}
	}
	if got := w.tree(t); !strings.Contains(got, `"first"`) || strings.Contains(got, "second") || strings.Contains(got, "third") || strings.Count(got, " at ") != 1 {
		t.Error(got)
	}
}

// A body that expands beyond the limit is rejected in each compression and encoding,
// also if it is compressed twice.
func TestBombsAreRefused(t *testing.T) {
	w := open(t)
	blanks := append([]byte(`{"resourceSpans":[]`), append(bytes.Repeat([]byte(" "), 64<<20), '}')...)
	for kind, body := range map[string][]byte{protobuf: make([]byte, 64<<20), jsonType: blanks} {
		rec := w.send(kind, zipped(body), "Content-Encoding", "gzip")
		if rec.Code != http.StatusRequestEntityTooLarge || rec.Header().Get("Content-Type") != kind {
			t.Errorf("%s: %d %.200q", kind, rec.Code, rec.Body)
		}
		rec = w.send(kind, zipped(zipped(body)), "Content-Encoding", "gzip, gzip")
		if rec.Code < 400 || rec.Code >= 500 {
			t.Errorf("%s in gzip twice: %d %.200q", kind, rec.Code, rec.Body)
		}
	}
	if rec := w.send(protobuf, request(span(1))); rec.Code != http.StatusOK {
		t.Errorf("after them: %d", rec.Code)
	}
}
