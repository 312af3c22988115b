// Package environment defines environments: isolated worlds, each with its own
// database, clock, id source, secrets, limits and recordings, in which every
// service has an instance of its own. An instance is bound to one world, so a
// service cannot forget isolation.
//
// The package holds the types and binds services to a world (Platform.Bind). It
// does not know which environments exist: catalogue lists them, lifecycle opens
// and closes them, provision fills them, clone copies and compares them, and
// worlds names their databases.
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

// Default is the id of the environment that exists from the first start on.
const Default = "default"

// The refusals of this package and those below it.
var (
	NotFound = fault.New(fault.NotFound, "environment_not_found", "There is no environment with this id.")
	// Exists refuses an id that is in use, and Ambiguous a name of several
	// environments: its attributes are their ids.
	Exists    = fault.New(fault.Conflict, "environment_exists", "An environment with this id exists already.")
	Ambiguous = fault.New(fault.Conflict, "ambiguous_name", "Several environments have this name.")
	BadValue  = fault.New(fault.Invalid, "invalid_value", "A value is malformed.")
	// Predictable refuses an environment whose secrets follow from its seed, now
	// that others can reach the server.
	Predictable = fault.New(fault.Conflict, "predictable_secrets",
		"This environment was made with a seed while all addresses were on loopback, so its secrets can be foreseen. Make it anew.")
	// Interrupted ends a long operation when its environment is reset, restored or deleted.
	Interrupted = fault.New(fault.Conflict, "environment_interrupted", "The environment was reset, restored or deleted before the operation ended.")
)

// Info describes an environment.
type Info struct {
	ID         string
	Storage    string // names its databases: the id, unless that was chosen
	Name       string
	Parent     string // the id of the environment that it is a fork of, or ""
	Created    time.Time
	RateLimits ratelimit.Setting
	Expires    time.Time // in real time; the zero time means never
	Ephemeral  bool      // kept in memory only, where the database can; gone when the program ends
}

// SetTTL sets the time of expiry to ttl from now, in real time; 0 means never.
func (i *Info) SetTTL(ttl time.Duration) {
	i.Expires = time.Time{}
	if ttl > 0 {
		i.Expires = clock.Real().Add(ttl).UTC().Truncate(time.Microsecond)
	}
}

// Environment is an open environment.
//
// It has more methods than most types because it is the one thing that callers
// outside this folder hold: each method asks or closes all of its instances.
type Environment struct {
	Info
	World    *store.World
	Extra    map[string]*store.World // the databases of the WorldKeepers, by name
	Clock    *clock.Clock
	IDs      *ids.Source
	Secrets  *ids.Secrets
	Box      *ids.Box // seals the secrets that services have to store
	Bus      *bus.Bus
	Outbox   *outbox.Outbox
	Client   *outbound.Client // for requests to addresses that users have named
	Auth     *auth.Auth
	Limiter  ratelimit.Limiter
	Recorder *record.Recorder
	Journal  *cause.Journal // which request changed what
	Faults   *Faults
	Log      *slog.Logger
	// CheckAdminKey reports whether a text is the key of the admin plane. It
	// returns auth.TooManyFailures for an address that has failed too often.
	CheckAdminKey func(address, text string) (bool, error)
	Exposed       bool // clients may come from other machines
	// Copied reports that the databases began as copies of flushed ones when the
	// environment was bound: in a database that was not opened since, nothing waits.
	Copied bool
	Fresh  bool        // a fork that accepts no credentials of its parent, or a descendant of one
	Asked  atomic.Bool // one of the services was sent a request since it was made or opened
	// CredentialsChanged must be called after a change of what Credentials returns.
	CredentialsChanged func()

	acting    acting
	counting  counting
	clocking  sync.Mutex   // held while the clock is set and stored
	infoMu    sync.Mutex   // guards Name, RateLimits and Expires of Info, which SetInfo changes
	limits    atomic.Value // ratelimit.Setting
	limiter   *ratelimit.Memory
	hadLimits bool // some limits were partly spent when the environment was opened
	// firstRequest is the number of the last request before the environment was opened.
	firstRequest int64
	// lostRequest is the number of the last request that was known to be lost then.
	lostRequest int64
	instances   map[string]Instance
	order       []string     // of the services
	mute        bool         // no webhooks are delivered
	recordings  string       // "full" for more of them than usual
	fixture     string       // the bundled fixture that it was filled from, or ""
	rotation    atomic.Int64 // how often its credentials were renewed
	rotating    sync.Mutex   // held while they are
	sealed      bool         // no service stores secrets in plain text
	layout      int64        // of the tables
	resumed     bool         // the journal continues a stored one
	inherited   *ids.Secrets // what its secrets would be otherwise
}

// Service returns the instance of a service, or nil.
func (e *Environment) Service(name string) Instance { return e.instances[name] }

// CurrentInfo returns Info as it is now. The field Info itself must be read
// only where nobody can call SetInfo.
func (e *Environment) CurrentInfo() Info {
	e.infoMu.Lock()
	defer e.infoMu.Unlock()
	return e.Info
}

// SetInfo changes name, rate limits and time of expiry.
func (e *Environment) SetInfo(i Info) {
	e.SetRateLimits(i.RateLimits)
	e.infoMu.Lock()
	defer e.infoMu.Unlock()
	e.Name, e.RateLimits, e.Expires = i.Name, i.RateLimits, i.Expires
}

// SetRateLimits changes how limits count from now on.
func (e *Environment) SetRateLimits(s ratelimit.Setting) { e.limits.Store(s) }

// CurrentRateLimits returns how limits count now.
func (e *Environment) CurrentRateLimits() ratelimit.Setting {
	return e.limits.Load().(ratelimit.Setting)
}

// SetClock calls set with the environment's clock and stores the result, also
// when the caller has gone; then the services apply what is due. It stores
// nothing when set returns an error, which it returns.
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

// ClockMoved makes the services apply what is due by the clock's time.
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

// Credentials returns the credentials of all services, by service, and the password
// of a fixture. baseURL returns the base URL of a service.
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

// Flush waits until the services have done the work that they do behind their replies.
// What they write counts as written in the background, whoever waits for it.
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

// EndStreams ends the connections that clients keep open.
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

// Streams returns the number of connections that clients keep open.
func (e *Environment) Streams() (n int) {
	for _, in := range e.instances {
		if s, ok := in.(Streamer); ok {
			n += s.Streams()
		}
	}
	return n
}
