package tracker

import (
	"context"
	"time"

	"understudy/internal/platform/store"
)

// run is one transaction in which a team catches up with the clock.
type run struct {
	*writer
	team    *Team
	lastEnd int64 // of the team's cycles
}

// step applies changes in the team that is due first, about stepChanges rows, and returns
// the next due time of the organization.
func (a *automation) step(ctx context.Context, org string) (next int64, err error) {
	err = a.t.world.Write(ctx, func(tx *store.Tx) error {
		next = never
		sync, err := holdSync(tx, org)
		if err != nil || sync == 0 { // the organization is gone
			return err
		}
		now := a.t.Clock.Now() // read after waiting: the clock and the settings may have changed
		id, at, err := dueTeam(tx, org)
		if err != nil {
			return err
		}
		end := sync
		if at <= now.UnixMicro() {
			w, err := a.writer(ctx, tx, org, sync+1, now)
			if err != nil {
				return err
			}
			if at, err = a.catchUp(w, id, now.UnixMicro()); err != nil {
				return err
			}
			if err := setDue(tx, org, id, at); err != nil {
				return err
			}
			if w.changes > 0 {
				end = sync + 1
				if err := setSync(tx, org, end); err != nil {
					return err
				}
			}
		}
		if next, err = earliestDue(tx, org); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			a.t.caches.syncs.seen(org, end)
			a.dues.set(org, end, next)
		})
		return nil
	})
	return next, err
}

// writer returns the writer of automatic changes. It sees every team.
func (a *automation) writer(ctx context.Context, tx *store.Tx, org string, sync int64, now time.Time) (*writer, error) {
	v := &View{Scope: a.t.scope(tx, org, "", 0), t: a.t, viewer: &User{}, looked: true}
	v.Now = now
	var url string
	if _, err := getURLKey(tx, org, &url); err != nil {
		return nil, err
	}
	v.url = a.t.BaseURL() + "/" + url
	v.RememberRows()
	return &writer{View: v, ctx: ctx, syncID: sync, due: never, automatic: true}, nil
}

// at sets the time of the run's next changes to the time at which they were due.
func (r *run) at(micros int64) { r.Now = time.UnixMicro(micros).UTC() }

// catchUp applies what is due in a team, in the order of time. It returns the next due
// time of the team, 0 if the transaction is full and something may be left to do.
func (a *automation) catchUp(w *writer, team string, now int64) (next int64, err error) {
	t, err := Teams.Find(w.View, team)
	if err != nil || t == nil || t.Archived != 0 || t.Retired != 0 {
		return never, err
	}
	if t.Options, _, err = merge(teamDefaults(), t.Settings, nil); err != nil {
		return 0, err
	}
	r := &run{writer: w, team: t}
	if r.lastEnd, err = lastCycleEnd(w.View, team); err != nil {
		return 0, err
	}
	for {
		open, err := openCycles(r.View, team)
		if err != nil {
			return 0, err
		}
		event := r.nextCycleEvent(open, now)
		upTo := now
		if event != nil {
			upTo = event.at
		}
		for _, step := range []func(int64) error{r.wakeIssues, r.closeStale, r.archiveClosed} {
			before := w.changes
			if err := step(upTo); err != nil {
				return 0, err
			}
			if w.changes-before >= stepChanges {
				return 0, nil
			}
		}
		if event == nil {
			return r.nextDue(open, now)
		}
		if err := r.happen(event, open); err != nil {
			return 0, err
		}
		if w.changes >= stepChanges {
			return 0, nil
		}
	}
}

// nextDue returns the next due time of a team in which nothing is due at now.
func (r *run) nextDue(open []*Cycle, now int64) (int64, error) {
	at := never
	for _, c := range open {
		at = min(at, c.Ends)
		if r.team.Options.Cycles && c.Starts > now {
			at = min(at, c.Starts)
		}
	}
	more, err := nextWaking(r.Tx, r.Tenant, r.team.ID)
	if err != nil {
		return 0, err
	}
	at = min(at, more)
	if p := r.team.Options.AutoArchivePeriod; p > 0 {
		if more, err = nextArchive(r.Tx, r.Tenant, r.team.ID, months(p), now); err != nil {
			return 0, err
		}
		at = min(at, more)
	}
	state, err := r.staleState()
	if err != nil || state == nil {
		return at, err
	}
	more, err = nextClose(r.Tx, r.Tenant, r.team.ID, months(*r.team.Options.AutoClosePeriod), now)
	return min(at, more), err
}
