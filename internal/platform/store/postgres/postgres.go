// Package postgres is the engine that stores each world in a PostgreSQL schema.
//
// Creating the tables of a world takes far longer than filling them. So a schema
// is made like a template, or of a spare one (layout.go, copy.go), and a copy
// that is only read is archived (archive.go). The writers of a world share
// transactions (writer.go), and statements that need no answer share messages
// (pipeline.go). One process uses a database at a time (claim.go). A server that
// hangs makes nobody wait for long (wires.go).
package postgres

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// worldPrefix begins the names of the schemas that are worlds.
const worldPrefix = "understudy_"

// maxTries bounds the retries of a write after a deadlock or a serialization
// failure.
const maxTries = 5

// planning tunes the server's planner for the statements of worlds: short ones
// with an index. JIT compilation takes longer than running them. A prepared
// statement keeps its plan: a sequential scan, planned while the table was new
// and small, would stay while the table grows, until the server gathers
// statistics.
var planning = map[string]string{"jit": "off", "enable_seqscan": "off"}

// Store is a PostgreSQL database. Each world is a schema of its own; all share
// one pool of connections. It implements store.Store.
type Store struct {
	pool  *pgxpool.Pool
	dial  pgconn.DialFunc
	wires wires
	claim atomic.Pointer[claim] // nil before Claim
	// refused is the error of every use of a world; nil while worlds can be used.
	refused atomic.Pointer[fault.Error]

	layouting sync.Mutex
	layouts   map[string]*layout        // by digest
	schemas   map[string][]store.Schema // of this build
	sparing   sync.Mutex                // held while a spare is acquired
	analyzing sync.Mutex                // held while a world gathers statistics
	watched   sync.Map                  // the worlds with a witness, by schema
}

// Open opens the store in the database that url names ("postgres://…").
func Open(ctx context.Context, url string) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = max(cfg.MaxConns, int32(8*runtime.NumCPU()))
	for name, value := range planning {
		if _, set := cfg.ConnConfig.RuntimeParams[name]; !set {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	s := &Store{dial: cfg.ConnConfig.DialFunc}
	cfg.ConnConfig.DialFunc = s.wires.dialer(s.dial)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	s.pool = pool
	return s, nil
}

// connectTime is the longest wait for a connection to the database.
const connectTime = 5 * time.Second

// acquire returns a connection of the pool. It returns Unavailable if none is
// free within connectTime.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if refused := s.refused.Load(); refused != nil {
		return nil, refused
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, store.Unavailable.Because(err)
	}
	return conn, nil
}

// shareOf returns how many of n connections one world may use at once: if its
// requests wait for a lock, others still have some.
func shareOf(n int32) int32 { return max(1, n*3/4) }

func (s *Store) world(schema string) *world {
	return &world{store: s, schema: schema, slots: make(chan struct{}, shareOf(s.pool.Config().MaxConns))}
}

// Open implements store.Store.
func (s *Store) Open(ctx context.Context, name string, schemas []store.Schema) (*store.World, error) {
	if err := store.CheckNames(name); err != nil {
		return nil, err
	}
	schema := worldPrefix + name
	if err := s.ready(ctx, schema, s.know(schemas), schemas); err != nil {
		return nil, classify(err)
	}
	return store.NewWorld(name, store.PostgreSQL, s.world(schema)), nil
}

// Exists implements store.Store.
func (s *Store) Exists(ctx context.Context, name string) (bool, error) {
	_, err := kindOf(ctx, s, worldPrefix+name)
	if errors.Is(err, store.ErrNoWorld) {
		return false, nil
	}
	return err == nil, classify(err)
}

// ready creates or migrates a schema, unless its comment contains the digest of
// the current migrations.
func (s *Store) ready(ctx context.Context, schema, digest string, schemas []store.Schema) error {
	kind, err := kindOf(ctx, s, schema)
	absent := errors.Is(err, store.ErrNoWorld)
	if err != nil && !absent || kind == digest {
		return err
	}
	var l *layout
	if old, isArchived := strings.CutSuffix(kind, archivedMark); absent || isArchived {
		if absent {
			old = digest
		}
		if l, err = s.layoutOf(ctx, old, ""); err != nil {
			return err
		}
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	unlock, err := lockName(ctx, conn.Conn(), schema)
	if err != nil {
		return err
	}
	defer unlock()
	// Another node may have been faster.
	if kind, err = kindOfSchema(ctx, conn.Conn(), schema); errors.Is(err, store.ErrNoWorld) && l != nil {
		return s.allocate(ctx, conn.Conn(), schema, l)
	}
	if err == nil && l != nil && kind == l.digest+archivedMark {
		if err = l.expand(ctx, conn.Conn(), schema); err == nil {
			kind = l.digest
		}
	}
	if err != nil || kind == digest {
		return err
	}
	return s.migrate(ctx, conn.Conn(), schema, schemas, store.Migrate)
}

// kindOf is kindOfSchema on a connection of the pool.
func kindOf(ctx context.Context, s *Store, schema string) (string, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	return kindOfSchema(ctx, conn.Conn(), schema)
}

// OpenCopy opens an archived copy without expanding it.
func (s *Store) OpenCopy(ctx context.Context, name string, schemas []store.Schema) (*store.World, error) {
	if err := store.CheckNames(name); err != nil {
		return nil, err
	}
	digest := s.know(schemas)
	kind, err := kindOf(ctx, s, worldPrefix+name)
	if err != nil || kind != digest+archivedMark {
		return s.Open(ctx, name, schemas)
	}
	l, err := s.layoutOf(ctx, digest, "")
	if err != nil {
		return nil, err
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	if err := l.show(ctx, conn.Conn(), worldPrefix+name); err != nil {
		return nil, classify(err)
	}
	return store.NewWorld(name, store.PostgreSQL, s.world(worldPrefix+name+", "+l.template)), nil
}

// Same implements store.Store. It always reports false, because the rows of a
// copy are known only to the database.
func (s *Store) Same(string, string) bool { return false }

// Worlds implements store.Store.
func (s *Store) Worlds(ctx context.Context) ([]string, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	rows, err := conn.Query(ctx, "SELECT substr(nspname, $1) FROM pg_namespace WHERE starts_with(nspname, $2)", len(worldPrefix)+1, worldPrefix)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return names, classify(err)
}

// Size implements store.Store.
func (s *Store) Size(ctx context.Context, name string) (int64, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	var n int64
	err = conn.QueryRow(ctx, `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::BIGINT
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
		worldPrefix+name).Scan(&n)
	return n, classify(err)
}

// Dialect implements store.Store.
func (s *Store) Dialect() *store.Dialect { return store.PostgreSQL }

// Classify implements store.Store.
func (s *Store) Classify(err error) error { return classify(err) }

// Close implements store.Store.
func (s *Store) Close() error {
	s.Release()
	s.pool.Close()
	return nil
}
