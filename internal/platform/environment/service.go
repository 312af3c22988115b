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

// Service is one of the services that the program has in every environment.
type Service interface {
	Name() string
	// Schema returns the tables of the service in each world.
	Schema() store.Schema
	// Open binds the service to an environment.
	Open(env *Environment) (Instance, error)
}

// Instance is a service in one environment. Its handler receives paths relative
// to the service's base URL, such as "/api/health".
type Instance interface {
	http.Handler
	// Provision creates the initial content of a new environment. It runs once, in
	// an empty world.
	Provision(ctx context.Context) error
	// Credentials returns the service's part of credentials.json.
	Credentials(ctx context.Context, baseURL string) (any, error)
	// Counts returns the service's numbers of things. It is called often, so its
	// cost must not grow with the data.
	Counts(ctx context.Context) (Counts, error)
	// Close ends the background work of the instance.
	Close()
}

// Counts is the numbers of things in a service, by plural noun.
type Counts map[string]int64

// WorldKeeper is a Service with its own databases, separate from the
// environment's main one, because their load would slow down the other services.
// They are created, copied and deleted with the environment.
type WorldKeeper interface {
	// ExtraWorlds returns the schemas of each such database, by name. A name is
	// unique among all services and consists of a-z and 0-9.
	ExtraWorlds() map[string][]store.Schema
}

// Indexer is an Instance that builds its search index behind the writes.
type Indexer interface {
	// Index builds the index now. It is called for a new environment, so that the
	// copy for a reset contains the index too.
	Index(ctx context.Context) error
}

// Streamer is an Instance with long-lived connections.
type Streamer interface {
	// EndStreams ends them; the server calls it before it waits for requests to end.
	EndStreams()
	// Streams returns their number.
	Streams() int
}

// Flusher is an Instance that does some work after its replies. Copies and diffs
// call Flush first, so that their content depends only on the calls.
type Flusher interface {
	Flush(ctx context.Context) error
}

// ClockFollower is an Instance with changes that depend on the clock.
type ClockFollower interface {
	// ClockMoved applies what is due at the clock's new time. It is called after the
	// clock was set, before the reply to the caller that set it.
	ClockMoved(ctx context.Context) error
}

// Sealer is an Instance whose earlier versions stored secrets in plain text.
type Sealer interface {
	// SealSecrets encrypts them. It is called once for a world of an earlier
	// version.
	SealSecrets(ctx context.Context) error
}

// Comparer is a Service whose data appears in diffs.
type Comparer interface {
	// Entities declares every table of class world with things that clients know.
	// The caller sets the field Service.
	Entities() []diff.Entity
}

// Seeder is an Instance that accepts a part of a seed document.
type Seeder interface {
	// ReadSeed reads the part at a place. It reports problems to r and changes
	// nothing.
	ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) Seed
}

// Seed is a validated part of a seed document.
type Seed interface {
	// Apply creates the content of the part in a transaction of the environment's
	// world, and returns what it created by the document's own names. Like every
	// write, it may run more than once. It returns seeddoc.Invalid with the place.
	Apply(ctx context.Context, tx *store.Tx) (made any, err error)
}

// Schemas returns the schemas of an environment's main world.
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

// Entities returns the entities of the services and the platform for diffs.
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
