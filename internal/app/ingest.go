package app

import (
	"context"
	"net/http"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/ingest/otlp"
	"understudy/internal/ingest/rest"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// ingestWorld is the name of the database with an environment's events.
const ingestWorld = "events"

// ingestService is the binding of the event-ingestion service.
type ingestService struct{ app *App }

func (s ingestService) Name() string         { return ingest.Name }
func (s ingestService) Schema() store.Schema { return ingest.StateSchema() }

func (s ingestService) ExtraWorlds() map[string][]store.Schema {
	return map[string][]store.Schema{ingestWorld: {blockstore.Schema(), ingest.EventsSchema()}}
}

// Entities declares the service's entities for diffs, in both databases.
func (s ingestService) Entities() []diff.Entity {
	events := append(ingest.EventsEntities(), blockstore.Entities()...)
	for i := range events {
		events[i].World = ingestWorld
	}
	return append(ingest.StateEntities(), events...)
}

func (s ingestService) Open(env *environment.Environment) (environment.Instance, error) {
	events := blockstore.Open(env.Extra[ingestWorld], env.Log)
	events.Lazy = s.app.o.LazyEvents
	events.Damaged, events.Rebuilt = s.app.metrics.damaged.Inc, s.app.metrics.rebuilt.Inc
	in := ingest.New(ingest.Deps{State: env.World, Events: env.Extra[ingestWorld], Store: events, Upkeep: events.Upkeep, Auth: env.Auth,
		Clock: env.Clock, IDs: env.IDs, Secrets: env.Secrets, Log: env.Log, Rebuilt: s.app.metrics.rebuilt.Inc,
		Lazy: s.app.o.LazyEvents})
	traces := otlp.NewHandler(otlp.Deps{Ingest: in, Auth: env.Auth, Log: env.Log})
	holders := func(ctx context.Context, project string, what ingest.Erased) (out ingest.Holders, err error) {
		out.Snapshots, out.Forks, err = s.app.clones.Holders(ctx, env.ID, func(ctx context.Context, w map[string]*store.World) (bool, error) {
			if w[ingestWorld] == nil {
				return false, nil
			}
			return what.Has(ctx, w[ingestWorld], project)
		})
		return out, err
	}
	h := rest.NewHandler(rest.Deps{Ingest: in, Auth: env.Auth, CheckAdminKey: env.CheckAdminKey, Traces: traces, Log: env.Log,
		Holders: holders, EraseRecordings: env.EraseRecordings})
	return &ingestInstance{env: env, Handler: s.app.around(env, ingest.Name, h, h, nil), in: in, world: env.Extra[ingestWorld], events: events}, nil
}

type ingestInstance struct {
	http.Handler
	env    *environment.Environment
	in     *ingest.Ingest
	world  *store.World // of the events
	events *blockstore.Store
}

func (i *ingestInstance) Provision(ctx context.Context) error { return i.in.Provision(ctx) }

func (i *ingestInstance) Credentials(_ context.Context, baseURL string) (any, error) {
	return map[string]any{"base_url": baseURL, "organization_id": i.in.DefaultProject(), "api_key": i.key(i.env.Rotation())}, nil
}

// key returns the first key after n rotations.
func (i *ingestInstance) key(n int64) string { return i.in.DefaultKey(environment.Rotated("", n)) }

// Rotate renews the first key.
func (i *ingestInstance) Rotate(_ context.Context, tx *store.Tx, n int64) error {
	return i.env.Auth.Renew(tx, ingest.Name, i.key(i.env.Rotation()), i.key(n))
}

// Connection returns the connection of the official clients.
func (i *ingestInstance) Connection(_ context.Context, baseURL string) (environment.Connection, error) {
	return environment.Connection{Variables: []environment.Variable{
		{Name: "AGNOST_ORG_ID", Value: i.key(i.env.Rotation())}, {Name: "AGNOST_ENDPOINT", Value: baseURL}}}, nil
}

// RenewInherited renews the first key.
func (i *ingestInstance) RenewInherited(_ context.Context, tx *store.Tx, was *ids.Secrets) error {
	n := i.env.Rotation()
	return i.env.Auth.Renew(tx, ingest.Name, ingest.KeyOf(was, environment.Rotated("", n)), i.key(n))
}

// MakeOwn replaces the first key by that of the environment.
func (ingestService) MakeOwn(tx *store.Tx, in environment.Instance, was *ids.Secrets) error {
	i := in.(*ingestInstance)
	n := i.env.Rotation()
	return i.env.Auth.Reword(tx, ingest.Name, ingest.KeyOf(was, environment.Rotated("", n)), i.key(n))
}

// ReadSeed reads ingestion's part of a seed document.
func (i *ingestInstance) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) environment.Seed {
	return i.in.ReadSeed(r, part, at)
}

// Flush updates the sums of sessions, and removes erased events from the disk, so
// that no copy contains them.
func (i *ingestInstance) Flush(ctx context.Context) error {
	if i.env.Copied && i.world.Unopened() || i.world.Absent(ctx) {
		return nil
	}
	if err := i.in.CatchUp(ctx); err != nil {
		return err
	}
	return i.in.FinishErasures(ctx)
}

var _ environment.Streamer = (*ingestInstance)(nil)

// EndStreams ends the streams of live events.
func (i *ingestInstance) EndStreams() { i.in.EndStreams() }

// Streams returns the number of streams of live events.
func (i *ingestInstance) Streams() int { return i.in.Streams() }

func (i *ingestInstance) Close() {
	i.in.Close()
	i.events.Close()
}

// Counts returns the numbers of sessions and events.
func (i *ingestInstance) Counts(ctx context.Context) (environment.Counts, error) {
	return i.in.Count(ctx)
}

// Codes returns the codes of the service's errors, sorted.
func (ingestService) Codes() []string { return rest.Codes() }

// Operations returns the names of its requests in recordings.
func (ingestService) Operations() []string { return rest.OperationNames() }
