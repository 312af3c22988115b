package ingest

import (
	"context"
	"encoding/json"
	"strings"

	"understudy/internal/ingest/seed"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// Seeding applies a seed document to the default project.
type Seeding struct {
	in  *Ingest
	doc seed.Document
	now int64 // milliseconds
}

// ReadSeed reads a part of a seed document; it reports errors to r.
func (in *Ingest) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) *Seeding {
	g := &Seeding{in: in, now: r.Now.UnixMilli()}
	r.Read(part, at, &g.doc)
	c := &checker{Reader: r, keys: map[string]*seed.Event{}, ids: map[string]bool{}, above: map[*seed.Event]*seed.Event{}}
	sessions := map[string]bool{}
	for i := range g.doc.Sessions {
		s := &g.doc.Sessions[i].Value
		id := strings.ToLower(s.ID)
		if id != "" && sessions[id] {
			r.Refuse(s.In("id"), "another session of the document has this id")
		}
		sessions[id] = true
		c.check(s.Events, nil)
	}
	c.circles()
	return g
}

// checker checks the events of a document together.
type checker struct {
	*seeddoc.Reader
	keys  map[string]*seed.Event
	ids   map[string]bool
	above map[*seed.Event]*seed.Event
	asked []*seed.Event // those that name their parent
}

func (c *checker) check(events []seed.Event, above *seed.Event) {
	for i := range events {
		e := &events[i]
		id := strings.ToLower(e.ID)
		if e.Key != "" && c.keys[e.Key] != nil {
			c.Refuse(e.In("key"), "another event has this key")
		}
		if id != "" && c.ids[id] {
			c.Refuse(e.In("id"), "another event of the document has this id")
		}
		c.keys[e.Key], c.ids[id], c.above[e] = e, true, above
		if e.Parent.Name != "" {
			c.asked = append(c.asked, e)
		}
		c.notNegative(e, "latency_ms", e.LatencyMS)
		c.notNegative(e, "input_tokens", e.InputTokens)
		c.notNegative(e, "output_tokens", e.OutputTokens)
		c.check(e.Children, e)
	}
}

// circles rejects events whose parents form a cycle: no tree would show them.
func (c *checker) circles() {
	for _, e := range c.asked {
		if c.above[e] == nil {
			c.above[e] = c.keys[e.Parent.Name]
		}
	}
	seen := map[*seed.Event]*seed.Event{} // the first event whose path to the root reached an event
	for _, e := range c.asked {
		up := e
		for ; up != nil && seen[up] == nil; up = c.above[up] {
			seen[up] = e
		}
		if up != nil && seen[up] == e {
			c.Refuse(e.Parent.Pos, "the event would be its own ancestor")
		}
	}
}

// notNegative rejects a negative number, because -1 means that a number was left
// out.
func (c *checker) notNegative(e *seed.Event, name string, n *int64) {
	if n != nil && *n < 0 {
		c.Refuse(e.In(name), "must be 0 or more")
	}
}

// Seeded is the sessions and events of a seed document, by the document's own
// names.
type Seeded struct {
	Sessions map[string]SeededSession `json:"sessions"`
	Events   map[string]SeededEvent   `json:"events"` // those with a key
}

// SeededSession is a session that a document names.
type SeededSession struct {
	ID string `json:"session_id"`
}

// SeededEvent is an event that a document names.
type SeededEvent struct {
	ID      string `json:"event_id"`
	Session string `json:"session_id"`
}

// seeder collects the sessions and events of a document.
type seeder struct {
	*Seeding
	project  string
	sessions []Session
	events   []Event
	made     Seeded
}

// Apply stores the sessions and events of the document. It checks all of them
// before it writes the first row, and writes in one transaction of the events'
// database. It returns seeddoc.Invalid with the place of the error.
func (g *Seeding) Apply(ctx context.Context, _ *store.Tx) (any, error) {
	w := &seeder{Seeding: g, project: g.in.DefaultProject(), made: Seeded{map[string]SeededSession{}, map[string]SeededEvent{}}}
	for i := range g.doc.Sessions {
		w.name(&g.doc.Sessions[i].Value)
	}
	for i := range g.doc.Sessions {
		e := &g.doc.Sessions[i]
		if err := w.seedSession(e.Name, &e.Value); err != nil {
			return nil, err
		}
	}
	err := g.in.d.Store.AppendWith(ctx, w.project, func(tx *store.Tx) ([]Event, error) {
		for i := range w.sessions {
			if err := g.in.putSession(tx, w.project, w.sessions[i], g.now); err != nil {
				return nil, g.doc.Sessions[i].Blame(err)
			}
		}
		return w.events, nil
	})
	g.in.follow()
	return w.made, err
}

// name sets the ids of a session and its events, so that each can refer to any.
// Applying the document again results in the same ids.
func (w *seeder) name(s *seed.Session) {
	if s.ID == "" {
		s.ID = w.in.d.IDs.UUID()
	}
	w.nameEvents(s.ID, s.Events)
}

func (w *seeder) nameEvents(session string, events []seed.Event) {
	for i := range events {
		e := &events[i]
		if e.ID == "" {
			e.ID = w.in.d.IDs.UUID()
		}
		if e.Key != "" {
			w.made.Events[e.Key] = SeededEvent{e.ID, session}
		}
		w.nameEvents(session, e.Children)
	}
}

func (w *seeder) seedSession(name string, in *seed.Session) error {
	s := Session{ID: in.ID, User: in.User, Traits: Members(in.Traits), Client: in.Client, Metadata: Members(in.Metadata), Started: in.Started.Micros / 1000, Registered: true}
	if s.Started == 0 {
		s.Started = w.now
		for _, e := range in.Events {
			if e.At.Micros != 0 {
				s.Started = min(s.Started, e.At.Micros/1000)
			}
		}
	}
	if err := w.in.CheckSession(&s, false); err != nil {
		return in.Blame(err)
	}
	w.sessions = append(w.sessions, s)
	w.made.Sessions[name] = SeededSession{s.ID}
	return w.seedEvents(in.Events, Event{Session: s.ID, Time: s.Started})
}

// seedEvents adds events below another, whose id is empty at the top of a
// session.
func (w *seeder) seedEvents(events []seed.Event, above Event) error {
	for i := range events {
		in := &events[i]
		e, err := w.event(in, above)
		if err != nil {
			return err
		}
		w.events = append(w.events, e)
		if err := w.seedEvents(in.Children, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *seeder) event(in *seed.Event, above Event) (Event, error) {
	e := Event{ID: in.ID, Session: above.Session, Parent: above.ID, Name: in.Name, Type: in.Type, Model: in.Model, Customer: in.Customer,
		User: in.User, Args: textOf(in.Args), Result: textOf(in.Result), Success: !in.Failed, Time: above.Time,
		Latency: orAbsent(in.LatencyMS), InputTokens: orAbsent(in.InputTokens), OutputTokens: orAbsent(in.OutputTokens)}
	if in.At.Micros != 0 {
		e.Time = in.At.Micros / 1000
	}
	if in.Parent.Name != "" {
		parent, ok := w.made.Events[in.Parent.Name]
		switch {
		case above.ID != "":
			return e, in.Parent.Refuse("the event is listed as a child of another event already")
		case !ok:
			return e, in.Parent.Refuse("there is no event %q in the document", in.Parent.Name)
		case parent.Session != e.Session:
			return e, in.Parent.Refuse("the event %s is of another session", in.Parent.Name)
		}
		e.Parent = parent.ID
	}
	if len(in.Metadata) > 0 {
		e.Metadata = string(membersText(Members(in.Metadata)))
	}
	if len(in.Checkpoints) > 0 {
		marks := make([]mark, len(in.Checkpoints))
		for i, c := range in.Checkpoints {
			marks[i] = mark{c.Name, c.OffsetMS, c.Metadata}
		}
		text, err := json.Marshal(marks)
		if err != nil {
			return e, in.In("checkpoints").Refuse("cannot be written")
		}
		e.Checkpoints = string(text)
	}
	return e, in.Blame(w.in.CheckEvent(&e, false, w.now))
}

// mark is a checkpoint as the agnost client sends it.
type mark struct {
	Name      string                     `json:"name"`
	Timestamp float64                    `json:"timestamp"`
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
}

func orAbsent(n *int64) int64 {
	if n == nil {
		return Absent
	}
	return *n
}

// textOf returns a text unchanged, and any other value as JSON.
func textOf(raw []byte) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
