package tracker

import (
	"context"
	"math"
	"sync"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// never is the due time of a team for which nothing is scheduled.
const never = int64(math.MaxInt64)

const (
	// stepChanges is the approximate number of rows that one transaction of an
	// automation changes.
	stepChanges = 200
	// maxSteps is the number of such transactions for which a caller waits. After a
	// large step of the clock, the worker does the rest in the background.
	maxSteps = 40
)

// automation applies what the clock makes due in organizations: it ends cycles
// and creates new ones, closes and archives issues by age, and ends the snoozing
// of issues.
//
// Each team has a due time, which is stored beside its counters. It is never later than
// the time at which the next change in the team becomes due. The first caller that
// reads or writes after the due time applies everything that is due. Each change gets
// the time at which it was due, so the result is the same whether it is applied then or
// later. As long as something will become due, a goroutine waits for it, so that
// webhooks and connected clients receive changes although nobody reads.
type automation struct {
	t      *Tracker
	mu     sync.Mutex // locked while an organization catches up
	dues   dueTimes
	sooner chan struct{} // signals a due time earlier than the one for which the worker waits
	worker *background.Worker
}

func newAutomation(t *Tracker) *automation {
	a := &automation{t: t, sooner: make(chan struct{}, 1)}
	a.worker = background.New(a.work)
	return a
}

// dueTimes caches the next due time of each organization with the sync id at which it
// was read. It stays valid while the sync id is the same, because only writes make due
// times earlier.
type dueTimes struct {
	mu  sync.Mutex
	org map[string]dueTime
}

type dueTime struct{ sync, at int64 }

// of returns an organization's due time at a sync id, and whether it is known.
func (d *dueTimes) of(org string, sync int64) (at int64, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.org[org]
	return e.at, ok && e.sync == sync
}

// set stores an organization's due time at a sync id.
func (d *dueTimes) set(org string, sync, at int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.org == nil {
		d.org = map[string]dueTime{}
	}
	if d.org[org].sync <= sync {
		d.org[org] = dueTime{sync, at}
	}
}

// carry stores the due time of an organization at the sync id of a write: the earlier of
// the due time before the write and at, the time at which something becomes due because
// of the write. It reports whether the worker must check the due time, because it became
// earlier or is unknown.
func (d *dueTimes) carry(org string, sync, at int64) (sooner bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.org[org]
	if !ok || e.sync != sync-1 {
		return true // unknown: the worker must read it
	}
	d.org[org] = dueTime{sync, min(e.at, at)}
	return at < e.at
}

// wake makes the worker check the due times again. It never blocks.
func (a *automation) wake() {
	select {
	case a.sooner <- struct{}{}:
	default:
	}
	a.worker.Wake()
}

// work applies what is due in any organization, and then waits until the next due
// time.
func (a *automation) work(w *background.Worker) {
	for {
		changed := a.t.Clock.Changed()
		next, err := a.runAll(context.Background())
		if err != nil {
			a.t.Log.Error("the automatic settings of teams could not be applied", "service", Service, "error", err)
			return
		}
		if next == never {
			return
		}
		select {
		case <-w.Stopped():
			return
		case <-changed:
		case <-a.sooner:
		case <-a.t.Clock.WaitUntil(time.UnixMicro(next)):
		}
	}
}

// runAll applies what is due in every organization, and returns the next due
// time.
func (a *automation) runAll(ctx context.Context) (next int64, err error) {
	var orgs map[string]int64
	err = a.t.world.Read(ctx, func(tx *store.Tx) (err error) {
		orgs, err = dueOrganizations(tx)
		return err
	})
	next = never
	for org, at := range orgs {
		if err == nil && at <= a.t.Clock.Micros() {
			at, err = a.run(ctx, org)
		}
		next = min(next, at)
	}
	return next, err
}

// run applies what is due in an organization, at most maxSteps transactions. It returns
// the next due time, which is in the past if something is left to do.
func (a *automation) run(ctx context.Context, org string) (next int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range maxSteps {
		if next, err = a.step(ctx, org); err != nil || next > a.t.Clock.Micros() {
			return next, err
		}
	}
	return next, nil
}

// upToDate applies everything that is due in an organization.
func (a *automation) upToDate(ctx context.Context, org string) error {
	sync := a.t.caches.syncs.of(org)
	at, known := a.dues.of(org, sync)
	if !known || sync == 0 {
		err := a.t.world.Read(ctx, func(tx *store.Tx) (err error) {
			at, err = a.lookUp(tx, org)
			return err
		})
		if err != nil {
			return err
		}
	}
	if at > a.t.Clock.Micros() {
		return nil
	}
	next, err := a.run(ctx, org)
	if err == nil && next != never {
		a.wake()
	}
	return err
}

// lookUp returns the next due time of an organization, within a transaction.
func (a *automation) lookUp(tx *store.Tx, org string) (at int64, err error) {
	sync, err := lastSync(tx, org)
	if err != nil {
		return 0, err
	}
	if at, known := a.dues.of(org, sync); known {
		return at, nil
	}
	if at, err = earliestDue(tx, org); err != nil {
		return 0, err
	}
	a.t.caches.syncs.seen(org, sync)
	a.dues.set(org, sync, at)
	if at != never {
		a.wake()
	}
	return at, nil
}

// ClockMoved applies what is due at the clock's new time in every organization.
func (t *Tracker) ClockMoved(ctx context.Context) error {
	next, err := t.automation.runAll(ctx)
	if err == nil && next != never {
		t.automation.wake()
	}
	return err
}

// Flush applies everything that is due, so that a copy or a diff does not depend on
// whether somebody has read before.
func (t *Tracker) Flush(ctx context.Context) error {
	_, err := t.automation.runAll(ctx)
	return err
}

// Close ends the background work.
func (t *Tracker) Close() {
	t.automation.worker.Close()
	t.search.Close()
}

// dueBy lowers a team's due time to at, if it is later.
func (w *writer) dueBy(team string, at int64) error {
	w.due = min(w.due, at)
	return lowerDue(w.Tx, w.Tenant, team, at)
}
