package ingest

import (
	"context"

	db "understudy/internal/platform/store"
)

// Filter narrows what is read; zero fields do not.
type Filter struct {
	From, To                    int64 // milliseconds; To is exclusive, 0 is no end
	Tool, Model, User, Customer string
	Success                     *bool
	Traits                      []Trait // of the user; all must hold
}

// Trait is a value of a user's profile.
type Trait struct{ Name, Value string }

// byUser tells whether the filter asks for certain users.
func (f *Filter) byUser() bool { return f.User != "" || len(f.Traits) > 0 }

// byEvent tells whether the filter asks for certain events, whoever's.
func (f *Filter) byEvent() bool {
	return f.Tool != "" || f.Model != "" || f.Customer != "" || f.Success != nil
}

// raw tells whether the roll-ups cannot answer.
func (f *Filter) raw() bool { return f.byUser() || f.Customer != "" }

// scan is a filter made ready for one project.
type scan struct {
	f            Filter
	users        map[string]bool   // whom the filter asks for; nil for all
	sessionUsers map[string]string // the users of sessions, when they matter
}

// prepare looks up what the filter names. owners is set when the caller wants
// to know the user of each event.
func (in *Ingest) prepare(ctx context.Context, project string, f Filter, owners bool) (*scan, error) {
	s := &scan{f: f}
	err := in.d.Events.Read(ctx, func(tx *db.Tx) error {
		if f.User != "" {
			s.users = map[string]bool{f.User: true}
		}
		for _, t := range f.Traits {
			have, err := usersWithTrait(tx, project, t.Name, t.Value)
			if err != nil {
				return err
			}
			for u := range s.users {
				if !have[u] {
					delete(s.users, u)
				}
			}
			if s.users == nil {
				s.users = have
			}
		}
		if !owners && !f.byUser() {
			return nil
		}
		s.sessionUsers = map[string]string{}
		return sessionUsers(tx, project, func(session, user string) { s.sessionUsers[session] = user })
	})
	return s, err
}

// owner gives the user of a row: the event's own, else the session's.
func (s *scan) owner(c *Columns, i int) string {
	if u := c.User.At(i); u != "" {
		return u
	}
	return s.sessionUsers[c.Session.At(i)]
}

// rows calls fn for each row of a group that the filter lets pass.
func (s *scan) rows(c *Columns, fn func(i int)) {
	tool, ok := place(&c.Name, s.f.Tool)
	if !ok {
		return
	}
	model, ok := place(&c.Model, s.f.Model)
	if !ok {
		return
	}
	customer, ok := place(&c.Customer, s.f.Customer)
	if !ok {
		return
	}
	var users, sessions []bool
	if s.users != nil {
		if users, sessions = s.allowed(c); users == nil {
			return
		}
	}
	whole := c.Min >= s.f.From && (s.f.To == 0 || c.Max < s.f.To)
	for i := range c.N {
		if !whole && (c.Time[i] < s.f.From || s.f.To != 0 && c.Time[i] >= s.f.To) {
			continue
		}
		if tool >= 0 && c.Name.Of(i) != tool || model >= 0 && c.Model.Of(i) != model || customer >= 0 && c.Customer.Of(i) != customer {
			continue
		}
		if s.f.Success != nil && *s.f.Success != (c.Flags[i]&FlagSuccess != 0) {
			continue
		}
		if users != nil && !users[c.User.Of(i)] && (c.User.At(i) != "" || !sessions[c.Session.Of(i)]) {
			continue
		}
		fn(i)
	}
}

// place finds a text in a dictionary: -1 when none is asked for, not ok when it is not there.
func place(d *Dict, text string) (int, bool) {
	if text == "" {
		return -1, true
	}
	for i, v := range d.Values {
		if v == text {
			return i, true
		}
	}
	return 0, false
}

// allowed tells for each user of a group, and for each session of an event
// without one, whether the filter asks for it; nil when for none.
func (s *scan) allowed(c *Columns) (users, sessions []bool) {
	users, sessions = make([]bool, len(c.User.Values)), make([]bool, len(c.Session.Values))
	any := false
	for i, u := range c.User.Values {
		if u != "" {
			users[i] = s.users[u]
			any = any || users[i]
			continue
		}
		for j, id := range c.Session.Values {
			sessions[j] = s.users[s.sessionUsers[id]]
			any = any || sessions[j]
		}
	}
	if !any {
		return nil, nil
	}
	return users, sessions
}

// each runs a scan over a project's events.
func (in *Ingest) each(ctx context.Context, project string, s *scan, fn func(c *Columns, i int)) error {
	return in.d.Store.Query(ctx, Query{Project: project, From: s.f.From, To: s.f.To}, func(c *Columns) (bool, error) {
		s.rows(c, func(i int) { fn(c, i) })
		return true, nil
	})
}
