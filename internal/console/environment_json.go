package console

import (
	"strconv"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/jsontext"
)

// Lists contain hundreds of environments, which are appended to the reply
// directly: encoding them by reflection took a quarter of the time.

// infoItem and overviewItem are environments in a list. They point to what was
// read, so that no reply is allocated for each of them.
type (
	infoItem     environment.Info
	overviewItem environment.Overview
)

// AppendJSON appends the brief reply.
func (i *infoItem) AppendJSON(dst []byte) []byte {
	return briefly((*environment.Info)(i)).AppendJSON(dst)
}

// AppendJSON appends the reply.
func (o *overviewItem) AppendJSON(dst []byte) []byte {
	return replyTo((*environment.Overview)(o)).AppendJSON(dst)
}

// AppendJSON appends the result of json.Marshal, for httpkit.List.
func (b briefReply) AppendJSON(dst []byte) []byte { return append(b.appendMembers(dst), '}') }

// appendMembers appends the object without its closing brace.
func (b briefReply) appendMembers(dst []byte) []byte {
	dst = jsontext.Append(append(dst, `{"id":`...), b.ID)
	dst = jsontext.Append(append(dst, `,"name":`...), b.Name)
	dst = append(dst, `,"parent":`...)
	if b.Parent == nil {
		dst = append(dst, "null"...)
	} else {
		dst = jsontext.Append(dst, *b.Parent)
	}
	dst = appendInstant(append(dst, `,"created_at":`...), b.CreatedAt)
	dst = append(dst, `,"expires_at":`...)
	if b.ExpiresAt == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendInstant(dst, *b.ExpiresAt)
	}
	dst = jsontext.Append(append(dst, `,"rate_limits":`...), b.RateLimits)
	return strconv.AppendBool(append(dst, `,"ephemeral":`...), b.Ephemeral)
}

// AppendJSON appends the result of json.Marshal, for httpkit.List.
func (e environmentReply) AppendJSON(dst []byte) []byte {
	dst = e.appendMembers(dst)
	dst = strconv.AppendInt(append(dst, `,"size_bytes":`...), e.SizeBytes, 10)
	dst = appendInstant(append(dst, `,"clock":{"now":`...), e.Clock.Now)
	dst = strconv.AppendBool(append(dst, `,"frozen":`...), e.Clock.Frozen)
	dst = append(append(dst, `},"counts":`...), e.Counts.String()...)
	return append(dst, '}')
}

// appendInstant appends a time as json.Marshal writes it.
func appendInstant(dst []byte, t time.Time) []byte {
	return append(t.AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
}
