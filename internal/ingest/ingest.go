// Package ingest records what agents did: sessions (conversations), the events
// inside them (turn-pairs and tool calls), and the users that they belong to. It
// answers a dashboard's questions about them.
//
// An EventStore holds the events themselves. This package holds sessions, users,
// keys and roll-ups, and the rules of all of them. It knows no HTTP and no JSON
// dialect of a client: those belong to the wire package.
package ingest

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/background"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Name is the service's name on the platform.
const Name = "ingest"

//go:embed migrations
var migrations embed.FS

// StateSchema declares the tables in the environment's state: those of the
// projects.
func StateSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations/state")
	return store.Schema{Name: Name, Migrations: sub, Tables: map[string]store.Class{"ingest_project": store.WorldClass}}
}

// EventsSchema declares the tables beside the events, in their database.
func EventsSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations/events")
	return store.Schema{Name: "ingest_events", Migrations: sub, Tables: map[string]store.Class{
		"ingest_session": store.WorldClass, "ingest_user": store.WorldClass, "ingest_trait": store.WorldClass,
		"ingest_rollup": store.WorldClass, "ingest_progress": store.WorldClass, "ingest_retention": store.WorldClass,
		"ingest_trace": store.WorldClass, "ingest_covered": store.WorldClass, "ingest_change": store.WorldClass,
		"ingest_price": store.WorldClass, "ingest_score": store.WorldClass},
		Overwrite: true}
}

// The errors of this package.
var (
	// ValidationFailed is the error of a missing or invalid field; Detail is the
	// whole sentence.
	ValidationFailed = fault.New(fault.Invalid, "validation_failed", "A field is missing or wrong.")
	SessionNotFound  = fault.New(fault.NotFound, "session_not_found", "There is no session with this id.")
	EventNotFound    = fault.New(fault.NotFound, "event_not_found", "There is no event with this id.")
	KeyNotFound      = fault.New(fault.NotFound, "api_key_not_found", "There is no active API key with this id.")
	ProjectNotFound  = fault.New(fault.NotFound, "project_not_found", "There is no project with this id.")
)

func wrong(field, format string, args ...any) error {
	return ValidationFailed.At(field).Detailf(field+" "+format, args...)
}

// Deps are the dependencies of the service.
type Deps struct {
	State   *store.World // the environment's state
	Events  *store.World // the database that the events live in
	Store   EventStore
	Upkeep  Maintainer // of Store
	Auth    *auth.Auth
	Clock   *clock.Clock
	IDs     *ids.Source
	Secrets *ids.Secrets
	Log     *slog.Logger
	Rebuilt func() // called once if sums are damaged and will be rebuilt; nil for nothing
	Lazy    bool   // blocks are not merged; they change only for removals
}

// Ingest is the service in one environment.
type Ingest struct {
	d Deps

	owners  owners
	rollMu  sync.Mutex // one roll-up pass at a time
	rollups *background.Worker
	upkeep  *background.Follower
	ageing  *background.Worker
	// followed is closed once the clock is set after expire read it.
	followed atomic.Value // <-chan struct{}
	retry    *time.Timer
	worked   bool            // maintenance has freed space; of the follower's steps
	ctx      context.Context // of the background work
	stop     context.CancelFunc

	streams    context.Context // of the calls of Follow
	following  atomic.Int64
	endStreams context.CancelFunc
}

// New returns the service. Close ends it.
func New(d Deps) *Ingest {
	in := &Ingest{d: d}
	in.ctx, in.stop = context.WithCancel(context.Background())
	in.streams, in.endStreams = context.WithCancel(in.ctx)
	in.rollups = background.New(in.rollUp)
	in.startUpkeep()
	return in
}

// Streams returns the number of calls of Follow.
func (in *Ingest) Streams() int { return int(in.following.Load()) }

// EndStreams ends the calls of Follow.
func (in *Ingest) EndStreams() { in.endStreams() }

// Close ends the background work.
func (in *Ingest) Close() {
	in.stop()
	in.rollups.Close()
	in.stopUpkeep()
}

// Now returns the environment's time in milliseconds.
func (in *Ingest) Now() int64 { return in.d.Clock.Now().UnixMilli() }

// CaptureEvents stores events that CheckEvent has accepted. It returns when they
// are durable. It leaves out an event whose id the project already has. It
// returns store.Unavailable, with nothing stored, if the events cannot be stored
// now.
func (in *Ingest) CaptureEvents(ctx context.Context, project string, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := in.d.Store.Append(ctx, project, events); err != nil {
		return err
	}
	in.follow()
	return nil
}

// follow starts the background work on new events.
func (in *Ingest) follow() {
	in.rollups.Wake()
	in.upkeep.Wake()
}
