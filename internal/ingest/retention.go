package ingest

import (
	"context"
	"errors"
	"time"

	"understudy/internal/platform/background"
	db "understudy/internal/platform/store"
)

// MaxRetention is a hundred years in days.
const MaxRetention = 36_500

// Retention returns the number of days after which the events of a project are
// removed, 0 for never.
func (in *Ingest) Retention(ctx context.Context, project string) (days int64, err error) {
	if in.d.Events.Absent(ctx) {
		return 0, nil
	}
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		all, err := retentions(tx)
		days = all[project]
		return err
	})
	return days, err
}

// SetRetention sets the number of days of the environment's clock after which the
// events of a project are removed; 0 is never. It returns ValidationFailed.
func (in *Ingest) SetRetention(ctx context.Context, project string, days int64) error {
	if days < 0 || days > MaxRetention {
		return wrong("days", "must be a number from 1 to %d, or null", MaxRetention)
	}
	if days == 0 && in.d.Events.Absent(ctx) {
		return nil
	}
	err := in.d.Events.Write(ctx, func(tx *db.Tx) error { return setRetention(tx, project, days) })
	if err == nil {
		in.upkeep.Wake()
	}
	return err
}

// Ages rejects the events of a request that the retention of their project would
// remove at once.
type Ages struct {
	in           *Ingest
	project      string
	read         bool
	days, oldest int64 // of the retention; 0 without one
}

// NewAges returns the check for the events of a project. It reads the retention when an
// event is old enough for the shortest one.
func NewAges(in *Ingest, project string) *Ages { return &Ages{in: in, project: project} }

// Check returns ValidationFailed for an event that is older than the retention.
func (a *Ages) Check(ctx context.Context, e *Event) (err error) {
	if e.Time >= e.Received-day {
		return nil
	}
	if !a.read {
		if a.days, err = a.in.Retention(ctx, a.project); err != nil {
			return err
		}
		a.read, a.oldest = true, a.in.Now()-a.days*day
	}
	if a.days == 0 || e.Time >= a.oldest {
		return nil
	}
	return wrong("timestamp", "is older than the retention of %d days", a.days)
}

// expire removes some of the events that are older than the retention of their
// project, and the data derived from them. It reports whether there may be more.
func (in *Ingest) expire(ctx context.Context) (more bool, err error) {
	if any, err := in.hasRetention(ctx); err != nil || !any {
		return false, err
	}
	if err := in.CatchUp(ctx); err != nil { // removed events are subtracted from sums, which must contain them
		return false, err
	}
	var all map[string]int64
	var done int64
	err = in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		if all, err = retentions(tx); err == nil {
			done, err = getProgress(tx)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		return false, err
	}
	in.followed.Store(in.d.Clock.Changed()) // before the clock is read: no change is missed
	in.ageing.Wake()
	for project, days := range all {
		before := in.Now() - days*day
		still := func(tx *db.Tx) error { return stillExpires(tx, in, project, days, before) }
		more, err := in.d.Upkeep.Expire(ctx, project, before, done, still, func(tx *db.Tx, gone *Columns) error {
			if _, err := lockProgress(tx); err != nil {
				return err
			}
			p := newPass()
			p.add(gone, nil)
			if err := p.subtract(in, tx); err != nil {
				return err
			}
			numbers := make(map[int64]bool, gone.N)
			for i := range gone.N {
				numbers[gone.Number(i)] = true
			}
			return deleteEventScores(tx, project, p.sessionIDs(), numbers)
		})
		if !more && err == nil {
			err = in.d.Events.Write(ctx, func(tx *db.Tx) (err error) {
				var gone []string
				if err = still(tx); err == nil {
					gone, more, err = deleteOld(tx, project, before)
				}
				for _, id := range gone {
					in.owners.noteAfter(tx, project, id, "")
				}
				return err
			})
		}
		if errors.Is(err, errRetention) {
			return true, nil // the next step reads it again
		}
		if more || err != nil {
			return more, err
		}
	}
	return false, nil
}

// errRetention ends a step that would remove events that a changed retention, or
// clock, keeps.
var errRetention = errors.New("the retention or the clock was changed")

// stillExpires returns errRetention unless events older than a time still expire
// after so many days. It locks the retention of the project until the end of the
// transaction: after a change of it is acknowledged, nothing is removed by the
// previous one.
func stillExpires(tx *db.Tx, in *Ingest, project string, days, before int64) error {
	now, err := lockRetention(tx, project)
	if err == nil && (now != days || in.Now()-days*day < before) {
		err = errRetention
	}
	return err
}

// followClock wakes maintenance when the environment's clock has advanced, or was
// set since expire last read it, as long as a project has retention.
func (in *Ingest) followClock(w *background.Worker) {
	for {
		select {
		case <-w.Stopped():
			return
		case <-in.followed.Load().(<-chan struct{}):
		case <-in.d.Clock.WaitUntil(in.d.Clock.Now().Add(ageStep)):
		}
		w.WokenAgain() // the round that it asks for is this one
		in.upkeep.Wake()
		select {
		case <-w.Stopped():
			return
		case <-time.After(upkeepDelay): // a clock may be set many times in a moment
		}
		if any, err := in.hasRetention(in.ctx); err != nil || !any {
			return // a PUT, or the next event, begins anew
		}
	}
}

func (in *Ingest) hasRetention(ctx context.Context) (any bool, err error) {
	err = in.d.Events.Read(ctx, func(tx *db.Tx) error {
		all, err := retentions(tx)
		any = len(all) > 0
		return err
	})
	return any, err
}
