package ingest

import (
	"context"
	"slices"
)

// Level is a page of the children of one event of a session, or of its roots.
type Level struct {
	Nodes  []*Node
	Counts []int // of each node's children
	Size   int   // about the size of a reply with it
	Next   Place // of its last event if others follow, else the zero value
}

// Level returns the children of an event, or with parent "" the roots, in the
// order of a tree: those after the place after, limit at most, fewer if more
// would make a reply too long. It returns SessionNotFound and EventNotFound.
func (in *Ingest) Level(ctx context.Context, project, session, parent string, f Filter, after Place, limit int) (l Level, err error) {
	s, err := in.session(ctx, project, session)
	if err != nil {
		return l, err
	}
	r := treeReader{in: in, ctx: ctx, project: project, session: &s, room: NewRoom(ctx)}
	t, err := r.branches(false)
	if err != nil {
		return l, err
	}
	wanted := t.roots
	if parent != "" {
		at := t.find(StoredID(parent))
		if at < 0 {
			return l, EventNotFound
		}
		wanted = t.children(at)
	}
	if after != (Place{}) {
		first := slices.IndexFunc(wanted, func(i int32) bool { return t.all[i].Compare(after) > 0 })
		if first < 0 {
			return l, nil
		}
		wanted = wanted[first:]
	}
	marked, err := in.marked(ctx, project, s.ID, f)
	if err != nil {
		return l, err
	}
	page := wanted[:min(limit, len(wanted))]
	shown, size, err := r.load(t, page)
	if err != nil {
		return l, err
	}
	l.Size = size
	for _, i := range shown {
		n := t.all[i].node
		n.Matches = marked[n.seq]
		l.Nodes, l.Counts = append(l.Nodes, n), append(l.Counts, len(t.children(i)))
	}
	if len(shown) > 0 && shown[len(shown)-1] != wanted[len(wanted)-1] {
		l.Next = t.all[shown[len(shown)-1]].Place
	}
	return l, nil
}

// marked returns the numbers of a session's events that match a filter, nil for
// an empty filter.
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
