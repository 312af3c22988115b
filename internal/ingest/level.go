package ingest

import (
	"context"
	"slices"

	"understudy/internal/platform/budget"
)

// Level is a part of the children of one event of a session, or of its roots.
type Level struct {
	Nodes  []*Node
	Counts []int // of each node's children
	Size   int   // about the bytes of a reply with it
	Next   int64 // number of its last event when others follow, else 0
}

// Level returns the children of an event, or with parent "" the roots, in the
// order of a tree: from behind the event after on, limit at most, fewer when
// more would make a reply too long. It returns SessionNotFound and EventNotFound.
func (in *Ingest) Level(ctx context.Context, project, session, parent string, f Filter, after int64, limit int) (l Level, err error) {
	s, err := in.session(ctx, project, session)
	if err != nil {
		return l, err
	}
	at := map[int64]placed{}
	var events []Listed
	room := NewRoom(ctx)
	err = in.d.Store.Query(ctx, Query{Project: project, Sessions: []string{s.ID}, Detail: true}, func(c *Columns) (bool, error) {
		if err := room.Take(c); err != nil {
			return false, err
		}
		all, err := c.Detail()
		for i := range all {
			if all[i].Session != s.ID {
				continue
			}
			if all[i].User == "" {
				all[i].User = s.User
			}
			e := Listed{Event: all[i], Position: Position{all[i].Time, c.Number(i)}}
			at[e.Seq] = placed{c.First, e.Size()}
			e.strip()
			e.Own()
			events = append(events, e)
		}
		return true, err
	})
	if err != nil {
		return l, err
	}
	nodes, found := childrenOf(events, StoredID(parent))
	if !found {
		return l, EventNotFound
	}
	if after > 0 {
		nodes = nodes[slices.IndexFunc(nodes, func(n *Node) bool { return n.seq == after })+1:]
	}
	marked, err := in.marked(ctx, project, s.ID, f)
	if err != nil {
		return l, err
	}
	window := map[int64]*Node{}
	for i, n := range nodes {
		if i == limit || l.Size > budget.PageBytes {
			l.Next = l.Nodes[i-1].seq
			break
		}
		l.Size += at[n.seq].size
		l.Nodes, l.Counts = append(l.Nodes, n), append(l.Counts, len(n.Children))
		n.Children = nil
		n.Matches = marked[n.seq]
		window[n.seq] = n
	}
	return l, in.fill(ctx, project, window, at, false)
}

// childrenOf returns the children of an event with theirs, or the roots.
func childrenOf(events []Listed, parent string) (nodes []*Node, found bool) {
	roots := link(events)
	if parent == "" {
		return roots, true
	}
	for todo := roots; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n.ID == parent {
			return n.Children, true
		}
		todo = append(todo, n.Children...)
	}
	return nil, false
}

// marked returns the numbers of a session's events that the filter allows,
// nil when it asks for nothing.
func (in *Ingest) marked(ctx context.Context, project, session string, f Filter) (map[int64]bool, error) {
	if !f.byEvent() && !f.byUser() && !f.bySession() && len(f.Scores) == 0 && f.From == 0 && f.To == 0 {
		return nil, nil
	}
	m, err := in.match(ctx, project, f)
	if err != nil {
		return nil, err
	}
	var none bool
	m.Sessions, none = both(m.Sessions, []string{session})
	m.None = m.None || none
	numbers, err := in.d.Store.Numbers(ctx, m)
	out := make(map[int64]bool, len(numbers))
	for _, n := range numbers {
		out[n] = true
	}
	return out, err
}
