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
	// suspendTime is how long databases stay open after the last request. When more
	// environments have open databases than the memory allows, it is crowdedTime for
	// the least recently used ones.
	suspendTime = 5 * time.Second
	crowdedTime = 500 * time.Millisecond
	// firstTime replaces suspendTime until the services have had a
	// request: the first request comes soon, and should not wait until the
	// definitions of all tables are read again.
	firstTime = time.Minute
	// idleTime is how long an environment stays open without requests. It may stay for
	// a part of that longer, since finding those that are due takes visiting all.
	idleTime  = 5 * time.Minute
	idleLooks = 32
	// openSlack is how far the number of open environments may exceed its bound
	// before a caller that creates one must close others first.
	openSlack = 32
	// dueSoon is the time to the next work below which an environment stays open.
	dueSoon = time.Minute
)

// The memory of an environment with open databases, and of one without. The limit
// of open files bounds the former too.
const (
	awakeBytes   = 768 << 10
	openBytes    = 192 << 10
	filesOfAwake = 16
	minBound     = 16 // the least bound, however small the memory
)

// bounds are the largest numbers of open environments, and of those with open
// databases. Above a bound the least recently used ones are closed or suspended.
type bounds struct{ open, awake int }

// boundsOf returns the bounds for environments that may use a number of bytes
// together.
func boundsOf(bytes int64) bounds {
	b := bounds{open: int(max(minBound, bytes/openBytes)), awake: int(max(minBound, bytes/awakeBytes))}
	if files, ok := system.OpenFiles(); ok {
		b.awake = min(b.awake, int(max(minBound, files/filesOfAwake)))
	}
	return b
}

// Sweeper suspends, closes, opens and deletes environments that are due. Each
// method must be called repeatedly.
type Sweeper struct {
	Environments *Environments
}

// Suspend closes the database files of environments without recent requests; the
// next use opens them again. Call it more often than CloseIdle.
func (s Sweeper) Suspend() { s.suspend(clock.Real()) }

func (s Sweeper) suspend(now time.Time) {
	e := s.Environments
	all := takeAwake(&e.table)
	stay := all[:0]
	for i, one := range all {
		if !s.rest(one, now, len(all)-i > e.bounds.awake) {
			stay = append(stay, one)
		}
	}
	stayAwake(&e.table, stay)
}

// rest closes the database files of an environment that is not in use, earlier if
// crowded, and reports whether they are closed. It counts what the environment holds
// before that. While nothing is due it reads only the session: the rest may be memory
// that was not used for long.
func (s Sweeper) rest(one awakened, now time.Time, crowded bool) bool {
	after, own := suspendTime, one.session
	if crowded {
		after = crowdedTime
	}
	unused := now.Sub(one.used)
	if unused < after || own.requests.Users() > 0 {
		return false
	}
	first := !crowded && unused < firstTime
	if first && own.waits == one.used { // a request would have set another time
		return false
	}
	env, table := own.env, &s.Environments.table
	if err := environment.Recount(context.Background(), env); err != nil && own.leaving.Err() == nil {
		env.Log.Error("the size of an environment could not be counted", "error", err)
	}
	first = first && !env.Asked.Load()
	if first || env.ID == environment.Default { // whose first reply must never wait
		if s.Environments.note(one); first {
			own.waits = one.used
		}
		return false
	}
	leave(table, own)
	for _, w := range env.Worlds {
		if !w.Suspend() {
			return !returned(table, own)
		}
	}
	return s.Environments.note(one) || !returned(table, own)
}

// CloseIdle closes environments that nobody uses.
func (s Sweeper) CloseIdle(ctx context.Context) {
	e, now := s.Environments, clock.Real()
	excess := e.table.size() - e.bounds.open
	if excess <= 0 && now.Sub(e.looked) < e.idle/idleLooks {
		return
	}
	e.looked = now
	all := e.table.leastUsed()
	excess = len(all) - e.bounds.open
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

// OpenDue opens the environments whose next delivery is due.
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

// expire deletes an environment, unless its expiry was moved meanwhile.
func (s Sweeper) expire(ctx context.Context, id string) error {
	if err := s.Environments.Catalogue.CheckExpired(ctx, id); err != nil { // checked before its streams are ended
		return err
	}
	_, err := s.Environments.remove(ctx, id, true)
	return err
}

// leastUsed returns the sessions of open environments, the least recently used first.
func (t *table) leastUsed() []*session {
	type used struct {
		at      time.Time // read once: it may change during the sort
		session *session
	}
	open := t.sessions()
	times := make([]used, len(open))
	for i, s := range open {
		times[i] = used{s.requests.LastUsed(), s}
	}
	slices.SortFunc(times, func(a, b used) int { return a.at.Compare(b.at) })
	for i, one := range times {
		open[i] = one.session
	}
	return open
}

// makeRoom closes up to two environments when the number of open ones exceeds its
// bound by openSlack, so that callers cannot open environments faster than the
// sweeper closes them.
func (s Sweeper) makeRoom(ctx context.Context) {
	e := s.Environments
	if e.table.size()-e.bounds.open < openSlack {
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

// evict closes an environment that is not in use and has no work to do, and
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

// closing returns what the catalogue stores about an environment when it closes.
func (v Overviews) closing(env *environment.Environment, counts *environment.ServiceCounts) catalogue.Closing {
	note := catalogue.Closing{ID: env.ID, Wake: wakeOf(env)}
	if o, err := v.counted(context.Background(), env, counts); err == nil {
		note.Overview = &o
	} else {
		env.Log.Error("the size of an environment could not be counted", "error", err)
	}
	return note
}

// wakeOf returns when a closed environment must be opened again, as
// catalogue.Entry.Wake: when its next delivery is due, 0 if there is none or its
// clock is frozen before that.
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
	case left < dueSoon:
		return catalogue.WakeAtStart
	}
	return clock.Real().Add(left).UnixMicro()
}
