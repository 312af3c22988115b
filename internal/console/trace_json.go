package console

import (
	"strconv"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/record"
	"understudy/internal/platform/trace"
)

// A trace has thousands of requests, each with its changes and events. They are
// appended to the reply as they are, because building the values of traceReply
// and encoding them took half of the time.

// appendSession appends the traceReply of a session.
func (t *tracing) appendSession(dst []byte, s *trace.Session) []byte {
	dst = jsontext.Append(append(dst, `{"session":{"session_id":`...), s.ID)
	dst = appendTextOrNull(append(dst, `,"user_id":`...), s.User)
	dst = t.appendSteps(append(dst, `},"turns":`...), s.Roots)
	return t.appendRest(dst)
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

// appendRest appends what follows the turns.
func (t *tracing) appendRest(dst []byte) []byte {
	dst = append(dst, `,"unjoined":[`...)
	for i, x := range t.tree.Unjoined {
		dst = strconv.AppendInt(append(comma(dst, i), `{"seq":`...), x.Seq, 10)
		dst = appendTexts(append(dst, `,"operations":`...), x.Operations)
		dst = strconv.AppendInt(append(dst, `,"status":`...), int64(x.Status), 10)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"joined":{`...)
	for i, rule := range []string{trace.ByRequest, trace.BySpan, trace.ByTrace, trace.ByOrder} {
		dst = append(jsontext.Append(comma(dst, i), rule), ':')
		dst = strconv.AppendInt(dst, int64(t.tree.Count[rule]), 10)
	}
	return append(dst, "}}\n"...)
}

func (t *tracing) appendSteps(dst []byte, events []*trace.Event) []byte {
	dst = append(dst, '[')
	for i, e := range events {
		dst = t.appendEvent(append(comma(dst, i), `{"event":`...), e)
		dst = t.appendSteps(append(dst, `,"trace_id":null,"tools":`...), e.Children)
		dst = t.appendRequests(append(dst, `,"requests":`...), t.tree.Of[e])
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (t *tracing) appendEvent(dst []byte, e *trace.Event) []byte {
	span, tokens := t.tree.Spans[e], int64(trace.Absent)
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
	dst = strconv.AppendInt(append(dst, `,"start":`...), span.Start/1000, 10)
	dst = strconv.AppendInt(append(dst, `,"end":`...), span.End/1000, 10)
	return append(dst, '}')
}

func (t *tracing) appendRequests(dst []byte, joined []trace.Joined) []byte {
	dst = append(dst, '[')
	for i := range joined {
		dst = t.appendRequest(comma(dst, i), joined[i].Request, joined[i].By)
	}
	return append(dst, ']')
}

func (t *tracing) appendRequest(dst []byte, x *record.Request, rule string) []byte {
	dst = strconv.AppendInt(append(dst, `{"seq":`...), x.Seq, 10)
	dst = jsontext.Append(append(dst, `,"service":`...), x.Service)
	dst = appendTexts(append(dst, `,"operations":`...), x.Operations)
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(x.Status), 10)
	dst = jsontext.Append(append(dst, `,"join":`...), rule)
	dst = jsontext.Append(append(dst, `,"actor":`...), x.Actor.String())
	if dst = append(dst, `,"via":`...); x.Tool == "" {
		dst = append(dst, `null`...)
	} else {
		dst = append(jsontext.Append(append(dst, `{"kind":"mcp","tool":`...), x.Tool), '}')
	}
	if dst = append(dst, `,"parent_seq":`...); x.Parent == 0 {
		dst = append(dst, `null`...)
	} else {
		dst = strconv.AppendInt(dst, x.Parent, 10)
	}
	if dst = append(dst, `,"received_at":`...); x.ReceivedAt.IsZero() {
		dst = append(dst, `null`...)
	} else {
		dst = append(x.ReceivedAt.AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
	}
	dst = strconv.AppendFloat(append(dst, `,"duration_ms":`...), inMilliseconds(x.Duration), 'f', -1, 64)
	if dst = append(dst, `,"fault":`...); x.Fault == nil {
		dst = append(dst, `null`...)
	} else {
		dst = jsontext.Append(append(dst, `{"id":`...), x.Fault.ID)
		dst = jsontext.Append(append(dst, `,"do":`...), x.Fault.Do)
		dst = append(strconv.AppendBool(append(dst, `,"committed":`...), x.Fault.Committed), '}')
	}
	dst = append(dst, `,"changes":[`...)
	changes := t.changes[x.Seq]
	for i := range changes {
		dst = appendChange(comma(dst, i), &changes[i])
	}
	dst = append(dst, `],"events":[`...)
	events := t.events[x.Seq]
	for i := range events {
		dst = appendEventEffect(comma(dst, i), &events[i])
	}
	return append(dst, `]}`...)
}

func appendChange(dst []byte, x *diff.EffectOn) []byte {
	dst = jsontext.Append(append(dst, `{"op":`...), x.Op)
	dst = jsontext.Append(append(dst, `,"service":`...), x.Service)
	dst = jsontext.Append(append(dst, `,"entity":`...), x.Entity)
	return append(appendTextOrNull(append(dst, `,"key":`...), x.Key), '}')
}

func appendEventEffect(dst []byte, e *outbox.EventDetail) []byte {
	dst = strconv.AppendInt(append(dst, `{"seq":`...), e.Seq, 10)
	dst = jsontext.Append(append(dst, `,"service":`...), e.Service)
	dst = jsontext.Append(append(dst, `,"type":`...), e.Type)
	dst = jsontext.Append(append(dst, `,"key":`...), e.Key)
	dst = append(dst, `,"deliveries":[`...)
	for i := range e.Deliveries {
		d := &e.Deliveries[i]
		dst = jsontext.Append(append(comma(dst, i), `{"id":`...), d.PublicID())
		dst = jsontext.Append(append(dst, `,"destination":`...), d.Destination)
		dst = jsontext.Append(append(dst, `,"status":`...), string(d.Status))
		dst = append(strconv.AppendInt(append(dst, `,"attempts":`...), int64(d.Attempts), 10), '}')
	}
	return append(dst, `]}`...)
}

// comma appends one before all but the first of a list.
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

// appendReported appends a number that was reported, null for none.
func appendReported(dst []byte, n int64) []byte {
	if n == trace.Absent {
		return append(dst, `null`...)
	}
	return strconv.AppendInt(dst, n, 10)
}
