package ingest

import (
	"context"
	"slices"

	db "understudy/internal/platform/store"
)

// Filter selects events. A field with its zero value selects everything. The
// values of a list are alternatives; all fields must match.
type Filter struct {
	From, To int64 // milliseconds; To is exclusive, 0 is no end

	Tools, Names, Types, Models, Customers []string
	Sessions, Users, Clients               []string
	Success                                *bool
	Errors                                 bool     // only failures
	MinLatency                             int64    // milliseconds
	Texts                                  []string // searches, in words
	Traits                                 []Named  // of the user
	Metadata                               []Named
	Scores                                 []ScoreFilter
	Find                                   string // a part of the names of a list's rows: only of sessions and users
}

// byUser reports whether the filter selects by users.
func (f *Filter) byUser() bool { return len(f.Users)+len(f.Traits) > 0 }

// bySession reports whether the filter selects by sessions themselves.
func (f *Filter) bySession() bool { return len(f.Sessions)+len(f.Clients) > 0 }

// byEvent reports whether the filter selects by events, other than by user.
func (f *Filter) byEvent() bool {
	return len(f.Tools)+len(f.Names)+len(f.Types)+len(f.Models)+len(f.Customers)+len(f.Texts)+len(f.Metadata) > 0 ||
		f.Success != nil || f.Errors || f.MinLatency > 0
}

// rolled reports whether the roll-ups suffice.
func (f *Filter) rolled() bool {
	return !f.byUser() && !f.bySession() && len(f.Types)+len(f.Customers)+len(f.Texts)+len(f.Metadata)+len(f.Scores) == 0 && f.MinLatency == 0
}

// match resolves the names in a filter.
func (in *Ingest) match(ctx context.Context, project string, f Filter) (m Match, err error) {
	m = Match{Project: project, From: f.From, To: f.To, Types: f.Types, Models: f.Models, Customers: f.Customers,
		Sessions: f.Sessions, Success: f.Success, MinLatency: f.MinLatency, Metadata: f.Metadata, Texts: f.Texts}
	m.Names, m.None = both(f.Tools, f.Names)
	if f.Errors {
		m.None = m.None || f.Success != nil && *f.Success
		m.Success = new(bool)
	}
	if !f.byUser() && len(f.Clients)+len(f.Scores) == 0 {
		return m, nil
	}
	if f.byUser() {
		if m.Users, err = in.owned(ctx, project, f); err != nil {
			return m, err
		}
	}
	return m, in.d.Events.Read(ctx, func(tx *db.Tx) error {
		if len(f.Clients) > 0 {
			set := Set{Sessions: map[string]bool{}}
			if err := sessionsOfClients(tx, project, f.Clients, func(id string) { set.Sessions[id] = true }); err != nil {
				return err
			}
			m.Sets = append(m.Sets, set)
		}
		for _, score := range f.Scores {
			set, err := in.scoredBy(tx, project, score)
			if err != nil {
				return err
			}
			m.Sets = append(m.Sets, set)
		}
		return nil
	})
}

// both returns the intersection of two lists of alternatives. none reports that
// both have values, but none in common.
func both(a, b []string) (out []string, none bool) {
	switch {
	case len(a) == 0:
		return b, false
	case len(b) == 0:
		return a, false
	}
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out, len(out) == 0
}

// owned returns the users that a filter selects.
func (in *Ingest) owned(ctx context.Context, project string, f Filter) (*Owned, error) {
	owner, err := in.owner(ctx, project)
	if err != nil {
		return nil, err
	}
	o := &Owned{Owner: owner}
	return o, in.d.Events.Read(ctx, func(tx *db.Tx) error {
		if len(f.Users) > 0 {
			o.IDs = map[string]bool{}
			for _, u := range f.Users {
				o.IDs[u] = true
			}
		}
		for _, t := range f.Traits {
			have := map[string]bool{}
			for _, value := range t.Values {
				if err := usersWithTrait(tx, project, t.Name, value, have); err != nil {
					return err
				}
			}
			if o.IDs == nil {
				o.IDs = have
			}
			for u := range o.IDs {
				if !have[u] {
					delete(o.IDs, u)
				}
			}
		}
		return nil
	})
}
