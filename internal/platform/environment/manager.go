package environment

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

//go:embed migrations
var migrations embed.FS

// WorldSchema is what this package keeps in each world.
func WorldSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations/world")
	return store.Schema{Name: "environment", Migrations: sub, Tables: map[string]store.Class{"env_meta": store.WorldClass}}
}

func catalogueSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations/catalogue")
	return store.Schema{Name: "catalogue", Migrations: sub, Tables: map[string]store.Class{"environment": store.RuntimeClass}}
}

// seededReserve is how far a seeded id source is moved on when the program did
// not end cleanly: more bytes than one run can draw.
const seededReserve = 1 << 40

// Options are those of the whole program.
type Options struct {
	Store         store.Store
	RootKey       []byte // secrets of all environments without a seed derive from it
	Services      []Service
	Log           *slog.Logger
	Client        *outbound.Client // for deliveries
	CheckAdminKey func(text string) bool
	// Fixture gives the seed document of a bundled fixture.
	Fixture func(name string) (*seeddoc.Node, error)
	// CredentialsChanged is called when the credentials of an environment have changed.
	CredentialsChanged func(env string)
}

// Manager holds the environments of this process.
type Manager struct {
	o         Options
	schemas   []store.Schema
	extra     map[string][]store.Schema // the worlds beside that of the state
	catalogue *store.World
	mu        sync.Mutex
	open      map[string]*opening
	seeding   chan struct{} // has a place for each document that is being applied
	copies    copies
}

// opening is an environment that is open or being opened.
type opening struct {
	ready chan struct{}
	env   *Environment
	err   error
}

// NewManager opens the catalogue.
func NewManager(ctx context.Context, o Options) (*Manager, error) {
	w, err := o.Store.Open(ctx, "catalogue", []store.Schema{catalogueSchema()})
	if err != nil {
		return nil, err
	}
	return &Manager{o: o, schemas: Schemas(o.Services), extra: extraWorlds(o.Services), catalogue: w,
		open: map[string]*opening{}, seeding: make(chan struct{}, maxSeeding)}, nil
}

// Schemas gives everything that a world holds.
func Schemas(services []Service) []store.Schema {
	out := []store.Schema{WorldSchema(), auth.Schema(), outbox.Schema()}
	for _, s := range services {
		out = append(out, s.Schema())
	}
	return out
}

// extraWorlds gives what services keep beside the environment's state.
func extraWorlds(services []Service) map[string][]store.Schema {
	out := map[string][]store.Schema{}
	for _, s := range services {
		if keeper, ok := s.(WorldKeeper); ok {
			maps.Copy(out, keeper.ExtraWorlds())
		}
	}
	return out
}

// suffixes tell the databases of an environment apart.
func (m *Manager) suffixes() []string {
	out := []string{""}
	for name := range m.extra {
		out = append(out, extraSuffix(name))
	}
	return out
}

// Create is what a new environment is made of; zero fields have defaults.
type Create struct {
	ID         string // made up when empty
	Name       string
	Seed       *int64
	Clock      *time.Time
	RateLimits ratelimit.Setting
	Fixture    string
	Document   *seeddoc.Node  // a seed document, applied after the fixture; nil for none
	Made       map[string]any // takes what the document made, as Seed gives it; may be nil
	TTL        time.Duration  // in real time; 0 is for ever
}

// Create makes an environment and opens it. It is in the catalogue only when
// all of it is there, so a crash in the middle leaves nothing.
func (m *Manager) Create(ctx context.Context, c Create) (*Environment, error) {
	source := ids.Random()
	if c.ID == "" {
		c.ID = "e" + source.String(idAlphabet, 11)
	}
	if c.Name == "" {
		c.Name = c.ID
	}
	meta := map[string]string{"lineage": source.Hex(32)}
	if c.Seed != nil {
		meta["lineage"] = "seed"
		meta["seed"] = strconv.FormatInt(*c.Seed, 10)
		meta["ids_position"] = "0"
	}
	if c.Clock != nil {
		setClockMeta(meta, clock.At(*c.Clock).State())
	}
	if err := m.dropWorlds(ctx, worldOf(c.ID)); err != nil { // what a crash has left
		return nil, err
	}
	info := Info{ID: c.ID, Name: c.Name, RateLimits: c.RateLimits}
	info.expire(c.TTL)
	env, err := m.assemble(ctx, info, meta)
	if err != nil {
		return nil, err
	}
	env.Info.Created = env.Clock.Now()
	if err := m.fill(ctx, env, c); err != nil {
		m.shut(env)
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(c.ID)))
	}
	err = m.keep(ctx, env, baseOf(c.ID))
	if err == nil {
		err = m.catalogue.Write(ctx, func(tx *store.Tx) error { return insertInfo(tx, env.Info) })
	}
	if err != nil {
		m.shut(env)
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(c.ID)), m.dropWorlds(ctx, baseOf(c.ID)))
	}
	op := &opening{ready: make(chan struct{}), env: env}
	close(op.ready)
	m.mu.Lock()
	m.open[c.ID] = op
	m.mu.Unlock()
	return env, nil
}

// Open gives an environment that exists. It returns NotFound for any other id.
func (m *Manager) Open(ctx context.Context, id string) (*Environment, error) {
	m.mu.Lock()
	op := m.open[id]
	if op != nil {
		m.mu.Unlock()
		<-op.ready
		return op.env, op.err
	}
	op = &opening{ready: make(chan struct{})}
	m.open[id] = op
	m.mu.Unlock()
	op.env, op.err = m.load(context.WithoutCancel(ctx), id)
	if op.err != nil {
		m.mu.Lock()
		delete(m.open, id)
		m.mu.Unlock()
	}
	close(op.ready)
	return op.env, op.err
}

func (m *Manager) load(ctx context.Context, id string) (*Environment, error) {
	var info Info
	var found bool
	err := m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		info, found, err = getInfo(tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, NotFound
	}
	if err := m.finishRestoring(ctx, info); err != nil {
		return nil, err
	}
	return m.assemble(ctx, info, nil)
}

// assemble opens a world and binds the platform and all services to it. meta
// is given for a new world and kept in it.
func (m *Manager) assemble(ctx context.Context, info Info, meta map[string]string) (*Environment, error) {
	world, err := m.o.Store.Open(ctx, worldOf(info.ID), m.schemas)
	if err != nil {
		return nil, err
	}
	env := &Environment{Info: info, World: world, Extra: map[string]*store.World{}, Bus: &bus.Bus{}, Log: m.o.Log.With("environment", info.ID),
		Client: m.o.Client, CheckAdminKey: m.o.CheckAdminKey, instances: map[string]Instance{}}
	env.CredentialsChanged = func() { m.o.CredentialsChanged(info.ID) }
	env.SetRateLimits(info.RateLimits)
	if err := m.restore(ctx, env, meta); err != nil {
		_ = world.Close()
		return nil, err
	}
	for name, schemas := range m.extra {
		if env.Extra[name], err = m.o.Store.Open(ctx, worldOf(info.ID)+extraSuffix(name), schemas); err != nil {
			delete(env.Extra, name)
			m.shut(env)
			return nil, err
		}
	}
	env.Outbox = outbox.New(outbox.Deps{World: world, Clock: env.Clock, Bus: env.Bus, Client: m.o.Client, Log: env.Log, Mute: env.mute})
	env.Auth = auth.New(world, env.Clock, env.IDs, env.Bus, env.Secrets)
	env.Limiter = ratelimit.NewMemory(env.Clock, env.setting)
	env.Recorder = record.New(env.Clock)
	for _, s := range m.o.Services {
		in, err := s.Open(env)
		if err != nil {
			m.shut(env)
			return nil, fmt.Errorf("open %s: %w", s.Name(), err)
		}
		env.instances[s.Name()] = in
	}
	if err := env.Outbox.Start(ctx); err != nil {
		m.shut(env)
		return nil, err
	}
	return env, nil
}

// restore makes clock, id source and secrets from what the world knows of itself.
func (m *Manager) restore(ctx context.Context, env *Environment, meta map[string]string) error {
	err := env.World.Write(ctx, func(tx *store.Tx) (err error) {
		if meta != nil {
			if err := setMeta(tx, meta); err != nil {
				return err
			}
		} else if meta, err = getMeta(tx); err != nil {
			return err
		}
		if meta["seed"] == "" {
			return nil
		}
		position, _ := strconv.ParseUint(meta["ids_position"], 10, 64)
		return setMeta(tx, map[string]string{"ids_position": strconv.FormatUint(position+seededReserve, 10)})
	})
	if err != nil {
		return err
	}
	env.Clock = clock.Restore(clockMeta(meta))
	root := m.o.RootKey
	env.IDs = ids.Random()
	if text := meta["seed"]; text != "" {
		seed, _ := strconv.ParseInt(text, 10, 64)
		position, _ := strconv.ParseUint(meta["ids_position"], 10, 64)
		root, env.IDs = ids.SeedRoot(seed), ids.Seeded(seed, position)
	}
	env.Secrets = ids.NewSecrets(root, meta["lineage"])
	env.mute = meta["deliveries"] == "off"
	return nil
}

// shut closes an environment and keeps where its id source stands.
func (m *Manager) shut(env *Environment) {
	if env.Outbox != nil {
		env.Outbox.Close()
	}
	for _, in := range env.instances {
		in.Close()
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
	for _, w := range env.Extra {
		if err := w.Close(); err != nil {
			env.Log.Error("close", "world", w.Name, "error", err)
		}
	}
	if err := env.World.Close(); err != nil {
		env.Log.Error("close", "error", err)
	}
}

// SaveClock keeps the clock of an environment after it was set.
func (m *Manager) SaveClock(ctx context.Context, env *Environment) error {
	meta := map[string]string{}
	setClockMeta(meta, env.Clock.State())
	return env.World.Write(ctx, func(tx *store.Tx) error { return setMeta(tx, meta) })
}

// List gives the environments after one id, in order, at most limit of them.
func (m *Manager) List(ctx context.Context, after string, limit int) (out []Info, err error) {
	err = m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = listInfo(tx, after, limit)
		return err
	})
	return out, err
}

// Size tells the bytes that an environment's databases take.
func (m *Manager) Size(ctx context.Context, env *Environment) (sum int64, err error) {
	for _, suffix := range m.suffixes() {
		n, err := m.o.Store.Size(ctx, worldOf(env.ID)+suffix)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// Delete removes an environment with its snapshots. It returns NotFound for an
// unknown one. Forks of it go on.
func (m *Manager) Delete(ctx context.Context, id string) error {
	ctx = context.WithoutCancel(ctx)
	old, err := m.take(ctx, id)
	if err != nil {
		return err
	}
	m.shut(old.env)
	var snapshots []Snapshot
	err = m.catalogue.Write(ctx, func(tx *store.Tx) (err error) {
		if snapshots, err = listSnapshots(tx, id, "", maxSnapshots); err != nil {
			return err
		}
		return deleteInfo(tx, id)
	})
	if _, opened := m.release(ctx, id); err != nil {
		return errors.Join(err, opened)
	}
	errs := []error{m.dropWorlds(ctx, worldOf(id)), m.dropWorlds(ctx, baseOf(id))}
	for _, s := range snapshots {
		errs = append(errs, m.dropWorlds(ctx, snapshotWorlds(s.ID)))
	}
	return errors.Join(errs...)
}

// Change is what may change of an environment; nil stays.
type Change struct {
	Name       *string
	RateLimits *ratelimit.Setting
	TTL        *time.Duration // in real time, from now; 0 is for ever
}

// Update changes an environment.
func (m *Manager) Update(ctx context.Context, id string, c Change) (*Environment, error) {
	env, err := m.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	info := env.Info
	info.RateLimits = env.setting()
	if c.Name != nil {
		info.Name = *c.Name
	}
	if c.RateLimits != nil {
		info.RateLimits = *c.RateLimits
	}
	if c.TTL != nil {
		info.expire(*c.TTL)
	}
	if err := m.catalogue.Write(ctx, func(tx *store.Tx) error { return updateInfo(tx, info) }); err != nil {
		return nil, err
	}
	env.SetRateLimits(info.RateLimits)
	m.mu.Lock()
	env.Info = info
	m.mu.Unlock()
	return env, nil
}

// Expire deletes the environments whose time has come. It is called again and again.
func (m *Manager) Expire(ctx context.Context) error {
	var due []string
	err := m.catalogue.Read(ctx, func(tx *store.Tx) (err error) {
		due, err = listExpired(tx, clock.Real().UnixMicro())
		return err
	})
	for _, id := range due {
		if e := m.Delete(ctx, id); e != nil && !errors.Is(e, NotFound) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// EndStreams ends what clients hold open in all environments.
func (m *Manager) EndStreams() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, op := range m.open {
		select {
		case <-op.ready:
		default:
			continue
		}
		if op.env == nil {
			continue
		}
		for _, in := range op.env.instances {
			if s, ok := in.(Streamer); ok {
				s.EndStreams()
			}
		}
	}
}

// Close closes all environments and the catalogue.
func (m *Manager) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, op := range m.open {
		<-op.ready
		if op.env != nil {
			if err := m.keepOverview(context.Background(), op.env); err != nil {
				op.env.Log.Error("the overview was not kept", "error", err)
			}
			m.shut(op.env)
		}
		delete(m.open, id)
	}
	return m.catalogue.Close()
}

func worldOf(id string) string { return "env_" + id }

// extraSuffix has two underscores, which no id has, so that it is nobody's state.
func extraSuffix(name string) string { return "__" + name }

func setClockMeta(meta map[string]string, s clock.State) {
	meta["clock_frozen"] = strconv.FormatBool(s.Frozen)
	meta["clock_at"] = strconv.FormatInt(s.At, 10)
	meta["clock_offset"] = strconv.FormatInt(s.Offset, 10)
}

func clockMeta(meta map[string]string) (s clock.State) {
	s.Frozen = meta["clock_frozen"] == "true"
	s.At, _ = strconv.ParseInt(meta["clock_at"], 10, 64)
	s.Offset, _ = strconv.ParseInt(meta["clock_offset"], 10, 64)
	return s
}
