// Package environment makes and opens environments: isolated worlds, each with
// its own database, clock, id source, secrets, limits and recordings, in which
// every service has an instance of its own. Since an instance is bound to one
// world, forgetting isolation is not a mistake that a service can make.
//
// It stands last among the platform packages: it puts them together.
package environment

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
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

// The refusals of this package.
var (
	NotFound = fault.New(fault.NotFound, "environment_not_found", "There is no environment with this id.")
	BadValue = fault.New(fault.Invalid, "invalid_value", "A value is malformed.")
	// Interrupted ends an operation that takes long when its environment is put back or removed.
	Interrupted = fault.New(fault.Conflict, "environment_interrupted", "The environment was put back or removed before this was done.")
)

// Service is what the program serves in every environment.
type Service interface {
	Name() string
	// Schema is what the service keeps in each world.
	Schema() store.Schema
	// Open binds the service to an environment.
	Open(env *Environment) (Instance, error)
}

// Instance is a service in one environment. Its handler sees paths relative to
// the service's base URL, such as "/api/health".
type Instance interface {
	http.Handler
	// Provision makes what a new environment begins with. It runs once, in a world without data.
	Provision(ctx context.Context) error
	// Credentials gives the service's part of credentials.json.
	Credentials(ctx context.Context, baseURL string) (any, error)
	// Counts tells how many there are of what the service keeps, by plural
	// nouns. It is asked often and must cost little however many there are.
	Counts(ctx context.Context) (Counts, error)
	// Close ends what the instance runs in the background.
	Close()
}

// WorldKeeper is a Service that keeps data in databases of their own, beside
// the environment's state, because their load would slow the other services.
// They are made, copied and deleted with the environment.
type WorldKeeper interface {
	// ExtraWorlds names them, each with what it holds. A name is unique among
	// all services and made of a-z and 0-9.
	ExtraWorlds() map[string][]store.Schema
}

// Indexer is an Instance that makes what helps it to search behind the writes.
type Indexer interface {
	// Index makes it now: for a new environment, so that whoever puts it back has
	// it too, and the environment stays as it was made until someone changes it.
	Index(ctx context.Context) error
}

// Streamer is an Instance that holds connections open for as long as clients like.
type Streamer interface {
	// EndStreams ends them, before the server waits for its requests to end.
	EndStreams()
	// Streams tells how many there are.
	Streams() int
}

// Info is what the catalogue knows of an environment.
type Info struct {
	ID         string
	Name       string
	Parent     string
	Created    time.Time
	RateLimits ratelimit.Setting
	Expires    time.Time // in real time; zero is never
	Ephemeral  bool      // in memory alone, where the database can; gone with the program

	restoring string // the copy that is being put back
	wake      int64
	position  int64 // of a seeded id source, when the environment was made
}

func (i *Info) expire(ttl time.Duration) {
	i.Expires = time.Time{}
	if ttl > 0 {
		i.Expires = clock.Real().Add(ttl).UTC().Truncate(time.Microsecond)
	}
}

// Environment is an open environment.
type Environment struct {
	Info
	World    *store.World
	Extra    map[string]*store.World // those of the WorldKeepers, by name
	Clock    *clock.Clock
	IDs      *ids.Source
	Secrets  *ids.Secrets
	Bus      *bus.Bus
	Outbox   *outbox.Outbox
	Client   *outbound.Client // for requests to addresses that users have named
	Auth     *auth.Auth
	Limiter  ratelimit.Limiter
	Recorder *record.Recorder
	Log      *slog.Logger
	// CheckAdminKey reports whether a text is the key of the admin plane. It
	// returns auth.TooManyFailures for an address that has failed too often.
	CheckAdminKey func(address, text string) (bool, error)
	Exposed       bool // clients may come from other machines
	// CredentialsChanged has the environment's credentials written anew.
	CredentialsChanged func()

	updating  sync.Mutex   // held by the one who changes Info
	clocking  sync.Mutex   // held by the one who sets the clock
	infoMu    sync.Mutex   // guards those fields of Info that Update changes: Name, RateLimits and Expires
	limits    atomic.Value // ratelimit.Setting
	limiter   *ratelimit.Memory
	hadLimits bool // something of them was spent when the environment was opened
	instances map[string]Instance
	mute      bool // nobody outside is told of events
}

// Service gives the instance of a service, or nil.
func (e *Environment) Service(name string) Instance { return e.instances[name] }

// info gives Info as it is now.
func (e *Environment) info() Info {
	e.infoMu.Lock()
	defer e.infoMu.Unlock()
	return e.Info
}

func (e *Environment) setInfo(i Info) {
	e.infoMu.Lock()
	defer e.infoMu.Unlock()
	e.Name, e.RateLimits, e.Expires = i.Name, i.RateLimits, i.Expires
}

// SetRateLimits changes how limits count from now on.
func (e *Environment) SetRateLimits(s ratelimit.Setting) { e.limits.Store(s) }

func (e *Environment) setting() ratelimit.Setting { return e.limits.Load().(ratelimit.Setting) }

// Credentials gives the credentials object of the environment. baseURL gives a service's base URL.
func (e *Environment) Credentials(ctx context.Context, baseURL func(service string) string) (map[string]any, error) {
	out := map[string]any{"environment": e.ID}
	for name, in := range e.instances {
		c, err := in.Credentials(ctx, baseURL(name))
		if err != nil {
			return nil, err
		}
		out[name] = c
	}
	return out, nil
}
