package environment

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// opening is an environment that is open, or being opened, put back, removed or closed.
type opening struct {
	ready chan struct{}
	env   *Environment
	err   error

	inside  atomic.Int64    // requests
	used    atomic.Int64    // when it was last asked for, real time in microseconds
	working atomic.Int64    // operations among the requests
	ending  context.Context // of the operations: ends when they take too long for who waits for them
	end     context.CancelFunc
}

func newOpening() *opening {
	op := &opening{ready: make(chan struct{})}
	op.ending, op.end = context.WithCancel(context.Background())
	return op
}

// errAgain says that an environment was closed while someone waited for it.
var errAgain = errors.New("look again")

func (op *opening) isReady() bool {
	select {
	case <-op.ready:
		return true
	default:
		return false
	}
}

func (op *opening) touch() { op.used.Store(clock.Real().UnixMicro()) }

func (op *opening) leave() {
	op.touch()
	op.inside.Add(-1)
}

// Open gives an environment that exists. It returns NotFound for any other id.
// The environment may be closed when it has not been used for a while: who
// works with it enters it.
func (m *Manager) Open(ctx context.Context, id string) (*Environment, error) {
	op, err := m.opened(ctx, id, false)
	if err != nil {
		return nil, err
	}
	return op.env, nil
}

// Enter is Open for a request: it is let end before the environment is put
// back, removed or closed. leave must be called.
func (m *Manager) Enter(ctx context.Context, id string) (env *Environment, leave func(), err error) {
	op, err := m.opened(ctx, id, true)
	if err != nil {
		return nil, nil, err
	}
	return op.env, op.leave, nil
}

func (m *Manager) opened(ctx context.Context, id string, enter bool) (*opening, error) {
	for {
		m.mu.Lock()
		op := m.open[id]
		if op != nil && op.isReady() {
			op.touch()
			if enter && op.err == nil {
				op.inside.Add(1)
			}
			m.mu.Unlock()
			return op, op.err
		}
		if op == nil {
			if m.closing {
				m.mu.Unlock()
				return nil, store.Unavailable
			}
			op = newOpening()
			m.open[id] = op
			m.mu.Unlock()
			m.makeRoom(ctx)
			m.settle(id, op, func() (*Environment, error) { return m.load(context.WithoutCancel(ctx), id) })
			if op.err != nil {
				return nil, op.err
			}
			continue
		}
		m.mu.Unlock()
		select {
		case <-op.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if op.err != nil && !errors.Is(op.err, errAgain) {
			return nil, op.err
		}
	}
}

// settle ends an opening, for all who wait for it.
func (m *Manager) settle(id string, op *opening, open func() (*Environment, error)) {
	op.env, op.err = open()
	if op.err != nil {
		m.mu.Lock()
		delete(m.open, id)
		m.mu.Unlock()
	}
	op.touch()
	close(op.ready)
}

func (m *Manager) load(ctx context.Context, id string) (*Environment, error) {
	info, position, err := m.look(ctx, id)
	if err != nil {
		return nil, err
	}
	if info.restoring != "" {
		if err := m.copyWorlds(ctx, info.restoring, worldOf(id)); err != nil {
			return nil, err
		}
	}
	world, err := m.o.Store.Open(ctx, worldOf(id), m.schemas)
	if err != nil {
		return nil, err
	}
	var at *int64
	if info.restoring != "" {
		at = &position
	}
	env, err := m.assemble(ctx, info, world, nil, at)
	if err != nil || info.restoring == "" && info.wake == wakeAtStart {
		return env, err
	}
	if err := m.catalogue.Write(ctx, func(tx *store.Tx) error { return setOpened(tx, id) }); err != nil {
		m.shut(env, false)
		return nil, err
	}
	return env, nil
}

// look reads the catalogue. Of an environment that is being put back it also
// tells where its id source stood then.
func (m *Manager) look(ctx context.Context, id string) (info Info, position int64, err error) {
	var found bool
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		if info, found, err = getInfo(tx, id); err != nil || info.restoring == "" {
			return err
		}
		position = info.position
		if from, _ := ownerOf(info.restoring); from != id {
			_, position, err = snapshotOwner(tx, from)
		}
		return err
	})
	if err == nil && !found {
		err = NotFound
	}
	return info, position, err
}

// assemble binds the platform and all services to a world. meta is given for a
// new world and kept in it; position is given where the world's own is not right.
func (m *Manager) assemble(ctx context.Context, info Info, world *store.World, meta map[string]string, position *int64) (*Environment, error) {
	env := &Environment{Info: info, World: world, Extra: map[string]*store.World{}, Bus: &bus.Bus{}, Log: m.o.Log.With("environment", info.ID),
		Client: m.o.Client, CheckAdminKey: m.o.CheckAdminKey, Exposed: m.o.Exposed, instances: map[string]Instance{}}
	env.CredentialsChanged = func() { m.o.CredentialsChanged(info.ID) }
	env.SetRateLimits(info.RateLimits)
	if err := m.restore(ctx, env, meta, position); err != nil {
		_ = world.Close()
		return nil, err
	}
	for name, schemas := range m.extra {
		env.Extra[name] = store.Lazily(m.o.Store, worldOf(info.ID)+extraSuffix(name), schemas)
	}
	if env.IDs.IsSeeded() { // what ran again would draw from it again
		world.RunOnce()
		for _, w := range env.Extra {
			w.RunOnce()
		}
	}
	env.Outbox = outbox.New(outbox.Deps{World: world, Clock: env.Clock, Bus: env.Bus, Client: m.o.Client, Log: env.Log, Mute: env.mute})
	env.Auth = auth.New(world, env.Clock, env.IDs, env.Bus, env.Secrets)
	if env.Exposed {
		env.Auth.Expose()
	}
	env.limiter = ratelimit.NewMemory(env.Clock, env.setting)
	env.Limiter = env.limiter
	env.Recorder = record.New(env.Clock)
	for _, s := range m.o.Services {
		in, err := s.Open(env)
		if err != nil {
			m.shut(env, false)
			return nil, fmt.Errorf("open %s: %w", s.Name(), err)
		}
		env.instances[s.Name()] = in
	}
	err := env.Outbox.Start(ctx)
	if err == nil && meta == nil && info.restoring == "" { // what is put back begins anew
		err = m.recall(ctx, env)
	}
	if err != nil {
		m.shut(env, false)
		return nil, err
	}
	return env, nil
}

// restore makes clock, id source and secrets from what the world knows of itself.
func (m *Manager) restore(ctx context.Context, env *Environment, meta map[string]string, at *int64) error {
	var have map[string]string
	var position uint64
	err := env.World.Write(ctx, func(tx *store.Tx) (err error) {
		if have = meta; meta != nil {
			if err := setMeta(tx, meta); err != nil {
				return err
			}
		} else if have, err = getMeta(tx); err != nil {
			return err
		}
		if at != nil { // a copy that was put back
			if err := forgetState(tx); err != nil {
				return err
			}
		}
		if have["seed"] == "" {
			return nil
		}
		if position, _ = strconv.ParseUint(have["ids_position"], 10, 64); at != nil {
			position = uint64(*at)
		}
		return setMeta(tx, map[string]string{"ids_position": strconv.FormatUint(position+seededReserve, 10)})
	})
	if err != nil {
		return err
	}
	env.Clock = clock.Restore(clockMeta(have))
	root := m.o.RootKey
	env.IDs = ids.Random()
	if text := have["seed"]; text != "" {
		seed, _ := strconv.ParseInt(text, 10, 64)
		root, env.IDs = ids.SeedRoot(seed), ids.Seeded(seed, position)
	}
	env.Secrets = ids.NewSecrets(root, have["lineage"])
	env.mute = have["deliveries"] == "off"
	return nil
}

// endStreams ends what clients hold open.
func (e *Environment) endStreams() {
	for _, in := range e.instances {
		if s, ok := in.(Streamer); ok {
			s.EndStreams()
		}
	}
}

// shut closes an environment. Unless it is to be discarded, it keeps where its
// id source stands.
func (m *Manager) shut(env *Environment, discard bool) {
	env.endStreams()
	if env.Outbox != nil {
		if discard {
			env.Outbox.Abort()
		} else {
			env.Outbox.Close()
		}
	}
	for _, in := range env.instances {
		in.Close()
	}
	end := (*store.World).Discard
	if !discard {
		end = (*store.World).Close
		if env.Recorder != nil {
			if err := m.remember(context.Background(), env); err != nil {
				env.Log.Error("recorded requests and limits were not kept", "error", err)
			}
		}
		if env.IDs != nil && env.IDs.IsSeeded() {
			position := strconv.FormatUint(env.IDs.Position(), 10)
			err := env.World.Write(context.Background(), func(tx *store.Tx) error {
				return setMeta(tx, map[string]string{"ids_position": position})
			})
			if err != nil {
				env.Log.Error("the position of the id source was not kept", "error", err)
			}
		}
	}
	for _, w := range env.Extra {
		if err := end(w); err != nil {
			env.Log.Error("close", "world", w.Name, "error", err)
		}
	}
	if err := end(env.World); err != nil {
		env.Log.Error("close", "error", err)
	}
}

// drainTime is how long requests may take once their environment is to be put back or removed.
const drainTime = 5 * time.Second

// take makes an environment this caller's own: whoever opens it waits until it
// is settled or abandoned. Its streams have ended then, and its requests, but
// for those that wait for a slow client: they find their world closed, and say
// that the service is not available. old is nil for one that is not open. It
// returns NotFound.
func (m *Manager) take(ctx context.Context, id string) (old, own *opening, err error) {
	own = newOpening()
	for {
		m.mu.Lock()
		old = m.open[id]
		if old == nil || old.isReady() {
			m.open[id] = own
			m.mu.Unlock()
			break
		}
		m.mu.Unlock()
		<-old.ready
	}
	if old == nil {
		if _, _, err := m.look(ctx, id); err != nil {
			m.settle(id, own, func() (*Environment, error) { return nil, err })
			return nil, nil, err
		}
		return nil, own, nil
	}
	old.env.endStreams()
	old.drain(m.patience)
	return old, own, nil
}

// drain waits for requests to end, for some time, and then for operations, which it ends.
func (op *opening) drain(patience time.Duration) {
	for end := clock.Real().Add(patience); op.inside.Load() > 0 && clock.Real().Before(end); {
		time.Sleep(200 * time.Microsecond)
	}
	op.end()
	for op.working.Load() > 0 {
		time.Sleep(200 * time.Microsecond)
	}
}

// work runs an operation that may be long and has no client to wait for. It
// returns Interrupted when the environment is put back or removed and did not
// wait for its end.
func (m *Manager) work(ctx context.Context, id string, do func(ctx context.Context, env *Environment) error) error {
	op, err := m.opened(ctx, id, true)
	if err != nil {
		return err
	}
	defer op.leave()
	op.working.Add(1)
	defer op.working.Add(-1)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(op.ending, func() { cancel(Interrupted) })()
	if err = do(ctx, op.env); err != nil && errors.Is(context.Cause(ctx), Interrupted) {
		return Interrupted.Because(err)
	}
	return err
}

// giveBack lets an environment be opened again that was taken and is closed.
func (m *Manager) giveBack(id string, own *opening) {
	m.mu.Lock()
	delete(m.open, id)
	m.mu.Unlock()
	own.err = errAgain
	close(own.ready)
}

// abandon undoes take. What was open is closed, since its streams have ended.
func (m *Manager) abandon(id string, old, own *opening) {
	if old != nil {
		m.shut(old.env, false)
	}
	m.giveBack(id, own)
}
