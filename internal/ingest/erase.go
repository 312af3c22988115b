package ingest

import (
	"context"
	"errors"
	"slices"

	"understudy/internal/platform/fault"
	db "understudy/internal/platform/store"
)

// UserNotFound is the error of erasing a user without stored data.
var UserNotFound = fault.New(fault.NotFound, "user_not_found", "There is no user with this id.")

// Erased names the removed sessions and user of an erasure.
type Erased struct {
	Sessions []string // whole sessions
	User     string   // or ""
}

// Holders are the numbers of snapshots and forks that contain something.
type Holders struct {
	Snapshots int `json:"snapshots"`
	Forks     int `json:"forks"`
}

// Erase erases a session with all its events, or a user: the profile, the
// sessions of the user, and the user's events in the sessions of others. When it
// returns, no reply contains them; they are removed from the disk soon after. It
// returns what was erased, and SessionNotFound or UserNotFound.
func (in *Ingest) Erase(ctx context.Context, project string, what Erased) (Erased, error) {
	return in.erase(ctx, project, func(tx *db.Tx) (Erased, error) { return find(tx, project, what) })
}

// find returns what is erased with a session, or with a user.
func find(tx *db.Tx, project string, what Erased) (Erased, error) {
	if what.User == "" {
		_, found, err := getSession(tx, project, what.Sessions[0], false)
		if err == nil && !found {
			err = SessionNotFound
		}
		return what, err
	}
	sessions, err := sessionsOfUser(tx, project, what.User)
	if err != nil {
		return what, err
	}
	known, err := userExists(tx, project, what.User)
	if err == nil && !known && len(sessions) == 0 {
		err = UserNotFound
	}
	return Erased{Sessions: sessions, User: what.User}, err
}

// Has reports whether a database of events, of an environment or of its copy,
// has the session or the user.
func (e Erased) Has(ctx context.Context, events *db.World, project string) (found bool, err error) {
	err = events.Read(ctx, func(tx *db.Tx) error {
		_, err := find(tx, project, e)
		found = err == nil
		if errors.Is(err, SessionNotFound) || errors.Is(err, UserNotFound) {
			err = nil
		}
		return err
	})
	return found, err
}

// eraseTries bounds the retries of an erasure to which new sessions of its user
// arrive meanwhile.
const eraseTries = 10

// erase looks for the events to remove while others write, and then removes them
// from all replies in one transaction. An event that arrives meanwhile is either
// removed too or counts as reported after the erasure: no reply is read in
// between.
func (in *Ingest) erase(ctx context.Context, project string, what func(tx *db.Tx) (Erased, error)) (e Erased, err error) {
	in.rollMu.Lock() // the roll-ups must not change between the search and the removal
	defer in.rollMu.Unlock()
	if err := in.catchUp(ctx); err != nil {
		return e, err
	}
	for range eraseTries {
		var done, times int64
		err := in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
			if done, err = getProgress(tx); err == nil {
				times, err = changes(tx)
			}
			if err == nil {
				e, err = what(tx)
			}
			return err
		})
		if err != nil {
			return e, err
		}
		p, numbers := newPass(), map[int64]bool{}
		if err := in.d.Store.Query(ctx, e.query(project), func(c *Columns) (bool, error) {
			p.add(c, e.noting(c, done, numbers))
			return true, nil
		}); err != nil {
			return e, err
		}
		again := false
		err = in.d.Events.Write(ctx, func(tx *db.Tx) error {
			now, err := changes(tx)
			if again = now != times; err != nil || again { // a found event has changed
				return err
			}
			again, err = in.forgetUnlessChanged(ctx, tx, project, e, what, p, numbers, done)
			return err
		})
		if err != nil || !again {
			in.upkeep.Wake()
			return e, err
		}
	}
	return e, db.Unavailable
}

// query returns a query for the groups that may contain erased events.
func (e *Erased) query(project string) Query {
	if e.User == "" {
		return Query{Project: project, Sessions: e.Sessions}
	}
	return Query{Project: project}
}

// rows returns a function that reports whether a row of a group is erased; rows
// with numbers above upTo never are. It returns nil if no row is.
func (e *Erased) rows(c *Columns, upTo int64) func(i int) bool {
	sessions, users, any := make([]bool, len(c.Session.Values)), make([]bool, len(c.User.Values)), false
	for i, id := range c.Session.Values {
		_, sessions[i] = slices.BinarySearch(e.Sessions, id)
		any = any || sessions[i]
	}
	for i, id := range c.User.Values {
		users[i] = id != "" && id == e.User
		any = any || users[i]
	}
	return func(i int) bool {
		return any && c.Number(i) <= upTo && (sessions[c.Session.Of(i)] || users[c.User.Of(i)])
	}
}

// noting is rows, and also adds the numbers of the erased events in sessions that
// stay to numbers.
func (e *Erased) noting(c *Columns, upTo int64, numbers map[int64]bool) func(i int) bool {
	erased := e.rows(c, upTo)
	return func(i int) bool {
		if !erased(i) {
			return false
		}
		if _, whole := slices.BinarySearch(e.Sessions, c.Session.At(i)); !whole {
			numbers[c.Number(i)] = true
		}
		return true
	}
}

// forgetUnlessChanged removes the findings of p from the roll-ups and from all
// other tables. If there is more to remove than p found, it does nothing and
// reports that. numbers are those of the events in sessions of others.
func (in *Ingest) forgetUnlessChanged(ctx context.Context, tx *db.Tx, project string, e Erased, what func(tx *db.Tx) (Erased, error), p *pass, numbers map[int64]bool, done int64) (again bool, err error) {
	if err := in.d.Upkeep.Lock(tx); err != nil { // like retention, which locks the progress after it
		return false, err
	}
	progress, err := lockProgress(tx)
	if err != nil {
		return false, err
	}
	now, err := what(tx)
	if err != nil || progress != done || !slices.Equal(now.Sessions, e.Sessions) {
		return err == nil, err
	}
	late := newPass() // events that the roll-ups do not include yet, and will not
	err = in.d.Store.QueryIn(tx, Query{Project: project, After: done}, func(c *Columns) (bool, error) {
		late.add(c, e.noting(c, c.Last(), numbers))
		return true, nil
	})
	if err != nil {
		return false, err
	}
	if err := in.d.Upkeep.Erase(tx, project, e.Sessions, e.User, p.events+late.events); err != nil {
		return false, err
	}
	if err := p.subtractRollups(in, tx); err != nil {
		return false, err
	}
	if err := in.forget(tx, project, e); err != nil {
		return false, err
	}
	for _, found := range []*pass{p, late} {
		if err := deleteEventScores(tx, project, found.sessionIDs(), numbers); err != nil {
			return false, err
		}
	}
	for k := range p.sessions { // the sessions of others
		if _, whole := slices.BinarySearch(e.Sessions, k.id); whole {
			continue
		}
		if err := in.sumSession(tx, project, k.id, done); err != nil {
			return false, err
		}
	}
	return false, nil
}

// forget deletes what is stored of sessions and of a user, except the events.
func (in *Ingest) forget(tx *db.Tx, project string, e Erased) error {
	for _, id := range e.Sessions {
		if err := deleteSession(tx, project, id); err != nil {
			return err
		}
		in.owners.noteAfter(tx, project, id, "")
		if err := deleteTraces(tx, project, id); err != nil {
			return err
		}
		if err := deleteScores(tx, project, id); err != nil {
			return err
		}
	}
	if e.User == "" {
		return nil
	}
	return deleteUser(tx, project, e.User)
}

// sumSession recomputes the sums of a session's events.
func (in *Ingest) sumSession(tx *db.Tx, project, id string, upTo int64) error {
	p := newPass()
	err := in.d.Store.QueryIn(tx, Query{Project: project, Sessions: []string{id}}, func(c *Columns) (bool, error) {
		p.add(c, func(i int) bool { return c.Session.At(i) == id && c.Number(i) <= upTo })
		return true, nil
	})
	if err != nil {
		return err
	}
	sums := p.sessions[projectID{project, id}]
	if sums == nil {
		sums = &sessionDelta{}
	}
	deleted, err := setSessionSums(tx, project, id, sums)
	if deleted {
		in.owners.noteAfter(tx, project, id, "")
	}
	return err
}
