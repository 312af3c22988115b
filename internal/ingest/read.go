package ingest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"understudy/internal/platform/ids"
	db "understudy/internal/platform/store"
)

// pageRows is how many rows a filtered list reads at a time.
const pageRows = 500

// SessionTree returns a session with the tree of its events, or with as much of
// it as a reply holds: see Forest. after is the Next of the page before, or 0.
// It returns SessionNotFound.
func (in *Ingest) SessionTree(ctx context.Context, project, id string, after int64) (s Session, tree Forest, err error) {
	if ids.IsUUID(id) {
		id = strings.ToLower(id)
	}
	if err := in.CatchUp(ctx); err != nil {
		return s, tree, err
	}
	found := false
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		s, found, err = getSession(tx, project, id, false)
		return err
	})
	if err != nil {
		return s, tree, err
	}
	if !found {
		return s, tree, SessionNotFound
	}
	tree, err = in.forest(ctx, project, &s, after)
	return s, tree, err
}

// SessionPosition is where a session stands in a list, newest first.
type SessionPosition struct {
	Started int64
	ID      string
}

// Sessions lists sessions, newest first, from below a position on when that is
// not zero. The period is that of their start. A filter by tool, model,
// customer or outcome means sessions that have such an event.
func (in *Ingest) Sessions(ctx context.Context, project string, f Filter, below SessionPosition, limit int) ([]Session, error) {
	if err := in.CatchUp(ctx); err != nil {
		return nil, err
	}
	pass := func(*Session) bool { return true }
	if f.byEvent() || f.byUser() {
		anytime := f
		anytime.From, anytime.To = 0, 0
		s, err := in.prepare(ctx, project, anytime, false)
		if err != nil {
			return nil, err
		}
		with := map[string]bool{}
		err = in.each(ctx, project, s, func(c *Columns, i int) {
			if id := c.Session.At(i); !with[id] {
				with[strings.Clone(id)] = true
			}
		})
		if err != nil {
			return nil, err
		}
		pass = func(n *Session) bool { return with[n.ID] || !f.byEvent() && n.User != "" && s.users[n.User] }
	}
	if below.ID == "" {
		below.Started = math.MaxInt64
	}
	var out []Session
	err := in.d.Events.Read(ctx, func(tx *db.Tx) error {
		for {
			page, err := sessionsBefore(tx, project, f.From, endOf(f.To), below.Started, below.ID, max(limit, pageRows))
			if err != nil {
				return err
			}
			for i := range page {
				if pass(&page[i]) {
					out = append(out, page[i])
				}
				if len(out) == limit {
					return nil
				}
			}
			if len(page) < max(limit, pageRows) {
				return nil
			}
			last := page[len(page)-1]
			below = SessionPosition{last.Started, last.ID}
		}
	})
	return out, err
}

func endOf(to int64) int64 {
	if to == 0 {
		return math.MaxInt64
	}
	return to
}

// usersOf gives the users that have an event (or, without a filter by event,
// a session) that the filter lets pass; nil means all.
func (in *Ingest) usersOf(ctx context.Context, project string, f Filter) (map[string]bool, error) {
	if err := in.CatchUp(ctx); err != nil {
		return nil, err
	}
	if !f.byEvent() && !f.byUser() && f.From == 0 && f.To == 0 {
		return nil, nil
	}
	s, err := in.prepare(ctx, project, f, true)
	if err != nil {
		return nil, err
	}
	users := map[string]bool{}
	err = in.each(ctx, project, s, func(c *Columns, i int) {
		if u := s.owner(c, i); u != "" && !users[u] {
			users[strings.Clone(u)] = true
		}
	})
	if err != nil || f.byEvent() {
		return users, err
	}
	return users, in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return sessionUsersIn(tx, project, f.From, endOf(f.To), func(user string) {
			if s.users == nil || s.users[user] {
				users[user] = true
			}
		})
	})
}

// UserPosition is where a user stands in a list, the one seen last first.
type UserPosition struct {
	Seen int64
	ID   string
}

// Users lists users, the one seen last first, from below a position on when that is not zero.
func (in *Ingest) Users(ctx context.Context, project string, f Filter, below UserPosition, limit int) ([]User, error) {
	wanted, err := in.usersOf(ctx, project, f)
	if err != nil {
		return nil, err
	}
	if below.ID == "" {
		below.Seen = math.MaxInt64
	}
	var out []User
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		for {
			page, err := usersBefore(tx, project, below.Seen, below.ID, max(limit, pageRows))
			if err != nil {
				return err
			}
			for _, u := range page {
				if wanted == nil || wanted[u.ID] {
					out = append(out, u)
				}
				if len(out) == limit {
					return nil
				}
			}
			if len(page) < max(limit, pageRows) {
				return nil
			}
			last := page[len(page)-1]
			below = UserPosition{last.LastSeen, last.ID}
		}
	})
	return out, err
}

// TraitValues are the values that a trait has, by the number of their users.
type TraitValues struct {
	Name   string
	Values []TraitValue
}

// TraitValue is one of them.
type TraitValue struct {
	Value string
	Count int64
}

// maxTraitValues bounds the values of a trait that are listed.
const maxTraitValues = 1000

// Traits lists the traits of the users that the filter lets pass.
func (in *Ingest) Traits(ctx context.Context, project string, f Filter) ([]TraitValues, error) {
	wanted, err := in.usersOf(ctx, project, f)
	if err != nil {
		return nil, err
	}
	var out []TraitValues
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return eachTrait(tx, project, func(name, value, user string) {
			if wanted != nil && !wanted[user] {
				return
			}
			if len(out) == 0 || out[len(out)-1].Name != name {
				out = append(out, TraitValues{Name: name})
			}
			t := &out[len(out)-1]
			if len(t.Values) == 0 || t.Values[len(t.Values)-1].Value != value {
				t.Values = append(t.Values, TraitValue{Value: value})
			}
			t.Values[len(t.Values)-1].Count++
		})
	})
	for i := range out {
		v := out[i].Values
		slices.SortStableFunc(v, func(a, b TraitValue) int { return cmp.Compare(b.Count, a.Count) })
		out[i].Values = v[:min(len(v), maxTraitValues)]
	}
	return out, err
}
