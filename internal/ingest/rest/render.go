package rest

import (
	"encoding/json"
	"strconv"

	"understudy/internal/ingest"
	"understudy/internal/platform/jsontext"
)

// A reply can contain thousands of events, so their JSON is written without an
// encoder. Missing values are null.

// appendSession appends a session. cut are the lengths of the texts that a summary has
// shortened, nil for a complete session.
func appendSession(b []byte, s *ingest.Session, cut *ingest.SessionLengths) []byte {
	b = append(b, `{"session_id":`...)
	b = jsontext.Append(b, s.ID)
	b = appendOptional(b, "user_id", s.User)
	b = appendMembers(b, "traits", s.Traits)
	b = appendMembers(b, "metadata", s.Metadata)
	b = appendMembers(b, "attributes", s.Attributes)
	b = appendOptional(b, "client_config", s.Client)
	b = appendInt(b, "timestamp", s.Started)
	b = appendInt(b, "last_event_at", lastOr(s))
	b = appendInt(b, "event_count", s.Events)
	b = appendInt(b, "errors", s.Errors)
	b = appendInt(b, "input_tokens", s.InputTokens)
	b = appendInt(b, "output_tokens", s.OutputTokens)
	b = append(b, `,"cost":`...)
	b = strconv.AppendFloat(b, ingest.RoundCost(s.Cost), 'f', -1, 64)
	b = appendScores(b, s.Scores)
	if cut != nil {
		b = appendInt(b, "traits_bytes", int64(cut.Traits))
		b = appendInt(b, "metadata_bytes", int64(cut.Metadata))
		b = appendInt(b, "attributes_bytes", int64(cut.Attributes))
	}
	b = append(b, `,"registered":`...)
	return append(strconv.AppendBool(b, s.Registered), '}')
}

func lastOr(s *ingest.Session) int64 {
	if s.Events == 0 {
		return ingest.Absent
	}
	return s.LastEvent
}

func appendMembers(b []byte, name string, m ingest.Members) []byte {
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	if len(m) == 0 {
		return append(b, `{}`...)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return append(b, `{}`...)
	}
	return append(b, raw...)
}

func appendOptional(b []byte, name, s string) []byte {
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	if s == "" {
		return append(b, `null`...)
	}
	return jsontext.Append(b, s)
}

// appendInt appends a member with a number, or with null if the number is negative.
func appendInt(b []byte, name string, n int64) []byte {
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	if n < 0 {
		return append(b, `null`...)
	}
	return strconv.AppendInt(b, n, 10)
}

// appendEvent appends the members of an event, without braces.
func appendEvent(b []byte, e *ingest.Event) []byte {
	b = append(b, `"event_id":`...)
	b = jsontext.Append(b, e.ID)
	b = append(b, `,"session_id":`...)
	b = jsontext.Append(b, e.Session)
	b = appendOptional(b, "parent_id", e.Parent)
	b = appendOptional(b, "primitive_name", e.Name)
	b = appendOptional(b, "primitive_type", e.Type)
	b = appendOptional(b, "args", e.Args)
	b = appendOptional(b, "result", e.Result)
	b = append(b, `,"success":`...)
	b = strconv.AppendBool(b, e.Success)
	b = appendInt(b, "latency", e.Latency)
	b = appendInt(b, "timestamp", e.Time)
	b = appendInt(b, "start", e.Start())
	b = appendInt(b, "received_at", e.Received)
	b = append(b, `,"metadata":`...)
	if e.Metadata == "" {
		b = append(b, `{}`...)
	} else {
		b = append(b, e.Metadata...)
	}
	b = appendOptional(b, "customer_id", e.Customer)
	b = appendOptional(b, "user_id", e.User)
	b = appendInt(b, "input_tokens", e.InputTokens)
	b = appendInt(b, "output_tokens", e.OutputTokens)
	b = appendOptional(b, "model", e.Model)
	b = appendScores(b, e.Scores)
	b = append(b, `,"checkpoints":[`...)
	for i, c := range e.Timeline() {
		b = append(comma(b, i), `{"name":`...)
		b = jsontext.Append(b, c.Name)
		b = append(b, `,"offset_ms":`...)
		b = strconv.AppendFloat(b, c.Offset, 'f', -1, 64)
		if c.Metadata != nil {
			b = append(append(b, `,"metadata":`...), c.Metadata...)
		}
		if c.Late {
			b = append(b, `,"beyond_latency":true`...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendListed appends the members of an event in a list, without braces.
func appendListed(b []byte, e *ingest.Listed) []byte {
	return appendLengths(appendEvent(b, &e.Event), e.Cut)
}

// appendLengths appends the lengths of a summary's texts in bytes. cut is nil for a
// complete event, for which it appends nothing.
func appendLengths(b []byte, cut *ingest.Lengths) []byte {
	if cut == nil {
		return b
	}
	b = appendInt(b, "args_bytes", int64(cut.Args))
	b = appendInt(b, "result_bytes", int64(cut.Result))
	return appendInt(b, "metadata_bytes", int64(cut.Metadata))
}

// appendNode appends the members of an event in a tree, without children and braces.
func appendNode(b []byte, n *ingest.Node) []byte {
	b = appendLengths(appendEvent(b, &n.Event), n.Cut)
	for _, f := range [...]struct {
		on   bool
		text string
	}{{n.Matches, `,"matches":true`}, {n.ParentMissing, `,"parent_missing":true`}, {n.Cycle, `,"cycle":true`},
		{n.ClockSkew, `,"clock_skew":true`}, {n.Folded, `,"folded":true`}} {
		if f.on {
			b = append(b, f.text...)
		}
	}
	return b
}
