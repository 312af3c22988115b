package environment

import (
	"context"
	"maps"
	"net/http"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// Service is one of the services that the program serves in every environment.
type Service interface {
	Name() string
	// Schema returns the tables that the service keeps in each world.
	Schema() store.Schema
	// Open binds the service to an environment.
	Open(env *Environment) (Instance, error)
}

// Instance is a service in one environment. Its handler sees paths relative to
// the service's base URL, such as "/api/health".
type Instance interface {
	http.Handler
	// Provision creates what a new environment begins with. It runs once, in a world without data.
	Provision(ctx context.Context) error
	// Credentials returns the service's part of credentials.json.
	Credentials(ctx context.Context, baseURL string) (any, error)
	// Counts returns how much the service keeps. It is called often, so its
	// cost must not grow with the data.
	Counts(ctx context.Context) (Counts, error)
	// Close ends what the instance runs in the background.
	Close()
}

// Counts holds how many things of each kind a service keeps, by plural noun.
type Counts map[string]int64

// WorldKeeper is a Service that keeps data in databases of their own, beside
// the environment's main one, because their load would slow the other services.
// They are created, copied and deleted with the environment.
type WorldKeeper interface {
	// ExtraWorlds returns the schemas of each such database, by name. A name is
	// unique among all services and consists of a-z and 0-9.
	ExtraWorlds() map[string][]store.Schema
}

// Indexer is an Instance that builds its search index behind the writes.
type Indexer interface {
	// Index builds the index now. It is called for a new environment, so that
	// the copy for a reset holds the index too.
	Index(ctx context.Context) error
}

// Streamer is an Instance that holds connections open for as long as clients like.
type Streamer interface {
	// EndStreams ends them; the server calls it before it waits for requests to end.
	EndStreams()
	// Streams returns their number.
	Streams() int
}

// Flusher is an Instance that does part of its work behind the replies. Copies
// and diffs call Flush first, so that their content follows from the calls alone.
type Flusher interface {
	Flush(ctx context.Context) error
}

// ClockFollower is an Instance in which things happen as the clock moves.
type ClockFollower interface {
	// ClockMoved applies what is due by the clock's new time. It is called
	// after the clock was set, before the caller that set it gets a reply.
	ClockMoved(ctx context.Context) error
}

// Sealer is an Instance whose earlier versions stored secrets in plain text.
type Sealer interface {
	// SealSecrets encrypts them. It is called once for a world of such a version.
	SealSecrets(ctx context.Context) error
}

// Comparer is a Service whose data a diff shows.
type Comparer interface {
	// Entities declares how, for every table of class world that holds things
	// that clients know. The field Service is filled in by the caller.
	Entities() []diff.Entity
}

// Seeder is an Instance that can be filled from its part of a seed document.
type Seeder interface {
	// ReadSeed reads the part, which stands at a place. It reports mistakes to r
	// and changes nothing.
	ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) Seed
}

// Seed is a service's part of a seed document, ready to be applied.
type Seed interface {
	// Apply creates what the part asks for in a transaction of the environment's
	// world, and returns what it created by the document's own names. It may run
	// more than once, as every write may. It returns seeddoc.Invalid with the place.
	Apply(ctx context.Context, tx *store.Tx) (made any, err error)
}

// Schemas returns everything that an environment's main world holds.
func Schemas(services []Service) []store.Schema {
	out := []store.Schema{WorldSchema(), auth.Schema(), outbox.Schema()}
	for _, s := range services {
		out = append(out, s.Schema())
	}
	return out
}

// ExtraWorlds returns the schemas of the databases beside the main world, by name.
func ExtraWorlds(services []Service) map[string][]store.Schema {
	out := map[string][]store.Schema{}
	for _, s := range services {
		if keeper, ok := s.(WorldKeeper); ok {
			maps.Copy(out, keeper.ExtraWorlds())
		}
	}
	return out
}

// Entities returns what the services and the platform declare for a diff.
func Entities(services []Service) []diff.Entity {
	out := auth.Entities()
	for _, s := range services {
		c, ok := s.(Comparer)
		if !ok {
			continue
		}
		for _, e := range c.Entities() {
			e.Service = s.Name()
			out = append(out, e)
		}
	}
	return out
}
