package console

import (
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/record"
)

// causeReply is a request as the cause of a change, an event or a delivery. If
// the request is no longer recorded, only seq and the kind of actor are known.
type causeReply struct {
	Seq       *int64     `json:"seq" description:"The number of the request; null for none, such as work in the background."`
	RequestID string     `json:"request_id"`
	Operation string     `json:"operation" description:"What was asked; several things, such as the root fields of a GraphQL document, with commas between them."`
	Actor     actorReply `json:"actor"`
	Via       *viaReply  `json:"via"`
	TraceID   *string    `json:"trace_id"`
	SpanID    *string    `json:"span_id"`
}

// writerReply is a request that wrote a changed thing.
type writerReply struct {
	causeReply
	Fields []string `json:"fields" description:"The fields of the change that it wrote; null where its statement writes a column that holds many."`
}

// cause returns a request as a cause. kind is the actor's, for a request that is
// no longer recorded.
func (n *names) cause(seq int64, kind record.Actor) causeReply {
	if seq == 0 {
		return causeReply{Actor: actorReply{Kind: kind.String()}}
	}
	if known, ok := n.causes[seq]; ok {
		return known
	}
	out := causeReply{Seq: &seq, Actor: actorReply{Kind: kind.String()}}
	if x, ok := n.env.Recorder.Get(seq); ok {
		line := n.show(x)
		out.RequestID, out.Operation, out.Actor, out.Via = x.ID, strings.Join(x.Operations, ","), line.Actor, line.Via
		out.TraceID, out.SpanID = line.TraceID, line.SpanID
	}
	n.causes[seq] = out
	return out
}

// writers returns the writers of a changed thing, the last first.
func (n *names) writers(c *diff.Cause) []writerReply {
	out := make([]writerReply, len(c.Writers))
	for i, w := range c.Writers {
		out[i] = writerReply{n.cause(w.Seq, record.Actor(w.Kind)), w.Fields}
	}
	return out
}

// eventCause returns the request that appended an event, nil for none.
func (n *names) eventCause(seq int64, requestID string) *causeReply {
	if seq == 0 && requestID == "" {
		return nil
	}
	out := n.cause(seq, record.Agent)
	if out.RequestID = requestID; seq == 0 { // of an event that an earlier version appended
		out.Actor = actorReply{}
	}
	return &out
}
