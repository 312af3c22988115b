package environment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"syscall"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

const (
	// mostAwake of the environments, those that were used last, keep their
	// databases open for relaxTime after their last request, others for
	// crowdedTime: each takes half a megabyte then, and opening one takes a
	// millisecond.
	mostAwake   = 64
	relaxTime   = 5 * time.Second
	crowdedTime = 500 * time.Millisecond
	// idleTime is how long an environment stays open that nobody uses.
	idleTime = 5 * time.Minute
	// mostOpen bounds the environments that are open at once: above it those
	// that were not used for the longest time are closed. Files are a bound too.
	mostOpen     = 512
	filesOfWorld = 8
	// moreOpen is how many more may be open until those who open others close some.
	moreOpen = 32
	// wakeAtStart is noted of an environment that is open, or has work to do at once.
	wakeAtStart = 1
	// soon is how close work must be for its environment to stay open for it.
	soon = time.Minute
)

// openLimit gives how many environments may be open before idle ones are closed.
func openLimit() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return mostOpen
	}
	return int(min(mostOpen, max(16, files.Cur/filesOfWorld)))
}

// Relax lets the databases sleep of environments that nobody has used for a
// moment. It is called again and again, more often than Tidy.
func (m *Manager) Relax() {
	now := clock.Real()
	open, ids := m.leastUsed()
	for i, id := range ids {
		after := crowdedTime
		if len(ids)-i <= mostAwake {
			after = relaxTime
		}
		if id != Default { // which is always at hand
			open[id].relax(now, after)
		}
	}
}

// Tidy closes environments that nobody uses, and opens those whose time has
// come to deliver something. It is called again and again.
func (m *Manager) Tidy(ctx context.Context) error {
	now := clock.Real()
	open, ids := m.leastUsed()
	excess := len(ids) - m.limit
	for _, id := range ids {
		op := open[id]
		if excess <= 0 && now.Sub(time.UnixMicro(op.used.Load())) < m.idle {
			break
		}
		if ctx.Err() == nil && m.rest(ctx, id, op) {
			excess--
		}
	}
	return m.wakeDue(ctx, wakeAtStart+1)
}

// makeRoom closes an environment or two when far too many are open, so that
// who opens many is no quicker than they are closed.
func (m *Manager) makeRoom(ctx context.Context) {
	m.mu.Lock()
	excess := len(m.open) - m.limit
	m.mu.Unlock()
	if excess < moreOpen {
		return
	}
	open, ids := m.leastUsed()
	closed := 0
	for _, id := range ids {
		if closed == 2 || ctx.Err() != nil {
			return
		}
		if m.rest(ctx, id, open[id]) {
			closed++
		}
	}
}

// leastUsed gives what is open, the least used of them first.
func (m *Manager) leastUsed() (open map[string]*opening, ids []string) {
	open = m.all()
	for id := range open {
		ids = append(ids, id)
	}
	used := map[string]int64{} // as it is now: it may change while they are sorted
	for id, op := range open {
		used[id] = op.used.Load()
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(used[a], used[b]) })
	return open, ids
}

// relax lets the databases of an environment sleep that was not used for some
// time. Its own work in the background may wake them now and then.
func (op *opening) relax(now time.Time, after time.Duration) {
	if now.Sub(time.UnixMicro(op.used.Load())) < after || op.inside.Load() > 0 {
		return
	}
	op.env.World.Suspend()
	for _, w := range op.env.Extra {
		w.Suspend()
	}
}

// Wake opens the environments that had work to do when the program ended.
func (m *Manager) Wake(ctx context.Context) error { return m.wakeDue(ctx, wakeAtStart) }

func (m *Manager) wakeDue(ctx context.Context, from int64) (err error) {
	var due []string
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = listWaking(tx, from, clock.Real().UnixMicro())
		return err
	})
	for _, id := range due {
		if ctx.Err() != nil {
			break
		}
		if _, e := m.Open(ctx, id); e != nil && !errors.Is(e, NotFound) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// rest closes an environment that nobody uses and that has nothing to do, and
// tells whether it did.
func (m *Manager) rest(ctx context.Context, id string, op *opening) bool {
	if id == Default || op.env.Ephemeral || op.env.streams() > 0 || m.isWorking(op.env) {
		return false
	}
	own := newOpening()
	m.mu.Lock()
	if m.closing || m.open[id] != op || op.inside.Load() > 0 {
		m.mu.Unlock()
		return false
	}
	m.open[id] = own
	m.mu.Unlock()
	note := m.parting(op.env)
	m.shut(op.env, false)
	if err := m.catalogue.Write(context.WithoutCancel(ctx), note.keep); err != nil {
		op.env.Log.Error("it was not noted that the environment is closed", "error", err)
	}
	m.giveBack(id, own)
	return true
}

// parting is what the catalogue is told of an environment that is being closed.
type parting struct {
	id       string
	wake     int64
	overview *Overview // nil when it could not be made
}

func (m *Manager) parting(env *Environment) parting {
	note := parting{id: env.ID, wake: m.wakeOf(env)}
	if o, err := m.Overview(context.Background(), env); err == nil {
		note.overview = &o
	} else {
		env.Log.Error("what the environment holds was not counted", "error", err)
	}
	return note
}

func (p parting) keep(tx *store.Tx) error {
	if err := setWake(tx, p.id, p.wake); err != nil || p.overview == nil {
		return err
	}
	return putOverview(tx, p.id, *p.overview)
}

func (e *Environment) streams() (n int) {
	for _, in := range e.instances {
		if s, ok := in.(Streamer); ok {
			n += s.Streams()
		}
	}
	return n
}

// isWorking tells whether an environment has something to deliver soon.
func (m *Manager) isWorking(env *Environment) bool { return m.wakeOf(env) == wakeAtStart }

// wakeOf gives when an environment must be opened again once it is closed:
// when something is due for delivery there, as far as its clock comes there by itself.
func (m *Manager) wakeOf(env *Environment) int64 {
	due, waiting, err := env.Outbox.Due(context.Background())
	if err != nil {
		env.Log.Error("it is not known what waits for delivery", "error", err)
		return wakeAtStart
	}
	left := time.Duration(due-env.Clock.Micros()) * time.Microsecond
	switch {
	case !waiting || left > 0 && env.Clock.State().Frozen:
		return 0
	case left < soon:
		return wakeAtStart
	}
	return clock.Real().Add(left).UnixMicro()
}
