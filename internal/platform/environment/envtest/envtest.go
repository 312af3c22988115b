// Package envtest provides a small service for tests of environments.
package envtest

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Probe is a service with one table, "probe", whose events go to a receiver
// and which pretends to hold streams.
type Probe struct {
	Receiver string                          // the URL that events are delivered to
	Open     atomic.Int64                    // the number of streams
	Flush    func(ctx context.Context) error // called by copies and diffs, unless nil
	Counted  atomic.Int64                    // how often rows were counted
	Indexed  atomic.Int64                    // how often the search index was built
}

// Service returns the probe as a service.
func (p *Probe) Service() environment.Service { return service{p} }

type service struct{ p *Probe }

func (service) Name() string { return "probe" }
func (service) Schema() store.Schema {
	return store.Schema{Name: "probe", Tables: map[string]store.Class{"probe": store.WorldClass},
		Migrations: fstest.MapFS{"0001_probe.sql": &fstest.MapFile{Data: []byte(createTable)}}}
}

func (s service) Open(env *environment.Environment) (environment.Instance, error) {
	env.Outbox.Deliver("probe", &outbox.Dialect{
		Render: func(context.Context, outbox.Delivery, outbox.Event) (outbound.Request, error) {
			return outbound.Request{URL: s.p.Receiver, Body: []byte("{}")}, nil
		},
		Final:    func(outbound.Reply) bool { return false },
		Finished: func(context.Context, string, bool) {},
		Retries:  []time.Duration{2 * time.Hour},
	})
	return instance{s.p, env.World}, nil
}

type instance struct {
	p     *Probe
	world *store.World
}

func (instance) ServeHTTP(http.ResponseWriter, *http.Request)     {}
func (instance) Provision(context.Context) error                  { return nil }
func (i instance) Index(context.Context) error                    { i.p.Indexed.Add(1); return nil }
func (instance) Credentials(context.Context, string) (any, error) { return nil, nil }
func (i instance) Counts(ctx context.Context) (environment.Counts, error) {
	i.p.Counted.Add(1)
	n, err := countRows(ctx, i.world)
	return environment.Counts{"rows": n}, err
}
func (instance) Close()         {}
func (instance) EndStreams()    {}
func (i instance) Streams() int { return int(i.p.Open.Load()) }
func (i instance) Flush(ctx context.Context) error {
	if i.p.Flush == nil {
		return nil
	}
	return i.p.Flush(ctx)
}

// Platform returns a platform that serves the probe alone.
func (p *Probe) Platform() *environment.Platform {
	return &environment.Platform{RootKey: make([]byte, 32), Services: []environment.Service{p.Service()}, Log: slog.New(slog.DiscardHandler),
		Client: outbound.New(true), CheckAdminKey: func(string, string) (bool, error) { return false, nil }, CredentialsChanged: func(string) {}}
}

// Store opens a store: on PostgreSQL when url is not empty, else on SQLite in dir.
func Store(t testing.TB, url, dir string) store.Store {
	t.Helper()
	s, err := storetest.Open(context.Background(), url, dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// OnBoth runs a test on an empty store of each database.
func OnBoth(t *testing.T, test func(t *testing.T, s store.Store)) {
	t.Run("sqlite", func(t *testing.T) { test(t, Store(t, "", t.TempDir())) })
	t.Run("postgres", func(t *testing.T) { test(t, Store(t, storetest.DatabaseURL(t), "")) })
}

// Worlds returns the names of all databases of a store.
func Worlds(t testing.TB, s store.Store) []string {
	t.Helper()
	list, err := s.Worlds(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}
