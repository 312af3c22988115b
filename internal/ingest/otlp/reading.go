package otlp

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"understudy/internal/ingest"
	"understudy/internal/ingest/jsonvalue"
	"understudy/internal/ingest/redaction"
	"understudy/internal/platform/jsontext"
)

// reading is a span that is being converted to an event.
type reading struct {
	*tracepb.Span
	*attributes
	resource *resource
	scope    *commonpb.InstrumentationScope
	form     form
}

// tokens returns the token counts of a span, Absent for missing ones.
func (r *reading) tokens() (input, output int64) {
	input, output = r.number(inputTokenNames...), r.number(outputTokenNames...)
	if usage := r.object("langfuse.observation.usage_details"); usage != nil {
		for _, u := range []struct {
			to   *int64
			keys []string
		}{{&input, []string{"input", "input_tokens", "prompt_tokens"}}, {&output, []string{"output", "output_tokens", "completion_tokens"}}} {
			for _, key := range u.keys {
				if v := usage.Get(key); *u.to < 0 && v != nil {
					if n, err := v.Float64(); err == nil && n >= 0 && n < 1<<53 {
						*u.to = int64(n)
					}
				}
			}
		}
	}
	return input, output
}

// object returns the JSON object that an attribute contains as text. It returns nil
// for any other attribute, and for a text of more than maxShown bytes.
func (r *reading) object(key string) *fastjson.Object {
	text := r.text(key)
	if len(text) == 0 || text[0] != '{' || len(text) > maxShown || jsontext.Nests([]byte(text), maxDepth) {
		return nil
	}
	v, err := fastjson.Parse(text)
	if err != nil || fastjson.Validate(text) != nil {
		return nil
	}
	o, _ := v.Object()
	return o
}

const (
	maxTraits     = 100
	maxTrait      = 4 << 10 // the size of a value in bytes
	maxTraitName  = 256
	maxCheckpoint = 256 // checkpoints of a span
)

// traitPrefixes are the prefixes of attributes that describe the user or the
// conversation.
var traitPrefixes = []string{"langfuse.trace.metadata.", "ai.telemetry.metadata.", "traceloop.association.properties.", "ai.settings.context."}

// traits returns the traits of the user and the conversation in a span, nil without
// any. It replaces credentials, and leaves out traits that exceed maxTraits, maxTrait
// or maxTraitName.
func (r *reading) traits() ingest.Members {
	var out ingest.Members
	add := func(name string, value []byte) bool {
		if len(out) >= maxTraits || len(value) > maxTrait || len(name) > maxTraitName || name == "" || strings.IndexByte(name, 0) >= 0 {
			return false
		}
		if out == nil {
			out = ingest.Members{}
		}
		if _, have := out[name]; !have {
			out[name] = json.RawMessage(value)
		}
		return true
	}
	for _, prefix := range traitPrefixes {
		r.each(prefix, func(rest string, v *commonpb.AnyValue) bool {
			if isSecret(&commonpb.KeyValue{Key: rest, Value: v}) {
				return add(rest, jsontext.Append(nil, redaction.Text))
			}
			return v.GetValue() != nil && add(rest, appendValue(nil, v))
		})
	}
	if o := r.object("metadata"); o != nil {
		r.use("metadata")
		o.Visit(func(key []byte, v *fastjson.Value) {
			switch {
			case v.Type() == fastjson.TypeNull:
			case v.Type() == fastjson.TypeString && redaction.IsCredential(string(key)):
				add(string(key), jsontext.Append(nil, redaction.Text))
			default:
				add(string(key), jsonvalue.Append(nil, v))
			}
		})
	}
	for _, key := range []string{"tag.tags", "langfuse.trace.tags"} {
		if v := r.get(key); v != nil && add("tags", appendValue(nil, v)) {
			r.use(key)
		}
	}
	return out
}

// checkpoints returns the span's events and the arrival of the first token as a list
// of checkpoints in JSON, "" if there are none. It leaves out exceptions and messages.
func (r *reading) checkpoints(e *ingest.Event) string {
	var b []byte
	n := 0
	add := func(name string, offset float64, list []*commonpb.KeyValue) {
		if name == "" || n == maxCheckpoint {
			return
		}
		b = append(comma(b, n), `{"name":`...)
		b = jsontext.Append(b, cutText(name, maxTraitName))
		b = append(b, `,"timestamp":`...)
		b = appendFloat(b, max(offset, 0))
		if len(list) > 0 {
			if m := appendObject(nil, list); len(m) <= maxShown {
				b = append(append(b, `,"metadata":`...), m...)
			}
		}
		b = append(b, '}')
		n++
	}
	first := false
	for _, event := range r.GetEvents() {
		name := event.GetName()
		switch {
		case name == "exception", isContent(name):
			continue
		case name == "ai.stream.firstChunk":
			name, first = "first_token", true
		}
		add(name, r.offset(event.GetTimeUnixNano()), event.GetAttributes())
	}
	if ms := r.number("ai.response.msToFirstChunk"); ms >= 0 && !first {
		add("first_token", float64(ms), nil)
		first = true
	}
	const began = "langfuse.observation.completion_start_time"
	if t, err := time.Parse(time.RFC3339Nano, strings.Trim(r.text(began), `"`)); err == nil && !first {
		r.use(began)
		add("first_token", float64(t.UnixNano()-int64(r.GetStartTimeUnixNano()))/1e6, nil)
	}
	if n == 0 {
		return ""
	}
	return "[" + string(b) + "]"
}

// offset returns the milliseconds from the start of the span to a time in nanoseconds
// since 1970, 0 for a time before the start.
func (r *reading) offset(nano uint64) float64 {
	if nano <= r.GetStartTimeUnixNano() {
		return 0
	}
	return float64(nano-r.GetStartTimeUnixNano()) / 1e6
}

// spanKinds are the names of the kinds of span in metadata. Internal, the most common
// kind, is left out.
var spanKinds = map[tracepb.Span_SpanKind]string{tracepb.Span_SPAN_KIND_SERVER: "server", tracepb.Span_SPAN_KIND_CLIENT: "client",
	tracepb.Span_SPAN_KIND_PRODUCER: "producer", tracepb.Span_SPAN_KIND_CONSUMER: "consumer"}

const (
	maxMembers  = 256
	maxMetadata = 256 << 10
	maxShown    = 16 << 10 // the size of a value in bytes
	maxName     = 256
	shownLinks  = 32
)

// member is a member of a JSON object.
type member struct {
	name  string
	value []byte
}

// metadata returns the metadata of the event as a JSON object: ids, kind and scope of
// the span, its resource, failure, exceptions and links, and the attributes that no
// field of the event contains. The member left_out counts what does not fit.
func (r *reading) metadata(s *ingest.Span, failure string) string {
	b := append(make([]byte, 0, 1024), '{')
	names := map[string]bool{}
	left := 0
	add := func(name string, value []byte) {
		if len(names) >= maxMembers || len(b)+len(name)+len(value) > maxMetadata || len(name) > maxName || names[name] {
			left++
			return
		}
		b = append(jsontext.Append(comma(b, len(names)), name), ':')
		b = append(b, value...)
		names[name] = true
	}
	text := func(name, value string) {
		if value != "" {
			add(name, jsontext.Append(nil, cutText(value, maxShown)))
		}
	}
	text("trace_id", s.Trace)
	text("span_id", s.Span)
	if s.Name != r.GetName() {
		text("span_name", r.GetName())
	}
	text("span_kind", spanKinds[r.GetKind()])
	text("scope", r.scope.GetName())
	text("scope_version", r.scope.GetVersion())
	for _, m := range r.resource.shown {
		add(m.name, m.value)
	}
	text("error", failure)
	for _, e := range r.GetEvents() {
		if e.GetName() == "exception" {
			a := newAttributes(e.GetAttributes())
			for _, name := range []string{"exception.type", "exception.message", "exception.stacktrace"} {
				if !names[name] {
					text(name, a.text(name))
				}
			}
		}
	}
	for i, kv := range r.list {
		if r.used[i] || isRebuilt(kv.GetKey()) || kv.GetValue().GetValue() == nil {
			continue
		}
		if isSecret(kv) {
			text(kv.GetKey(), redaction.Text)
			continue
		}
		value := appendValue(nil, kv.GetValue())
		if len(value) > maxShown {
			value = jsontext.Append(nil, cutText(textOf(kv.GetValue()), maxShown))
		}
		add(kv.GetKey(), value)
	}
	if links := r.GetLinks(); len(links) > 0 {
		list := []byte{'['}
		for i, l := range links[:min(len(links), shownLinks)] {
			list = append(comma(list, i), `{"trace_id":"`+hexOf(l.GetTraceId(), 16, r.form)+`","span_id":"`+hexOf(l.GetSpanId(), 8, r.form)+`"}`...)
		}
		add("links", append(list, ']'))
		if len(links) > shownLinks {
			left += len(links) - shownLinks
		}
	}
	if left += int(r.GetDroppedAttributesCount()) + int(r.GetDroppedEventsCount()) + int(r.GetDroppedLinksCount()); left > 0 {
		b = append(comma(b, len(names)), `"left_out":`...)
		b = strconv.AppendInt(b, int64(left), 10)
	}
	return string(append(b, '}'))
}

// cutText returns a text, or its first n bytes and "…" if it is longer.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
