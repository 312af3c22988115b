package environment

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/cause"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// Platform is what all environments of the program share.
type Platform struct {
	Services      []Service
	RootKey       []byte // the secrets of all environments without a seed are derived from it
	Log           *slog.Logger
	Client        *outbound.Client // sends deliveries
	CheckAdminKey func(address, text string) (bool, error)
	Exposed       bool // clients may be on other machines
	// EndClients ends waits for slow clients in requests to an environment, until
	// ctx ends. It may be nil.
	EndClients func(ctx context.Context, env string)
	// CredentialsChanged is called when the credentials of an environment have changed.
	CredentialsChanged func(env string)

	once     sync.Once
	entities []diff.Entity
	noted    *cause.Tables
	layout   int64    // of the services' tables
	runtime  []string // runtime tables of the services
}

// Binding describes how to open an environment.
type Binding struct {
	Info  Info
	World *store.World
	Extra map[string]*store.World
	Start *Start  // set for a new world
	Copy  *Copied // set for a world that was copied since it was last bound
	// Equals names the copy of the environment that equals the worlds; "" for worlds
	// that were bound before.
	Equals string
	// Filling reports that the world will be filled: until then, writes belong to
	// its initial state and are not recorded.
	Filling bool
	// Sure reports that previously bound worlds were closed properly.
	Sure bool
}

// Bind binds the platform and all services to a world. On error it closes the
// world.
func (p *Platform) Bind(ctx context.Context, b Binding) (*Environment, error) {
	env := &Environment{Info: b.Info, World: b.World, Extra: b.Extra, Worlds: slices.AppendSeq([]*store.World{b.World}, maps.Values(b.Extra)), Bus: &bus.Bus{}, Log: p.Log.With("environment", b.Info.ID),
		CheckAdminKey: p.CheckAdminKey, Exposed: p.Exposed, instances: map[string]Instance{}}
	env.CredentialsChanged = func() { p.CredentialsChanged(b.Info.ID) }
	env.SetRateLimits(b.Info.RateLimits)
	env.Copied = b.Copy != nil
	env.Journal, env.layout = cause.New(p.tables()), p.layout
	states, err := p.identify(ctx, env, b)
	if err != nil {
		_ = b.World.Close()
		return nil, err
	}
	if env.IDs.IsSeeded() { // a write that runs twice would draw ids twice
		env.World.RunOnce()
		for _, w := range env.Extra {
			w.RunOnce()
		}
	}
	crashed := false
	if b.Equals != "" {
		resumeJournal(env, env.Journal.State(), nil)
	} else if b.Start == nil && b.Copy == nil {
		if crashed, err = loadJournal(env, states[stateJournal], b.Sure); err != nil {
			_ = b.World.Close()
			return nil, err
		}
	}
	if !b.Filling {
		env.Observe()
	}
	env.Outbox = outbox.New(outbox.Deps{World: env.World, Clock: env.Clock, Bus: env.Bus, Client: env.Client, Log: env.Log, Mute: env.mute, Faults: env.Faults.Faults})
	env.Auth = auth.New(env.World, env.Clock, env.IDs, env.Bus, env.Secrets)
	if env.Exposed {
		env.Auth.Expose()
	}
	env.Bus.Subscribe(auth.PasswordChanged, func(any) { env.CredentialsChanged() })
	env.limiter = ratelimit.NewMemory(env.Clock, env.CurrentRateLimits)
	env.Limiter = env.limiter
	env.Recorder = record.New(env.Clock)
	if env.recordings == "full" {
		env.Recorder.SetBounds(record.Full)
	}
	for _, s := range p.Services {
		in, err := s.Open(env)
		if err != nil {
			env.Close()
			return nil, fmt.Errorf("open %s: %w", s.Name(), err)
		}
		env.instances[s.Name()] = in
		env.order = append(env.order, s.Name())
	}
	err = env.seal(ctx)
	if begins := b.Start != nil || b.Copy != nil && (b.Copy.Fork != nil || b.Copy.New); err == nil && begins {
		err = outbox.StartEmpty(ctx, env.Outbox) // a new environment: no requests, nothing pending
	} else if err == nil {
		if err = env.Outbox.Start(ctx); err == nil {
			err = env.loadState(ctx, crashed, states) // of a copy: the last cause of its events
		}
	}
	if err != nil {
		env.Close()
		return nil, err
	}
	return env, nil
}

// identify sets clock, id source and secrets from the world's metadata. For a
// world that was bound before and not copied, it returns the result of getStates.
func (p *Platform) identify(ctx context.Context, env *Environment, b Binding) (states map[string][]byte, err error) {
	var start, have map[string]string
	if b.Start != nil {
		start = b.Start.meta(p.Exposed)
	} else if b.Copy == nil && b.Equals == "" {
		err := env.World.Read(ctx, func(tx *store.Tx) (err error) {
			if have, err = getMeta(tx); err == nil {
				states, err = getStates(tx)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if !drawsIDs(have) { // nothing needs to be written
			return states, p.apply(env, have, 0)
		}
	}
	var position uint64
	err = env.World.Write(ctx, func(tx *store.Tx) (err error) {
		if b.Copy != nil {
			if have, err = b.Copy.prepare(tx, p.runtime); err != nil {
				return err
			}
		}
		if b.Equals != "" {
			if err := p.beginJournal(tx, env, b.Equals); err != nil {
				return err
			}
		}
		switch {
		case start != nil:
			have, err = start, setMeta(tx, start)
		case b.Copy == nil:
			have, err = getMeta(tx)
		}
		if err != nil {
			return err
		}
		if !drawsIDs(have) {
			return nil
		}
		if position, _ = strconv.ParseUint(have["ids_position"], 10, 64); b.Copy != nil && b.Copy.Fork == nil {
			position = b.Copy.Position
		}
		return setMeta(tx, map[string]string{"ids_position": strconv.FormatUint(position+seededReserve, 10)})
	})
	if err != nil {
		return nil, err
	}
	return states, p.apply(env, have, position)
}

// drawsIDs reports whether the ids of a world are derived from a seed.
func drawsIDs(meta map[string]string) bool { return meta["seed"] != "" || meta["ids_seed"] != "" }

// apply sets the fields that follow from a world's metadata. position is that of
// its ids, if they are derived from a seed.
func (p *Platform) apply(env *Environment, have map[string]string, position uint64) (err error) {
	env.Clock = clock.Restore(clockMeta(have))
	if env.IDs, env.Secrets, env.inherited, err = p.identity(have, position); err != nil {
		return err
	}
	env.Box, env.sealed = ids.NewBox(p.RootKey, have["lineage"]), have["sealed"] == "true"
	env.Fresh = isFresh(have)
	env.Client = p.Client.Rewriting(destinationsMeta(have))
	rotation, _ := strconv.ParseInt(have["rotation"], 10, 64)
	env.rotation.Store(rotation)
	env.fixture = have["fixture"]
	env.mute = have["deliveries"] == "off"
	env.recordings = have["recordings"]
	return p.openFaults(env, have)
}
