package ingest

import (
	"context"
	"unicode/utf8"

	"understudy/internal/platform/budget"
)

// Position is where an event stands in a list, newest first.
type Position struct{ Time, Seq int64 }

// Less reports whether p stands behind o in a list, newest first.
func (p Position) Less(o Position) bool {
	return p.Time < o.Time || p.Time == o.Time && p.Seq < o.Seq
}

// Listed is an event in a list.
type Listed struct {
	Event
	Position
	// Cut is set when the long texts are previews of those that the event has.
	Cut *Lengths
}

// Lengths are the bytes of an event's texts.
type Lengths struct{ Args, Result, Metadata, Checkpoints int }

// previewLetters is how much of a text a summary shows.
const previewLetters = 200

// Summarize cuts the long texts to previews. Of checkpoints their names and
// offsets stay.
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

// Room is the memory that one request holds for payloads: nothing while they
// are few, else once all that a page and its reply take.
type Room struct {
	ctx   context.Context
	bytes int
	held  bool
}

// NewRoom returns the room of the request that ctx belongs to.
func NewRoom(ctx context.Context) *Room { return &Room{ctx: ctx} }

const (
	fewBytes  = 1 << 20
	roomBytes = 3 * budget.PageBytes
)

// Take makes room for what Detail of a group builds. It returns what budget.Work returns.
func (r *Room) Take(c *Columns) error {
	if r.bytes += c.Bytes; r.held || r.bytes <= fewBytes {
		return nil
	}
	r.held = true
	return budget.Work(r.ctx, roomBytes)
}
