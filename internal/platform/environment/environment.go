// Package environment defines environments: isolated worlds, each with its own
// database, clock, id source, secrets, limits and recordings, and its own
// instance of every service. An instance is bound to one world, so that services
// are isolated by construction.
//
// The package contains the types and binds services to a world (Platform.Bind).
// Its subpackages manage environments: catalogue lists them, lifecycle opens and
// closes them, provision fills them, clone copies and compares them, and worlds
// names their databases.
package environment

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/cause"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// Default is the id of the environment that the first start creates.
const Default = "default"

// The errors of this package and those below it.
var (
	NotFound = fault.New(fault.NotFound, "environment_not_found", "There is no environment with this id.")
	// Exists means that an id is in use, and Ambiguous that several environments
	// have a name: its Attrs are their ids.
	Exists    = fault.New(fault.Conflict, "environment_exists", "An environment with this id exists already.")
	Ambiguous = fault.New(fault.Conflict, "ambiguous_name", "Several environments have this name.")
	BadValue  = fault.New(fault.Invalid, "invalid_value", "A value is malformed.")
	// Predictable rejects an environment with secrets that can be derived from its
	// seed, when the server is reachable by others.
	Predictable = fault.New(fault.Conflict, "predictable_secrets",
		"This environment was made with a seed while all addresses were on loopback, so its secrets can be foreseen. Make it anew.")
	// Lost means that the database of an environment was removed from outside.
	Lost = fault.New(fault.Unavailable, "environment_lost", "")
	// Interrupted ends a long operation when its environment is reset, restored or deleted.
	Interrupted = fault.New(fault.Conflict, "environment_interrupted", "The environment was reset, restored or deleted before the operation ended.")
)

// Info describes an environment.
type Info struct {
	ID         string
	Storage    string // part of the names of its databases: the generated id, or a generated one if the id was chosen
	Name       string
	Parent     string // the id of the environment from which it was forked, or ""
	Created    time.Time
	RateLimits ratelimit.Setting
	Expires    time.Time // in real time; the zero time means never
	Ephemeral  bool      // in memory only, if the database supports it; removed when the program ends
}

// SetTTL sets the expiry to ttl from now, in real time; 0 means never.
func (i *Info) SetTTL(ttl time.Duration) {
	i.Expires = time.Time{}
	if ttl > 0 {
		i.Expires = clock.Real().Add(ttl).UTC().Truncate(time.Microsecond)
	}
}

// Environment is an open environment.
//
// It has more methods than most types because code outside of this directory
// holds only this type: each method applies to all of its instances.
type Environment struct {
	Info
	World    *store.World
	Extra    map[string]*store.World // the databases of the WorldKeepers, by name
	Worlds   []*store.World          // World and those of Extra: lists and sweeps walk thousands of environments
	Clock    *clock.Clock
	IDs      *ids.Source
	Secrets  *ids.Secrets
	Box      *ids.Box // encrypts the secrets that services must store
	Bus      *bus.Bus
	Outbox   *outbox.Outbox
	Client   *outbound.Client // sends requests to addresses that users have configured
	Auth     *auth.Auth
	Limiter  ratelimit.Limiter
	Recorder *record.Recorder
	Journal  *cause.Journal // which request changed what
	Faults   *Faults
	Log      *slog.Logger
	// CheckAdminKey reports whether a text is the key of the admin plane. It returns
	// auth.TooManyFailures after too many failures from an address.
	CheckAdminKey func(address, text string) (bool, error)
	Exposed       bool // clients may be on other machines
	// Copied reports that the databases were copies of flushed ones when the
	// environment was bound: nothing is pending in a database that was not opened
	// since.
	Copied bool
	Fresh  bool        // a fork that accepts no credentials of its parent, or a descendant of one
	Asked  atomic.Bool // a service has received a request since the environment was created or opened
	// CredentialsChanged must be called after a change of the result of Credentials.
	CredentialsChanged func()

	acting    acting
	counting  counting
	clocking  sync.Mutex   // held while the clock is set and stored
	infoMu    sync.Mutex   // guards Name, RateLimits and Expires of Info, which SetInfo changes
	limits    atomic.Value // ratelimit.Setting
	limiter   *ratelimit.Memory
	hadLimits bool // some limits were partly used when the environment was opened
	// firstRequest is the number of the last request before the environment was opened.
	firstRequest int64
	// lostRequest is the number of the last request known to be lost at that time.
	lostRequest int64
	instances   map[string]Instance
	order       []string     // of the services
	mute        bool         // no webhooks are delivered
	recordings  string       // "full" to keep more than usual
	fixture     string       // the bundled fixture with which it was filled, or ""
	rotation    atomic.Int64 // how often its credentials were rotated
	rotating    sync.Mutex   // held during a rotation
	sealed      bool         // no service stores secrets in plain text
	layout      int64        // of the tables
	resumed     bool         // the journal continues a stored one
	inherited   *ids.Secrets // the secrets that it would otherwise have
}

// Service returns the instance of a service, or nil.
func (e *Environment) Service(name string) Instance { return e.instances[name] }

// CurrentInfo returns the current Info. Read the field Info itself only where
// SetInfo cannot be called concurrently.
func (e *Environment) CurrentInfo() Info {
	e.infoMu.Lock()
	defer e.infoMu.Unlock()
	return e.Info
}

// SetInfo changes the name, rate limits and expiry.
func (e *Environment) SetInfo(i Info) {
	e.SetRateLimits(i.RateLimits)
	e.infoMu.Lock()
	defer e.infoMu.Unlock()
	e.Name, e.RateLimits, e.Expires = i.Name, i.RateLimits, i.Expires
}

// SetRateLimits changes the multiplier of the limits.
func (e *Environment) SetRateLimits(s ratelimit.Setting) { e.limits.Store(s) }

// CurrentRateLimits returns the multiplier of the limits.
func (e *Environment) CurrentRateLimits() ratelimit.Setting {
	return e.limits.Load().(ratelimit.Setting)
}

// SetClock calls set with the environment's clock and stores the result, even if
// ctx has ended; then the services apply what is due. If set returns an error,
// SetClock stores nothing and returns it.
func (e *Environment) SetClock(ctx context.Context, set func(*clock.Clock) error) error {
	e.clocking.Lock()
	defer e.clocking.Unlock()
	if err := set(e.Clock); err != nil {
		return err
	}
	meta := map[string]string{}
	setClockMeta(meta, e.Clock.State())
	if err := e.World.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return setMeta(tx, meta) }); err != nil {
		return err
	}
	return e.ClockMoved(ctx)
}

// ClockMoved makes the services apply what is due at the clock's time.
func (e *Environment) ClockMoved(ctx context.Context) error {
	for _, in := range e.instances {
		if f, ok := in.(ClockFollower); ok {
			if err := f.ClockMoved(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Credentials returns the credentials of all services, by service, and the
// password of a fixture. baseURL returns the base URL of a service.
func (e *Environment) Credentials(ctx context.Context, baseURL func(service string) string) (map[string]any, error) {
	out := map[string]any{}
	if e.fixture != "" {
		out["fixture_password"] = e.Auth.DerivedPasswordText(fixturePurpose(e.rotation.Load()))
	}
	for name, in := range e.instances {
		c, err := in.Credentials(ctx, baseURL(name))
		if err != nil {
			return nil, err
		}
		out[name] = c
	}
	return out, nil
}

// Flush waits until the services have done their deferred work. Its writes have
// the system as author.
func (e *Environment) Flush(ctx context.Context) error {
	ctx = cause.AsSystem(ctx)
	for _, in := range e.instances {
		if f, ok := in.(Flusher); ok {
			if err := f.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// EndStreams ends the long-lived connections of clients.
func (e *Environment) EndStreams() {
	if e.Faults != nil {
		e.Faults.End()
	}
	for _, in := range e.instances {
		if s, ok := in.(Streamer); ok {
			s.EndStreams()
		}
	}
}

// Streams returns the number of long-lived connections of clients.
func (e *Environment) Streams() (n int) {
	for _, in := range e.instances {
		if s, ok := in.(Streamer); ok {
			n += s.Streams()
		}
	}
	return n
}
