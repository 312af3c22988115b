// Package lifecycle opens and closes environments: it decides which of them are
// in memory, who may use one, and when it is closed, replaced or removed.
//
// It does not know what a new environment contains (package provision) nor
// which copies exist (package clone).
package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/memory"
	"understudy/internal/platform/store"
)

// drainTimeout is the default of Environments.DrainTimeout.
const drainTimeout = 5 * time.Second

// Environments holds the environments of this process.
//
// It has more methods than most types because callers need it for every operation
// on an open environment. Sweeper and Overviews hold the methods for many
// environments, and table holds the transitions.
type Environments struct {
	Platform  *environment.Platform
	Worlds    *worlds.Set
	Catalogue *catalogue.Catalogue
	// DrainTimeout is how long requests may continue once their environment is to be
	// replaced or removed. It must be set before the first use.
	DrainTimeout time.Duration

	store  store.Store
	table  table
	idle   time.Duration // an environment without requests is closed after this time
	looked time.Time     // when the sweep looked for such environments
	bounds bounds
}

// memoryShare is the divisor of the memory that open environments may use: a
// quarter.
const memoryShare = 4

// New claims a store for this process, opens its catalogue and removes what a
// crash left behind. It returns store.ErrInUse when another process uses the
// store.
func New(ctx context.Context, s store.Store, p *environment.Platform) (*Environments, error) {
	if err := s.Claim(ctx, p.Log); err != nil {
		return nil, err
	}
	c, err := catalogue.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	e := &Environments{Platform: p, Worlds: worlds.New(s, p.Services), Catalogue: c, store: s,
		table: table{entries: map[string]*entry{}, still: map[key]overview{}}, DrainTimeout: drainTimeout, idle: idleTime, bounds: boundsOf(memory.Size() / memoryShare)}
	if err := e.recover(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return e, nil
}

// recover removes ephemeral environments and unfinished copies of an earlier run.
// No other process may use the store: its unfinished copies would look the same.
func (e *Environments) recover(ctx context.Context) error {
	removed, known, err := e.Catalogue.Recover(ctx)
	if err != nil {
		return err
	}
	if removed > 0 {
		e.Platform.Log.Info("ephemeral environments of the last run were removed", "environments", removed)
	}
	dropped, err := e.Worlds.DropStray(ctx, known)
	for _, w := range dropped {
		e.Platform.Log.Info("a copy of a world that no environment or snapshot uses was removed", "world", w)
	}
	return err
}

// Open returns an environment, and opens it first if it is closed. The
// environment may be closed again while the caller holds it: use Enter for longer
// work. It returns environment.NotFound.
func (e *Environments) Open(ctx context.Context, id string) (*environment.Environment, error) {
	s, err := e.session(ctx, id, false)
	if err != nil {
		return nil, err
	}
	return s.env, nil
}

// Enter is Open for a request, which must call leave when it ends. The
// environment is not closed before that, unless a reset, restore or deletion has
// waited for the request longer than DrainTimeout.
func (e *Environments) Enter(ctx context.Context, id string) (env *environment.Environment, leave func(), err error) {
	s, err := e.session(ctx, id, true)
	if err != nil {
		return nil, nil, err
	}
	return s.env, s.requests.Release, nil
}

// Work runs an operation that may take long and does not wait for a client. It
// returns environment.NotFound, and environment.Interrupted when a reset, restore
// or deletion of the environment ended the operation.
func (e *Environments) Work(ctx context.Context, id string, do func(ctx context.Context, env *environment.Environment) error) error {
	s, err := e.session(ctx, id, true)
	if err != nil {
		return err
	}
	defer s.requests.Release()
	if !s.working.Acquire() {
		return environment.Interrupted
	}
	defer s.working.Release()
	return until(ctx, s.interrupted, s.env, do)
}

// Await runs a function that waits for an event in an environment. It returns
// environment.NotFound, and environment.Interrupted as soon as a reset, restore
// or deletion of the environment begins, because no more events will follow.
func Await(ctx context.Context, e *Environments, id string, do func(ctx context.Context, env *environment.Environment) error) error {
	s, err := e.session(ctx, id, true)
	if err != nil {
		return err
	}
	defer s.requests.Release()
	return until(ctx, s.leaving, s.env, do)
}

// until calls do with a context that ends when ctx or end does. It returns
// environment.Interrupted for an error of do after end has ended.
func until(ctx, end context.Context, env *environment.Environment, do func(ctx context.Context, env *environment.Environment) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(end, func() { cancel(environment.Interrupted) })()
	err := do(ctx, env)
	if err != nil && errors.Is(context.Cause(ctx), environment.Interrupted) {
		return environment.Interrupted.Because(err)
	}
	return err
}

func (e *Environments) session(ctx context.Context, id string, enter bool) (*session, error) {
	for {
		s, own, err := e.table.acquire(ctx, id, enter)
		if s != nil || err != nil {
			return s, err
		}
		Sweeper{e}.makeRoom(ctx)
		env, err := e.load(context.WithoutCancel(ctx), id)
		if err != nil {
			e.table.closed(own, err)
			return nil, err
		}
		e.table.opened(own, env) // then acquire it like any other caller
	}
}

// load opens the databases of an environment and binds the services to them. It
// completes an unfinished restore first.
func (e *Environments) load(ctx context.Context, id string) (*environment.Environment, error) {
	entry, err := e.Catalogue.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	b := environment.Binding{Info: entry.Info, Equals: entry.Restoring, Sure: entry.Wake != catalogue.WakeAtStart}
	if entry.Restoring != "" {
		if err := e.Worlds.Copy(ctx, entry.Restoring, worlds.Of(entry.Storage)); err != nil {
			return nil, err
		}
		if !entry.Ephemeral { // before MarkOpen records that the restore has ended
			if err := e.Worlds.Sync(ctx); err != nil {
				return nil, err
			}
		}
		b.Copy = &environment.Copied{Position: uint64(entry.Position)}
	}
	if b.World, b.Extra, err = e.Worlds.Open(ctx, worlds.Of(entry.Storage)); err != nil {
		if errors.Is(err, store.ErrNoWorld) {
			err = environment.Lost.Detailf("The database %q of the environment %q is missing: restore it from a backup, or reset or delete the environment.", worlds.Of(entry.Storage), id)
		}
		return nil, err
	}
	env, err := e.Platform.Bind(ctx, b)
	if err != nil || entry.Restoring == "" && entry.Wake == catalogue.WakeAtStart {
		return env, err
	}
	if err := e.Catalogue.MarkOpen(ctx, id); err != nil {
		env.Close()
		return nil, err
	}
	return env, nil
}

// Ping returns an error when the database does not answer.
func (e *Environments) Ping(ctx context.Context) error {
	if err := e.store.Ping(ctx); err != nil {
		return err
	}
	return e.Catalogue.Ping(ctx)
}

// EndStreams ends the long-lived connections of clients in all environments.
func (e *Environments) EndStreams() {
	for _, s := range e.table.sessions() {
		s.env.EndStreams()
	}
}

// closers is the number of environments that Close closes concurrently.
const closers = 8

// Close closes all environments and the catalogue.
func (e *Environments) Close() error {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		notes []catalogue.Closing
		slots = make(chan struct{}, closers)
	)
	for _, own := range e.table.endAll() {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			env := own.session.env
			note := Overviews{e}.closing(env, nil)
			if env.Ephemeral {
				env.Discard()
			} else {
				env.Close()
			}
			e.table.closed(own, nil)
			mu.Lock()
			defer mu.Unlock()
			notes = append(notes, note)
		})
	}
	wg.Wait()
	ctx := context.Background()
	err := errors.Join(e.Catalogue.MarkClosed(ctx, notes...), e.recover(ctx), e.Catalogue.Close())
	e.store.Release()
	return err
}
