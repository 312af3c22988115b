package environment

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

//go:embed migrations
var migrations embed.FS

// WorldSchema is what this package keeps in each world.
func WorldSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations/world")
	return store.Schema{Name: "environment", Migrations: sub, Tables: map[string]store.Class{
		"env_meta": store.WorldClass, "env_state": store.RuntimeClass, "env_request": store.RuntimeClass}}
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
	CheckAdminKey func(address, text string) (bool, error)
	Exposed       bool // clients may come from other machines
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
	idle      time.Duration
	patience  time.Duration // with requests whose environment is to be put back or removed
	limit     int           // of open environments, above which idle ones are closed
	mu        sync.Mutex
	open      map[string]*opening
	seeding   chan struct{} // has a place for each document that is being applied
	closing   bool
	copies    copies
}

// NewManager opens the catalogue.
func NewManager(ctx context.Context, o Options) (*Manager, error) {
	w, err := o.Store.Open(ctx, "catalogue", []store.Schema{catalogueSchema()})
	if err != nil {
		return nil, err
	}
	m := &Manager{o: o, schemas: Schemas(o.Services), extra: extraWorlds(o.Services), catalogue: w, idle: idleTime, patience: drainTime, limit: openLimit(),
		open: map[string]*opening{}, seeding: make(chan struct{}, maxSeeding)}
	if err := o.Store.Join(ctx, func() error { return m.clean(ctx) }); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return m, nil
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
	Ephemeral  bool           // in memory alone
}

// Create makes an environment and opens it. It is in the catalogue only when
// all of it is there, so a crash in the middle leaves nothing.
func (m *Manager) Create(ctx context.Context, c Create) (*Environment, error) {
	m.makeRoom(ctx)
	if c.ID == "" {
		c.ID = newID(ofEnvironment, c.Ephemeral, 12)
	}
	if c.Name == "" {
		c.Name = c.ID
	}
	meta := map[string]string{"lineage": ids.Random().Hex(32)}
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
	world, err := m.o.Store.Create(ctx, worldOf(c.ID), "", m.schemas)
	if err != nil {
		return nil, err
	}
	info := Info{ID: c.ID, Name: c.Name, RateLimits: c.RateLimits, Ephemeral: c.Ephemeral}
	info.expire(c.TTL)
	env, err := m.assemble(ctx, info, world, meta, nil)
	if err != nil {
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(c.ID)))
	}
	env.Info.Created = env.Clock.Now()
	err = m.fill(ctx, env, c)
	for _, in := range env.instances {
		if x, ok := in.(Indexer); ok && err == nil {
			err = x.Index(ctx)
		}
	}
	if err != nil {
		m.shut(env, true)
		return nil, errors.Join(err, m.dropWorlds(ctx, worldOf(c.ID)))
	}
	return env, m.publish(ctx, env)
}

// publish makes a new environment durable, keeps the state to which a reset
// goes back, and enters it into the catalogue. Whoever finds it there waits
// until it is open here. When that fails nothing of it remains.
func (m *Manager) publish(ctx context.Context, env *Environment) error {
	err := settle(ctx, env) // while nobody waits for the disk
	if err == nil {
		err = env.World.MakeDurable(ctx)
	}
	if err == nil {
		env.position, err = m.keep(ctx, env, baseOf(env.ID))
	}
	env.wake = wakeAtStart // it is open
	op := newOpening()
	m.mu.Lock()
	m.open[env.ID] = op
	m.mu.Unlock()
	if err == nil {
		err = m.catalogue.Write(ctx, func(tx *store.Tx) error { return insertInfo(tx, env.Info) })
	}
	if err != nil {
		m.shut(env, true)
		err = errors.Join(err, m.dropWorlds(ctx, worldOf(env.ID)), m.dropWorlds(ctx, baseOf(env.ID)))
	}
	m.settle(env.ID, op, func() (*Environment, error) {
		if err != nil {
			return nil, err
		}
		return env, nil
	})
	return err
}

// SetClock sets the clock of an environment and keeps it. What set refuses is
// not kept; what it did is, whether its client still waits or not.
func (m *Manager) SetClock(ctx context.Context, env *Environment, set func(*clock.Clock) error) error {
	env.clocking.Lock()
	defer env.clocking.Unlock()
	if err := set(env.Clock); err != nil {
		return err
	}
	meta := map[string]string{}
	setClockMeta(meta, env.Clock.State())
	return env.World.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return setMeta(tx, meta) })
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
