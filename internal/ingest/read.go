package ingest

import (
	"context"
	"math"
	"slices"

	"understudy/internal/platform/budget"
	db "understudy/internal/platform/store"
)

// A filtered list reads pageRows rows first, then more at a time, up to maxPageRows.
const (
	pageRows    = 500
	maxPageRows = 16 * pageRows
)

// SessionTree returns a session with the tree of its events, or with as much of
// it as fits in a reply: see Forest. after is the Next of the page before, or nil.
// The filter marks events and leaves none out. With summary, long texts are
// previews. It returns SessionNotFound.
func (in *Ingest) SessionTree(ctx context.Context, project, id string, f Filter, after []Place, summary bool) (s Session, tree Forest, err error) {
	if s, err = in.session(ctx, project, id); err != nil {
		return s, tree, err
	}
	if tree, err = in.forest(ctx, project, &s, after, summary); err != nil {
		return s, tree, err
	}
	marked, err := in.marked(ctx, project, s.ID, f)
	if len(marked) > 0 {
		markNodes(tree.Roots, marked)
	}
	return s, tree, err
}

func markNodes(nodes []*Node, marked map[int64]bool) {
	for _, n := range nodes {
		n.Matches = marked[n.seq]
		markNodes(n.Children, marked)
	}
}

// session returns a session. It returns SessionNotFound.
func (in *Ingest) session(ctx context.Context, project, id string) (s Session, err error) {
	if _, err := refresh(ctx, in); err != nil {
		return s, err
	}
	found := false
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		s, found, err = getSession(tx, project, StoredID(id), false)
		return err
	})
	if err == nil && !found {
		err = SessionNotFound
	}
	if err != nil {
		return s, err
	}
	one := []Session{s}
	err = in.costs(ctx, project, one)
	return one[0], err
}

// costs computes the costs of sessions.
func (in *Ingest) costs(ctx context.Context, project string, sessions []Session) error {
	prices, err := in.Prices(ctx, project)
	if err != nil || len(prices) == 0 || len(sessions) == 0 {
		return err
	}
	m := Match{Project: project}
	for i := range sessions {
		m.Sessions = append(m.Sessions, sessions[i].ID)
	}
	groups, err := in.d.Store.Sum(ctx, Sum{Match: m, By: BySession, Prices: prices})
	for i := range groups {
		for j := range sessions {
			if sessions[j].ID == groups[i].Key {
				sessions[j].Cost = groups[i].Cost
			}
		}
	}
	return err
}

// SessionPosition is the position of a session in a list, newest first.
type SessionPosition struct {
	Started int64
	ID      string
}

// Sessions lists sessions, newest first: at most limit of them, and fewer when
// more would make a reply too long. It begins below a position when that is not
// zero. more reports whether others may follow. The filter's period is that of
// their start. A filter on fields of events selects the sessions that have such
// an event, of any time.
func (in *Ingest) Sessions(ctx context.Context, project string, f Filter, below SessionPosition, limit int) (out []Session, more bool, err error) {
	if _, err := refresh(ctx, in); err != nil {
		return nil, false, err
	}
	p, err := in.sessionFilter(ctx, project, f)
	if err != nil || p.m.None {
		return nil, false, err
	}
	if below.ID == "" {
		below.Started = math.MaxInt64
	}
	filled := 0
	for rows := max(limit+1, pageRows); ; rows = min(rows*4, maxPageRows) {
		page, ended, err := in.sessionRows(ctx, project, f, below, rows)
		if err != nil {
			return nil, false, err
		}
		pass, err := p.passing(ctx, page, rows)
		if err != nil {
			return nil, false, err
		}
		for i := range page {
			if !pass(&page[i]) {
				continue
			}
			if len(out) == limit || filled >= budget.PageBytes {
				return out, true, in.costs(ctx, project, out)
			}
			out, filled = append(out, page[i]), filled+page[i].bytes
		}
		if ended {
			return out, false, in.costs(ctx, project, out)
		}
		last := page[len(page)-1]
		below = SessionPosition{last.Started, last.ID}
	}
}

// sessionRows reads sessions below a position, until they fill a page.
func (in *Ingest) sessionRows(ctx context.Context, project string, f Filter, below SessionPosition, rows int) (page []Session, ended bool, err error) {
	ctx, release := context.WithCancel(ctx) // most rows are dropped
	defer release()
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		page, ended, err = sessionsBefore(tx, budget.NewPage(ctx), project, f.From, endOf(f.To), f.Find, below.Started, below.ID, rows)
		return err
	})
	return page, ended, err
}

// sessionFilter reports which sessions match a filter, page by page.
type sessionFilter struct {
	in    *Ingest
	f     Filter
	m     Match           // of their events, at any time
	found map[string]bool // all sessions with such an event, after they were searched
}

func (in *Ingest) sessionFilter(ctx context.Context, project string, f Filter) (*sessionFilter, error) {
	anytime := f
	anytime.From, anytime.To = 0, 0
	m, err := in.match(ctx, project, anytime)
	return &sessionFilter{in: in, f: f, m: m}, err
}

// passing finds the sessions of a page that have events that match. When pages
// grow long, few sessions match: then it reads all events, once.
func (p *sessionFilter) passing(ctx context.Context, page []Session, rows int) (func(*Session) bool, error) {
	ofEvents := p.f.byEvent() || p.f.byUser() || len(p.f.Scores) > 0
	with := p.found
	if ofEvents && with == nil {
		m := p.m
		if all := rows >= maxPageRows; !all {
			m.Sessions = nil
			for i := range page {
				if p.own(&page[i]) {
					m.Sessions = append(m.Sessions, page[i].ID)
				}
			}
			m.None = len(m.Sessions) == 0
		}
		groups, err := p.in.d.Store.Sum(ctx, Sum{Match: m, By: BySession})
		if err != nil {
			return nil, err
		}
		with = make(map[string]bool, len(groups))
		for i := range groups {
			with[groups[i].Key] = true
		}
		if rows >= maxPageRows {
			p.found = with
		}
	}
	return func(s *Session) bool {
		return p.own(s) && (!ofEvents || with[s.ID] || !p.f.byEvent() && p.ofUser(s) && p.scored(s))
	}, nil
}

// own reports whether a session itself matches, regardless of its events.
func (p *sessionFilter) own(s *Session) bool {
	return (len(p.f.Sessions) == 0 || slices.Contains(p.f.Sessions, s.ID)) &&
		(len(p.f.Clients) == 0 || slices.Contains(p.f.Clients, s.Client))
}

// ofUser reports whether a session is of a user in the filter.
func (p *sessionFilter) ofUser(s *Session) bool {
	return p.m.Users == nil || s.User != "" && p.m.Users.IDs[s.User]
}

// scored reports whether a session itself has the scores in the filter.
func (p *sessionFilter) scored(s *Session) bool {
	sets := p.m.Sets
	if len(p.f.Clients) > 0 {
		sets = sets[1:]
	}
	for i := range sets {
		if !sets[i].Sessions[s.ID] {
			return false
		}
	}
	return true
}

func endOf(to int64) int64 {
	if to == 0 {
		return math.MaxInt64
	}
	return to
}

// usersOf returns the users that have an event (or, without a filter by event, a
// session) that matches; nil means all.
func (in *Ingest) usersOf(ctx context.Context, project string, f Filter) (map[string]bool, error) {
	if _, err := refresh(ctx, in); err != nil {
		return nil, err
	}
	other := f.byEvent() || f.bySession() || len(f.Scores) > 0
	if !other && !f.byUser() && f.From == 0 && f.To == 0 {
		return nil, nil
	}
	m, err := in.match(ctx, project, f)
	if err != nil {
		return nil, err
	}
	owner, err := in.owner(ctx, project)
	if err != nil {
		return nil, err
	}
	groups, err := in.d.Store.Sum(ctx, Sum{Match: m, By: ByUser, Owner: owner})
	if err != nil {
		return nil, err
	}
	users := map[string]bool{}
	for i := range groups {
		if u := groups[i].Key; u != "" && (m.Users == nil || m.Users.IDs[u]) {
			users[u] = true
		}
	}
	if other {
		return users, nil
	}
	return users, in.d.Events.Read(ctx, func(tx *db.Tx) error {
		return sessionUsersIn(tx, project, f.From, endOf(f.To), func(user string) {
			if m.Users == nil || m.Users.IDs[user] {
				users[user] = true
			}
		})
	})
}

// UserPosition is the position of a user in a list, last seen first.
type UserPosition struct {
	Seen int64
	ID   string
}

// Users lists users, last seen first: at most limit of them, and fewer when more
// would make a reply too long. It begins below a position when that is not zero.
// more reports whether others may follow.
func (in *Ingest) Users(ctx context.Context, project string, f Filter, below UserPosition, limit int) (out []User, more bool, err error) {
	wanted, err := in.usersOf(ctx, project, f)
	if err != nil {
		return nil, false, err
	}
	if below.ID == "" {
		below.Seen = math.MaxInt64
	}
	filled := 0
	for list := budget.NewPage(ctx); ; list = list.Again() {
		var page []User
		var ended bool
		err := in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
			page, ended, err = usersBefore(tx, list, project, f.Find, below.Seen, below.ID, max(limit+1, pageRows))
			return err
		})
		if err != nil {
			return nil, false, err
		}
		for _, u := range page {
			if wanted != nil && !wanted[u.ID] {
				continue
			}
			if len(out) == limit || filled >= budget.PageBytes {
				return out, true, nil
			}
			out, filled = append(out, u), filled+u.bytes
		}
		if ended {
			return out, false, nil
		}
		last := page[len(page)-1]
		below = UserPosition{last.LastSeen, last.ID}
	}
}
