package tracker

import (
	"context"
	"math"
	"sync"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// never is the due time of a team in which nothing happens by itself.
const never = int64(math.MaxInt64)

const (
	// stepChanges is about how many rows one transaction of an automation changes.
	stepChanges = 200
	// maxSteps is how many such transactions a caller waits for. What is left
	// after a long jump of the clock is done in the background.
	maxSteps = 40
)

// automation brings organizations up to date with the clock: it ends cycles and
// creates new ones, closes and archives issues by age, and wakes snoozed ones.
//
// Each team has a due time, which is stored beside its counters and never later
// than the next thing that happens in it. Whoever reads or writes first has
// everything done that is due. Each change carries the time at which it was due,
// so the result is the same whether it was applied at that time or later. A
// goroutine that waits for the earliest due time exists while there is one, so
// that webhooks and connected clients hear of changes that nobody reads.
type automation struct {
	t      *Tracker
	mu     sync.Mutex // held while an organization is brought up to date
	dues   dueTimes
	sooner chan struct{} // something is due before the time that is waited for
	worker *background.Worker
}

func newAutomation(t *Tracker) *automation {
	a := &automation{t: t, sooner: make(chan struct{}, 1)}
	a.worker = background.New(a.work)
	return a
}

// dueTimes remembers for each organization when something is next due in it,
// as of a sync id: no due time becomes earlier without a write.
type dueTimes struct {
	mu  sync.Mutex
	org map[string]dueTime
}

type dueTime struct{ sync, at int64 }

// of returns an organization's due time at a sync id, if that is known.
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

// carry moves a due time on to the next sync id, whose write made things due at
// a time, or never. It reports whether the organization is due earlier than before.
func (d *dueTimes) carry(org string, sync, at int64) (sooner bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.org[org]
	if !ok || e.sync != sync-1 {
		return true // not known: it is read again
	}
	d.org[org] = dueTime{sync, min(e.at, at)}
	return at < e.at
}

// wake makes the worker look at the due times again. It never waits.
func (a *automation) wake() {
	select {
	case a.sooner <- struct{}{}:
	default:
	}
	a.worker.Wake()
}

// work runs what is due in any organization, and waits for what is due next.
func (a *automation) work(w *background.Worker) {
	for {
		changed := a.t.Clock.Changed()
		next, err := a.runAll(context.Background())
		if err != nil {
			a.t.Log.Error("the settings of teams were not applied", "service", Service, "error", err)
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

// runAll runs what is due in every organization, and returns the next due time.
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

// run applies what is due in an organization, and returns when something is
// next due: a time that has come when there was more than one caller waits for.
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

// upToDate has everything done that is due in an organization.
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

// lookUp returns when something is next due in an organization, as a
// transaction sees it.
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

// ClockMoved applies in every organization what is due by the clock's new time.
func (t *Tracker) ClockMoved(ctx context.Context) error {
	next, err := t.automation.runAll(ctx)
	if err == nil && next != never {
		t.automation.wake()
	}
	return err
}

// Flush applies what is due, so that a copy or a diff does not depend on who has
// read before it.
func (t *Tracker) Flush(ctx context.Context) error {
	_, err := t.automation.runAll(ctx)
	return err
}

// Close ends what runs in the background.
func (t *Tracker) Close() {
	t.automation.worker.Close()
	t.search.Close()
}

// dueBy makes a team due at a time, unless it is due before.
func (w *writer) dueBy(team string, at int64) error {
	w.due = min(w.due, at)
	return lowerDue(w.Tx, w.Tenant, team, at)
}
