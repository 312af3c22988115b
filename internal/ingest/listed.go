package ingest

import (
	"context"
	"unicode/utf8"

	"understudy/internal/platform/budget"
)

// Position is the position of an event in a list, newest first.
type Position struct{ Time, Seq int64 }

// Less reports whether p follows o in a list, newest first.
func (p Position) Less(o Position) bool {
	return p.Time < o.Time || p.Time == o.Time && p.Seq < o.Seq
}

// Listed is an event in a list.
type Listed struct {
	Event
	Position
	// Cut is set if the long texts are previews: the lengths of the whole texts.
	Cut *Lengths
}

// Lengths are the sizes of an event's texts in bytes.
type Lengths struct{ Args, Result, Metadata, Checkpoints int }

// previewLetters is the length of a text in a summary.
const previewLetters = 200

// Summarize shortens the long texts to previews. It keeps the names and offsets
// of checkpoints.
func (e *Listed) Summarize() {
	e.Cut = &Lengths{len(e.Args), len(e.Result), len(e.Metadata), len(e.Checkpoints)}
	e.marks = e.Timeline()
	for i := range e.marks {
		e.marks[i].Metadata = nil
	}
	e.Args, e.Result = preview(e.Args), preview(e.Result)
	if utf8.RuneCountInString(e.Metadata) > previewLetters {
		e.Metadata = ""
	}
	e.Checkpoints = ""
}

// SessionLengths are the sizes of a session's objects as JSON, in bytes.
type SessionLengths struct{ Traits, Metadata, Attributes int }

// Summarize leaves out long traits, metadata and attributes, and shortens the comments
// of scores to previews. It returns the lengths of what the session had.
func (s *Session) Summarize() *SessionLengths {
	var cut SessionLengths
	for _, m := range [...]struct {
		of *Members
		n  *int
	}{{&s.Traits, &cut.Traits}, {&s.Metadata, &cut.Metadata}, {&s.Attributes, &cut.Attributes}} {
		if len(*m.of) == 0 {
			continue
		}
		text := membersText(*m.of)
		if *m.n = len(text); utf8.RuneCount(text) > previewLetters {
			*m.of = nil
		}
	}
	PreviewComments(s.Scores)
	return &cut
}

// PreviewComments shortens the comments of scores in a summary to previews.
func PreviewComments(scores []Score) {
	for i := range scores {
		scores[i].Comment = preview(scores[i].Comment)
	}
}

func preview(s string) string {
	n := 0
	for i := range s {
		if n == previewLetters {
			return s[:i]
		}
		n++
	}
	return s
}

// Room is the memory that one request reserves for payloads: nothing while they
// are small, else enough for a whole page and its reply.
type Room struct {
	ctx   context.Context
	bytes int
	held  bool
}

// NewRoom returns the reservation of the request that ctx belongs to.
func NewRoom(ctx context.Context) *Room { return &Room{ctx: ctx} }

const (
	fewBytes  = 1 << 20
	roomBytes = 3 * budget.PageBytes
)

// Take reserves memory for the Detail of a group. It returns the errors of
// budget.Work.
func (r *Room) Take(c *Columns) error {
	if r.bytes += c.Bytes; r.held || r.bytes <= fewBytes {
		return nil
	}
	r.held = true
	return budget.Work(r.ctx, roomBytes)
}
