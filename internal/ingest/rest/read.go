package rest

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/ingest"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/page"
)

// listSessions serves GET /api/v1/sessions.
func (h *Handler) listSessions(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	position, limit, err := paging(q.values, "session")
	if err != nil {
		return err
	}
	var below ingest.SessionPosition
	if below.Started, below.ID, err = numbered(position); err != nil {
		return err
	}
	summary, err := choice(q.values, "view", "full", "summary")
	if err != nil {
		return err
	}
	q.Find = q.values.Get("find")
	found, more, err := h.d.Ingest.Sessions(r.Context(), q.project, q.Filter, below, limit)
	if err != nil {
		return err
	}
	shown := make([]*ingest.Session, len(found))
	for i := range found {
		shown[i] = &found[i]
	}
	if err := h.d.Ingest.ShowSessionScores(r.Context(), q.project, shown); err != nil {
		return err
	}
	next := ""
	if more && len(found) > 0 {
		last := &found[len(found)-1]
		next = page.Encode("session", strconv.FormatInt(last.Started, 10)+","+last.ID)
	}
	b := []byte(`{"sessions":[`)
	for i := range found {
		var cut *ingest.SessionLengths
		if summary == 1 {
			cut = found[i].Summarize()
		}
		b = appendSession(comma(b, i), &found[i], cut)
	}
	reply(w, http.StatusOK, endList(b, next))
	return nil
}

// showSession serves GET /api/v1/sessions/{id}.
func (h *Handler) showSession(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	position, _, err := paging(q.values, "branch")
	if err != nil {
		return err
	}
	after, err := places(position)
	if err != nil {
		return err
	}
	summary, err := choice(q.values, "view", "full", "summary")
	if err != nil {
		return err
	}
	s, tree, err := h.d.Ingest.SessionTree(r.Context(), q.project, r.PathValue("id"), q.Filter, after, summary == 1)
	if err != nil {
		return err
	}
	if err := h.d.Ingest.ShowSessionScores(r.Context(), q.project, []*ingest.Session{&s}); err != nil {
		return err
	}
	if err := showScores(r.Context(), h, q, eventsOf(tree.Roots, nil), summary == 1); err != nil {
		return err
	}
	b := appendSession(append(make([]byte, 0, tree.Size+4096), `{"session":`...), &s, nil)
	b = append(b, `,"tree":`...)
	b = appendTrees(b, tree.Roots)
	if tree.Next != nil {
		b = append(b, `,"next_cursor":`...)
		b = jsontext.Append(b, placeCursor("branch", tree.Next))
	}
	b = append(b, '}')
	reply(w, http.StatusOK, b)
	return nil
}

// showLevel serves GET /api/v1/sessions/{id}/tree.
func (h *Handler) showLevel(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	position, limit, err := paging(q.values, "sibling")
	if err != nil {
		return err
	}
	path, err := places(position)
	if err != nil || len(path) > 1 {
		return cmp.Or(err, badCursor())
	}
	var after ingest.Place
	if len(path) == 1 {
		after = path[0]
	}
	l, err := h.d.Ingest.Level(r.Context(), q.project, r.PathValue("id"), q.values.Get("parent"), q.Filter, after, limit)
	if err != nil {
		return err
	}
	if err := showScores(r.Context(), h, q, eventsOf(l.Nodes, nil), false); err != nil {
		return err
	}
	b := append(make([]byte, 0, l.Size+1024), `{"children":[`...)
	for i, n := range l.Nodes {
		b = appendNode(append(comma(b, i), '{'), n)
		b = append(appendInt(b, "child_count", int64(l.Counts[i])), '}')
	}
	next := ""
	if l.Next != (ingest.Place{}) {
		next = placeCursor("sibling", []ingest.Place{l.Next})
	}
	reply(w, http.StatusOK, endList(b, next))
	return nil
}

// placeCursor returns a cursor of a kind that contains the path of an event in a
// tree.
func placeCursor(kind string, path []ingest.Place) string {
	var b []byte
	for i, p := range path {
		if i > 0 {
			b = append(b, ';')
		}
		b = strconv.AppendInt(append(strconv.AppendInt(b, p.Start, 10), ','), p.Seq, 10)
	}
	return page.Encode(kind, string(b))
}

// places reads the path from the position of a cursor that placeCursor returned. It
// returns nil for an empty position, and badRequest for an invalid one.
func places(position string) (path []ingest.Place, err error) {
	if position == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(position, ";") {
		start, seq, err := numbered(part)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(seq, 10, 64)
		if err != nil || part == "" {
			return nil, badCursor()
		}
		path = append(path, ingest.Place{Start: start, Seq: n})
	}
	return path, nil
}

// listEvents serves GET /api/v1/events.
func (h *Handler) listEvents(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	position, limit, err := paging(q.values, "event")
	if err != nil {
		return err
	}
	var below ingest.Position
	at, seq, err := numbered(position)
	if err != nil {
		return err
	}
	if below.Time = at; seq != "" {
		if below.Seq, err = strconv.ParseInt(seq, 10, 64); err != nil {
			return badCursor()
		}
	}
	summary, err := choice(q.values, "view", "full", "summary")
	if err != nil {
		return err
	}
	found, more, err := h.d.Ingest.Events(r.Context(), q.project, q.Filter, below, limit, summary == 1)
	if err != nil {
		return err
	}
	if err := showScores(r.Context(), h, q, listed(found), summary == 1); err != nil {
		return err
	}
	next, size := "", 64
	for i := range found {
		size += found[i].Size()
	}
	if more && len(found) > 0 {
		last := found[len(found)-1].Position
		next = page.Encode("event", strconv.FormatInt(last.Time, 10)+","+strconv.FormatInt(last.Seq, 10))
	}
	b := append(make([]byte, 0, size), `{"events":[`...)
	for i := range found {
		b = append(comma(b, i), '{')
		b = append(appendListed(b, &found[i]), '}')
	}
	reply(w, http.StatusOK, endList(b, next))
	return nil
}

// showScores fills in the scores of events; with summary, their comments are previews.
func showScores(ctx context.Context, h *Handler, q *readRequest, events []*ingest.Event, summary bool) error {
	err := h.d.Ingest.ShowScores(ctx, q.project, events)
	if summary {
		for _, e := range events {
			ingest.PreviewComments(e.Scores)
		}
	}
	return err
}

// listed returns the events of a list.
func listed(found []ingest.Listed) []*ingest.Event {
	events := make([]*ingest.Event, len(found))
	for i := range found {
		events[i] = &found[i].Event
	}
	return events
}

// showEvent serves GET /api/v1/events/{id}.
func (h *Handler) showEvent(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	summary, err := choice(q.values, "view", "full", "summary")
	if err != nil {
		return err
	}
	e, err := h.d.Ingest.Event(r.Context(), q.project, r.PathValue("id"))
	if err != nil {
		return err
	}
	if summary == 1 {
		e.Summarize()
	}
	if err := showScores(r.Context(), h, q, []*ingest.Event{&e.Event}, summary == 1); err != nil {
		return err
	}
	b := append(make([]byte, 0, e.Size()+64), `{"event":{`...)
	b = append(appendListed(b, &e), '}', '}')
	reply(w, http.StatusOK, b)
	return nil
}

// eventsOf appends all events of trees to out.
func eventsOf(nodes []*ingest.Node, out []*ingest.Event) []*ingest.Event {
	for _, n := range nodes {
		out = eventsOf(n.Children, append(out, &n.Event))
	}
	return out
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func endList(b []byte, next string) []byte {
	b = append(b, `],"next_cursor":`...)
	return append(jsontext.Append(b, next), '}')
}

// listUsers serves GET /api/v1/users.
func (h *Handler) listUsers(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	position, limit, err := paging(q.values, "user")
	if err != nil {
		return err
	}
	var below ingest.UserPosition
	if below.Seen, below.ID, err = numbered(position); err != nil {
		return err
	}
	q.Find = q.values.Get("find")
	found, more, err := h.d.Ingest.Users(r.Context(), q.project, q.Filter, below, limit)
	if err != nil {
		return err
	}
	sums, err := choice(q.values, "sums", "false", "true")
	if err != nil {
		return err
	}
	var did []ingest.UserSums
	if sums == 1 {
		if did, err = ingest.SumUsers(r.Context(), h.d.Ingest, q.project, q.Filter, found); err != nil {
			return err
		}
	}
	next := ""
	if more && len(found) > 0 {
		last := &found[len(found)-1]
		next = page.Encode("user", strconv.FormatInt(last.LastSeen, 10)+","+last.ID)
	}
	out := make([]shownUser, len(found))
	for i, u := range found {
		out[i] = shownUser{UserID: u.ID, Traits: u.Traits, FirstSeen: u.FirstSeen, LastSeen: u.LastSeen}
		if did != nil {
			out[i].shownUserSums = &shownUserSums{did[i].Sessions, did[i].Events, did[i].Errors, did[i].InputTokens, did[i].OutputTokens}
		}
	}
	return replyJSON(w, http.StatusOK, map[string]any{"users": out, "next_cursor": next})
}

// listTraits serves GET /api/v1/traits.
func (h *Handler) listTraits(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	after, err := page.Decode("trait", q.values.Get("cursor"))
	if err != nil {
		return badCursor()
	}
	found, more, err := h.d.Ingest.Traits(r.Context(), q.project, q.Filter, after)
	if err != nil {
		return err
	}
	next := ""
	if more {
		next = page.Encode("trait", found[len(found)-1].Name)
	}
	out := make([]shownTrait, len(found))
	for i, t := range found {
		out[i] = shownTrait{Name: t.Name, Values: make([]shownValue, len(t.Values))}
		for j, v := range t.Values {
			out[i].Values[j] = shownValue(v)
		}
	}
	return replyJSON(w, http.StatusOK, traitList{out, next})
}
