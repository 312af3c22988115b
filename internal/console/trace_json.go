package console

import (
	"slices"
	"strconv"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/trace"
)

// A trace has thousands of requests, each with its changes and events. They are
// appended to the reply directly, because building values of traceReply and
// encoding them took half of the time.

// appendSession appends the traceReply of a session.
func (t *tracing) appendSession(dst []byte, s *trace.Session) []byte {
	dst = jsontext.Append(append(dst, `{"session":{"session_id":`...), s.ID)
	dst = appendTextOrNull(append(dst, `,"user_id":`...), s.User)
	dst = t.appendTurns(append(dst, `},"turns":`...), s.Roots)
	return t.appendRest(dst)
}

// appendTurns appends the events at the root, encoding the two halves
// concurrently.
func (t *tracing) appendTurns(dst []byte, roots []*trace.Event) []byte {
	half := len(roots) / 2
	if half == 0 {
		return t.appendSteps(dst, roots)
	}
	rest := httpkit.Borrow()
	defer httpkit.GiveBack(rest)
	other := *t
	other.written = fragments{}
	together(func() { *rest = other.appendSteps(slices.Grow(*rest, t.bytes/2), roots[half:]) }, func() { dst = t.appendSteps(dst, roots[:half]) })
	dst[len(dst)-1] = ',' // join the two lists
	return append(dst, (*rest)[1:]...)
}

// appendGroups appends the traceReply of requests without a session.
func (t *tracing) appendGroups(dst []byte, groups []trace.Group) []byte {
	dst = append(dst, `{"session":null,"turns":[`...)
	for i := range groups {
		dst = jsontext.Append(append(comma(dst, i), `{"event":null,"trace_id":`...), groups[i].ID)
		dst = t.appendRequests(append(dst, `,"tools":[],"requests":`...), groups[i].Requests)
		dst = append(dst, '}')
	}
	return t.appendRest(append(dst, ']'))
}

// appendRest appends the members after the turns.
func (t *tracing) appendRest(dst []byte) []byte {
	dst = append(dst, `,"unjoined":[`...)
	for i, x := range t.tree.Unjoined {
		dst = strconv.AppendInt(append(comma(dst, i), `{"seq":`...), x.Seq, 10)
		dst = appendTexts(append(dst, `,"operations":`...), x.Operations)
		dst = strconv.AppendInt(append(dst, `,"status":`...), int64(x.Status), 10)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"joined":{`...)
	for i, n := range t.tree.Count {
		dst = append(jsontext.Append(comma(dst, i), trace.Rules[i]), ':')
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, "}}\n"...)
}

func (t *tracing) appendSteps(dst []byte, events []*trace.Event) []byte {
	dst = append(dst, '[')
	for i, e := range events {
		dst = t.appendEvent(append(comma(dst, i), `{"event":`...), e)
		dst = t.appendSteps(append(dst, `,"trace_id":null,"tools":`...), e.Children)
		dst = t.appendRequests(append(dst, `,"requests":`...), e.Requests)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (t *tracing) appendEvent(dst []byte, e *trace.Event) []byte {
	tokens := int64(trace.Absent)
	if e.InputTokens != trace.Absent || e.OutputTokens != trace.Absent {
		tokens = max(e.InputTokens, 0) + max(e.OutputTokens, 0)
	}
	dst = jsontext.Append(append(dst, `{"event_id":`...), e.ID)
	dst = appendTextOrNull(append(dst, `,"name":`...), e.Name)
	dst = appendTextOrNull(append(dst, `,"type":`...), e.Type)
	dst = appendTextOrNull(append(dst, `,"model":`...), e.Model)
	dst = strconv.AppendBool(append(dst, `,"success":`...), e.Success)
	dst = appendReported(append(dst, `,"latency":`...), e.Latency)
	dst = appendReported(append(dst, `,"tokens":`...), tokens)
	dst = appendReported(append(dst, `,"input_tokens":`...), e.InputTokens)
	dst = appendReported(append(dst, `,"output_tokens":`...), e.OutputTokens)
	dst = strconv.AppendInt(append(dst, `,"start":`...), e.Span.Start/1000, 10)
	dst = strconv.AppendInt(append(dst, `,"end":`...), e.Span.End/1000, 10)
	return append(dst, '}')
}

func (t *tracing) appendRequests(dst []byte, joined []trace.Joined) []byte {
	dst = append(dst, '[')
	for i := range joined {
		dst = t.appendRequest(comma(dst, i), &joined[i])
	}
	return append(dst, ']')
}

func (t *tracing) appendRequest(dst []byte, joined *trace.Joined) []byte {
	x := joined.Request
	dst = strconv.AppendInt(append(dst, `{"seq":`...), x.Seq, 10)
	if dst = t.written.appendKind(dst, joined); x.Parent == 0 {
		dst = append(dst, `null`...)
	} else {
		dst = strconv.AppendInt(dst, x.Parent, 10)
	}
	if dst = append(dst, `,"received_at":`...); x.ReceivedAt.IsZero() {
		dst = append(dst, `null`...)
	} else {
		dst = append(t.written.appendTime(append(dst, '"'), x.ReceivedAt), '"')
	}
	dst = appendMilliseconds(append(dst, `,"duration_ms":`...), x.Duration)
	if dst = append(dst, `,"fault":`...); x.Fault == nil {
		dst = append(dst, `null`...)
	} else {
		dst = jsontext.Append(append(dst, `{"id":`...), x.Fault.ID)
		dst = jsontext.Append(append(dst, `,"do":`...), x.Fault.Do)
		dst = append(strconv.AppendBool(append(dst, `,"committed":`...), x.Fault.Committed), '}')
	}
	dst = append(dst, `,"changes":[`...)
	changes := t.changes.of(joined.At)
	for i := range changes {
		dst = t.written.appendChange(comma(dst, i), &changes[i])
	}
	dst = append(dst, `],"events":[`...)
	events := t.events.of(joined.At)
	for i := range events {
		dst = t.written.appendEvent(comma(dst, i), &events[i])
	}
	return append(dst, `]}`...)
}

// fragments caches parts of a reply that occur repeatedly.
type fragments struct {
	changes  []changeFragment
	requests []requestFragment
	events   []eventFragment
	second   int64  // since 1970
	time     []byte // formatted to the second
}

// mostFragments bounds the cached kinds of requests and events: the number of
// tool names is unbounded.
const mostFragments = 16

// requestFragment is the encoding that requests of a kind share.
type requestFragment struct {
	of   *trace.Joined
	text []byte
}

// appendKind appends the members from service to the name of parent_seq.
func (f *fragments) appendKind(dst []byte, joined *trace.Joined) []byte {
	x := joined.Request
	at := slices.IndexFunc(f.requests, func(known requestFragment) bool {
		y := known.of.Request
		return y.Status == x.Status && y.Actor == x.Actor && known.of.By == joined.By && y.Service == x.Service && y.Tool == x.Tool && slices.Equal(y.Operations, x.Operations)
	})
	if at >= 0 {
		return append(dst, f.requests[at].text...)
	}
	start := len(dst)
	dst = jsontext.Append(append(dst, `,"service":`...), x.Service)
	dst = appendTexts(append(dst, `,"operations":`...), x.Operations)
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(x.Status), 10)
	dst = jsontext.Append(append(dst, `,"join":`...), joined.By.String())
	dst = jsontext.Append(append(dst, `,"actor":`...), x.Actor.String())
	if dst = append(dst, `,"via":`...); x.Tool == "" {
		dst = append(dst, `null`...)
	} else {
		dst = append(jsontext.Append(append(dst, `{"kind":"mcp","tool":`...), x.Tool), '}')
	}
	dst = append(dst, `,"parent_seq":`...)
	if len(f.requests) < mostFragments {
		f.requests = append(f.requests, requestFragment{joined, slices.Clone(dst[start:])})
	}
	return dst
}

// eventFragment is the encoding of a caused event without its number and key.
type eventFragment struct {
	service, kind string
	text          []byte
}

// appendEvent appends a caused event.
func (f *fragments) appendEvent(dst []byte, e *outbox.Caused) []byte {
	dst = strconv.AppendInt(append(dst, `{"seq":`...), e.Seq, 10)
	at := slices.IndexFunc(f.events, func(known eventFragment) bool { return known.kind == e.Type && known.service == e.Service })
	if at >= 0 {
		dst = append(dst, f.events[at].text...)
	} else {
		start := len(dst)
		dst = jsontext.Append(append(dst, `,"service":`...), e.Service)
		dst = append(jsontext.Append(append(dst, `,"type":`...), e.Type), `,"key":`...)
		if len(f.events) < mostFragments {
			f.events = append(f.events, eventFragment{e.Service, e.Type, slices.Clone(dst[start:])})
		}
	}
	dst = append(jsontext.Append(dst, e.Key), `,"deliveries":[`...)
	for i := range e.Deliveries {
		d := &e.Deliveries[i]
		dst = jsontext.Append(append(comma(dst, i), `{"id":`...), d.PublicID())
		dst = jsontext.Append(append(dst, `,"destination":`...), d.Destination)
		dst = jsontext.Append(append(dst, `,"status":`...), string(d.Status))
		dst = append(strconv.AppendInt(append(dst, `,"attempts":`...), int64(d.Attempts), 10), '}')
	}
	return append(dst, `]}`...)
}

// changeFragment is the encoding of a change without its key.
type changeFragment struct {
	op, service, entity string
	text                []byte
}

func (f *fragments) appendChange(dst []byte, x *diff.EffectOn) []byte {
	at := slices.IndexFunc(f.changes, func(c changeFragment) bool { return c.entity == x.Entity && c.op == x.Op && c.service == x.Service })
	if at < 0 {
		text := jsontext.Append([]byte(`{"op":`), x.Op)
		text = jsontext.Append(append(text, `,"service":`...), x.Service)
		text = jsontext.Append(append(text, `,"entity":`...), x.Entity)
		at = len(f.changes)
		f.changes = append(f.changes, changeFragment{x.Op, x.Service, x.Entity, append(text, `,"key":`...)})
	}
	return append(appendTextOrNull(append(dst, f.changes[at].text...), x.Key), '}')
}

// appendTime appends a time of UTC as encoding/json does.
func (f *fragments) appendTime(dst []byte, t time.Time) []byte {
	micro := t.Nanosecond() / 1000
	if t.Nanosecond()%1000 != 0 || t.Unix() < 0 {
		return t.AppendFormat(dst, time.RFC3339Nano)
	}
	if f.time == nil || f.second != t.Unix() {
		f.second, f.time = t.Unix(), t.AppendFormat(f.time[:0], "2006-01-02T15:04:05")
	}
	return append(appendFraction(append(dst, f.time...), micro, 100_000), 'Z')
}

// appendMilliseconds appends a duration in milliseconds, to the microsecond.
func appendMilliseconds(dst []byte, d time.Duration) []byte {
	if d < 0 {
		return strconv.AppendFloat(dst, inMilliseconds(d), 'f', -1, 64)
	}
	micro := d.Microseconds()
	return appendFraction(strconv.AppendInt(dst, micro/1000, 10), int(micro%1000), 100)
}

// appendFraction appends a dot and the digits of a fraction without trailing
// zeros, nothing for 0. first is the value of its first digit.
func appendFraction(dst []byte, n, first int) []byte {
	if n == 0 {
		return dst
	}
	for dst = append(dst, '.'); n > 0; first /= 10 {
		dst = append(dst, byte('0'+n/first))
		n %= first
	}
	return dst
}

// comma appends a comma before all but the first element.
func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

func appendTexts(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		dst = jsontext.Append(comma(dst, i), text)
	}
	return append(dst, ']')
}

func appendTextOrNull(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, `null`...)
	}
	return jsontext.Append(dst, text)
}

// appendReported appends a reported number, null for none.
func appendReported(dst []byte, n int64) []byte {
	if n == trace.Absent {
		return append(dst, `null`...)
	}
	return strconv.AppendInt(dst, n, 10)
}
