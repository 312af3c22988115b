package lifecycle

import (
	"context"
	"errors"
	"slices"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/system"
)

const (
	// Environments keep their databases open for suspendTime after their last
	// request. Where more are awake than memory is for, only those that were used
	// last do, and others for crowdedTime.
	suspendTime = 5 * time.Second
	crowdedTime = 500 * time.Millisecond
	// firstTime is suspendTime for an environment whose services had no request since
	// it was made or opened: they will have one soon, which should not have to wait until the
	// definitions of all tables are read again.
	firstTime = time.Minute
	// idleTime is how long an environment stays open without requests.
	idleTime = 5 * time.Minute
	// moreOpen is how many more may be open than the bounds say until those who
	// open others close some.
	moreOpen = 32
	// soon is how close work must be for its environment to stay open for it.
	soon = time.Minute
)

// What an environment takes: with its databases open and in use, and open
// without them. The number of files that the process may open is a bound too.
const (
	awakeBytes   = 768 << 10
	openBytes    = 192 << 10
	filesOfAwake = 16
	fewest       = 16 // that may be open and awake, however little memory there is
)

// bounds say how many environments may be open, and how many of them awake.
// Above that those that were not used for the longest time are closed, or have
// their databases closed.
type bounds struct{ open, awake int }

// boundsOf returns the bounds for environments that take a number of bytes altogether.
func boundsOf(bytes int64) bounds {
	b := bounds{open: int(max(fewest, bytes/openBytes)), awake: int(max(fewest, bytes/awakeBytes))}
	if files, ok := system.OpenFiles(); ok {
		b.awake = min(b.awake, int(max(fewest, files/filesOfAwake)))
	}
	return b
}

// Sweeper suspends, closes, opens and deletes environments when their time has
// come. Each method must be called again and again.
type Sweeper struct {
	Environments *Environments
}

// Suspend closes the database files of environments that have had no request
// for a moment; the next use opens them again. Call it more often than CloseIdle.
func (s Sweeper) Suspend() { s.suspend(clock.Real()) }

func (s Sweeper) suspend(now time.Time) {
	all := s.Environments.table.leastUsed()
	for i, one := range all {
		if one.env.ID != environment.Default { // which always answers at once
			one.suspend(now, len(all)-i > s.Environments.bounds.awake)
		}
	}
}

// suspend closes the database files of an environment that was not used for
// some time, less where memory is short. Its own work in the background may open
// them again.
func (s *session) suspend(now time.Time, crowded bool) {
	after := suspendTime
	if crowded {
		after = crowdedTime
	}
	unused := s.unusedFor(now)
	if unused < after || s.requests.Users() > 0 {
		return
	}
	if err := environment.Recount(context.Background(), s.env); err != nil && s.leaving.Err() == nil {
		s.env.Log.Error("the size of an environment could not be counted", "error", err)
	}
	if !crowded && !s.env.Asked.Load() && unused < firstTime {
		return
	}
	s.env.World.Suspend()
	for _, w := range s.env.Extra {
		w.Suspend()
	}
}

// CloseIdle closes environments that nobody uses.
func (s Sweeper) CloseIdle(ctx context.Context) {
	e, now := s.Environments, clock.Real()
	all := e.table.leastUsed()
	excess := len(all) - e.bounds.open
	for _, one := range all {
		if excess <= 0 && one.unusedFor(now) < e.idle {
			break
		}
		if ctx.Err() == nil && s.evict(ctx, one) {
			excess--
		}
	}
}

// OpenUnfinished opens the environments that had work to do when the program ended.
func (s Sweeper) OpenUnfinished(ctx context.Context) error {
	return s.openDue(ctx, catalogue.WakeAtStart)
}

// OpenDue opens the environments whose time has come to deliver something.
func (s Sweeper) OpenDue(ctx context.Context) error { return s.openDue(ctx, catalogue.WakeAtStart+1) }

func (s Sweeper) openDue(ctx context.Context, from int64) error {
	due, err := s.Environments.Catalogue.Due(ctx, from, clock.Real())
	for _, id := range due {
		if ctx.Err() != nil {
			break
		}
		if _, e := s.Environments.Open(ctx, id); e != nil && !errors.Is(e, environment.NotFound) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// Expire deletes the environments that have expired.
func (s Sweeper) Expire(ctx context.Context) error {
	due, err := s.Environments.Catalogue.Expired(ctx)
	for _, id := range due {
		if e := s.expire(ctx, id); e != nil && !errors.Is(e, environment.NotFound) && !errors.Is(e, catalogue.NotExpired) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// expire deletes an environment, unless it was given more time meanwhile.
func (s Sweeper) expire(ctx context.Context, id string) error {
	if err := s.Environments.Catalogue.CheckExpired(ctx, id); err != nil { // before its streams are ended
		return err
	}
	_, err := s.Environments.remove(ctx, id, true)
	return err
}

// leastUsed returns the sessions of open environments, the least recently used first.
func (t *table) leastUsed() (all []*session) {
	used := map[*session]time.Time{} // read once: it may change while they are sorted
	for _, s := range t.sessions() {
		used[s] = s.requests.LastUsed()
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *session) int { return used[a].Compare(used[b]) })
	return all
}

// makeRoom closes one or two environments when far too many are open, so that
// those who open environments cannot be quicker than those that close them.
func (s Sweeper) makeRoom(ctx context.Context) {
	e := s.Environments
	if e.table.size()-e.bounds.open < moreOpen {
		return
	}
	closed := 0
	for _, one := range e.table.leastUsed() {
		if closed == 2 || ctx.Err() != nil {
			return
		}
		if s.evict(ctx, one) {
			closed++
		}
	}
}

// evict closes an environment that nobody uses and that has nothing to do. It
// reports whether it did.
func (s Sweeper) evict(ctx context.Context, one *session) bool {
	e, env := s.Environments, one.env
	if env.ID == environment.Default || env.Ephemeral || env.Streams() > 0 || wakeOf(env) == catalogue.WakeAtStart {
		return false
	}
	own := e.table.claimUnused(env.ID, one)
	if own == nil {
		return false
	}
	e.close(ctx, env, Overviews{e}.closing(env, nil))
	e.table.closed(own, nil)
	return true
}

// closing returns what the catalogue keeps about an environment that is being closed.
func (v Overviews) closing(env *environment.Environment, counts *environment.ServiceCounts) catalogue.Closing {
	note := catalogue.Closing{ID: env.ID, Wake: wakeOf(env)}
	if o, err := v.counted(context.Background(), env, counts); err == nil {
		note.Overview = &o
	} else {
		env.Log.Error("the size of an environment could not be counted", "error", err)
	}
	return note
}

// wakeOf returns when an environment must be opened again once it is closed, as
// catalogue.Entry has it: when a delivery is due, if its clock gets there by itself.
func wakeOf(env *environment.Environment) int64 {
	due, waiting, err := env.Outbox.Due(context.Background())
	if err != nil {
		env.Log.Error("pending deliveries could not be counted", "error", err)
		return catalogue.WakeAtStart
	}
	left := time.Duration(due-env.Clock.Micros()) * time.Microsecond
	switch {
	case !waiting || left > 0 && env.Clock.State().Frozen:
		return 0
	case left < soon:
		return catalogue.WakeAtStart
	}
	return clock.Real().Add(left).UnixMicro()
}
