package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// worldPrefix keeps worlds apart from other schemas of the same database.
const worldPrefix = "understudy_"

// maxTries bounds how often a write is run again after a deadlock or a serialization failure.
const maxTries = 5

// planning has the server plan for what worlds ask: short statements that an
// index serves. Compiling one takes longer than running it. And a prepared
// statement keeps its plan: made while a table was new and small, one that
// reads the whole table would be kept while the table grows, until the server
// gathers statistics.
var planning = map[string]string{"jit": "off", "enable_seqscan": "off"}

// postgresStore keeps each world in a schema of its own; all share one pool.
type postgresStore struct {
	pool *pgxpool.Pool
	node *pgxpool.Conn // holds the lock of those who use the database; nil before Join

	layouting sync.Mutex
	layouts   map[string]*layout  // by digest
	schemas   map[string][]Schema // those of this build
	sparing   sync.Mutex          // held while a spare is taken
}

func openPostgres(ctx context.Context, url string) (Store, error) {
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
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return &postgresStore{pool: pool}, nil
}

func (s *postgresStore) Open(ctx context.Context, world string, schemas []Schema) (*World, error) {
	if !worldName.MatchString(world) {
		return nil, fmt.Errorf("bad world name %q", world)
	}
	schema := worldPrefix + world
	if err := s.ready(ctx, schema, s.know(schemas), schemas); err != nil {
		return nil, err
	}
	return &World{Name: world, backend: &postgresWorld{pool: s.pool, schema: schema}}, nil
}

// ready has a schema be what the migrations make, unless its comment says that
// it has had these very ones.
func (s *postgresStore) ready(ctx context.Context, schema, digest string, schemas []Schema) error {
	kind, err := s.kind(ctx, schema)
	absent := errors.Is(err, ErrNoWorld)
	if err != nil && !absent || kind == digest {
		return err
	}
	var l *layout
	if old, isThin := strings.CutSuffix(kind, thinMark); absent || isThin {
		if absent {
			old = digest
		}
		if l, err = s.layoutOf(ctx, old, ""); err != nil {
			return err
		}
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	unlock, err := lockName(ctx, conn.Conn(), schema)
	if err != nil {
		return err
	}
	defer unlock()
	// Another node may have been quicker.
	if kind, err = kindOfSchema(ctx, conn.Conn(), schema); errors.Is(err, ErrNoWorld) && l != nil {
		return s.furnish(ctx, conn.Conn(), schema, l)
	}
	if err == nil && l != nil && kind == l.digest+thinMark {
		if err = l.fatten(ctx, conn.Conn(), schema); err == nil {
			kind = l.digest
		}
	}
	if err != nil || kind == digest {
		return err
	}
	return s.migrate(ctx, conn.Conn(), schema, schemas)
}

func (s *postgresStore) kind(ctx context.Context, schema string) (string, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	return kindOfSchema(ctx, conn.Conn(), schema)
}

// OpenCopy opens a thin copy as it is.
func (s *postgresStore) OpenCopy(ctx context.Context, world string, schemas []Schema) (*World, error) {
	if !worldName.MatchString(world) {
		return nil, fmt.Errorf("bad world name %q", world)
	}
	digest := s.know(schemas)
	kind, err := s.kind(ctx, worldPrefix+world)
	if err != nil || kind != digest+thinMark {
		return s.Open(ctx, world, schemas)
	}
	l, err := s.layoutOf(ctx, digest, "")
	if err != nil {
		return nil, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	if err := l.show(ctx, conn.Conn(), worldPrefix+world); err != nil {
		return nil, err
	}
	return &World{Name: world, backend: &postgresWorld{pool: s.pool, schema: worldPrefix + world + ", " + l.template}}, nil
}

func (s *postgresStore) Worlds(ctx context.Context) ([]string, error) {
	rows, err := s.pool.Query(ctx, "SELECT substr(nspname, $1) FROM pg_namespace WHERE starts_with(nspname, $2)", len(worldPrefix)+1, worldPrefix)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (s *postgresStore) Size(ctx context.Context, world string) (int64, error) {
	var n int64
	err := s.pool.QueryRow(ctx, `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::BIGINT
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
		worldPrefix+world).Scan(&n)
	return n, err
}

func (s *postgresStore) Close() error {
	s.part()
	s.pool.Close()
	return nil
}

type postgresWorld struct {
	pool   *pgxpool.Pool
	schema string

	unsealed atomic.Bool // nobody waits for the disk yet
	turns    turns

	mu     sync.RWMutex // held for reading by who uses the world, for writing by close
	closed bool
}

func (w *postgresWorld) read(ctx context.Context, begun, fn func(*Tx) error) error {
	return w.run(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", func(tx *Tx) error {
		if begun != nil {
			if err := begun(tx); err != nil {
				return err
			}
		}
		return fn(tx)
	})
}

func (w *postgresWorld) write(ctx context.Context, fn func(*Tx) error) error {
	for try := 1; ; try++ {
		begin := "BEGIN"
		if w.unsealed.Load() {
			begin = "BEGIN; SET LOCAL synchronous_commit = off"
		}
		err := w.run(ctx, begin, fn)
		if err == nil {
			return nil
		}
		var pe *pgconn.PgError
		if !errors.As(err, &pe) || pe.Code != "40001" && pe.Code != "40P01" || try == maxTries {
			return err
		}
	}
}

// run gives fn a transaction whose names are those of this world.
func (w *postgresWorld) run(ctx context.Context, begin string, fn func(*Tx) error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	conn, err := w.pool.Acquire(ctx)
	if err != nil {
		return Unavailable.Because(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, begin+"; SET LOCAL search_path = "+w.schema); err != nil {
		return Unavailable.Because(err)
	}
	ended := false
	defer func() {
		if !ended {
			if _, e := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK"); e != nil {
				_ = conn.Conn().Close(context.WithoutCancel(ctx))
			}
		}
	}()
	tx := &Tx{conn: &postgresConn{ctx: ctx, conn: conn.Conn()}, dialect: postgresDialect}
	if err := guarded(fn, tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	defer w.turns.take(tx)()
	// Once it is asked for, only its reply tells what became of it: the caller may go, it may not.
	tag, err := conn.Exec(context.WithoutCancel(ctx), "COMMIT")
	if err != nil {
		return wrap("COMMIT", err)
	}
	ended = true
	if tag.String() != "COMMIT" {
		return errors.New("the database rolled the transaction back")
	}
	tx.committed = true
	return nil
}

// turns has what follows commits run in their order. A transaction that had to
// wait for another sends its COMMIT after that one has; which of the two is
// told first that it is done is chance.
type turns struct {
	mu   sync.Mutex
	last chan struct{} // closed when what follows the last has run
}

// take is called before COMMIT is sent. What it gives waits for those before,
// and runs what is to follow when there is a commit.
func (t *turns) take(tx *Tx) (end func()) {
	if len(tx.after) == 0 {
		return func() {}
	}
	mine := make(chan struct{})
	t.mu.Lock()
	before := t.last
	t.last = mine
	t.mu.Unlock()
	return func() {
		defer close(mine)
		if before != nil {
			<-before
		}
		if tx.committed {
			for _, f := range tx.after {
				f()
			}
		}
	}
}

// seal waits for the disk once: what a commit waits for includes all commits before it.
func (w *postgresWorld) seal(ctx context.Context) error {
	if !w.unsealed.Swap(false) {
		return nil
	}
	return w.write(ctx, func(tx *Tx) error {
		_, err := tx.Exec("SELECT pg_logical_emit_message(true, 'sealed', '')") // which is something to be written
		return err
	})
}

func (w *postgresWorld) relax()         {}
func (w *postgresWorld) runOnce()       {}
func (w *postgresWorld) discard() error { return w.close() }

// close waits for what runs. After it nobody reaches the schema by this world,
// which may then be dropped or made anew.
func (w *postgresWorld) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return nil
}

type postgresConn struct {
	ctx  context.Context
	conn *pgx.Conn
}

func pgArguments(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = argument(a)
	}
	return out
}

func (c *postgresConn) exec(sql string, args []any) (int64, error) {
	tag, err := c.conn.Exec(c.ctx, rebind(sql), pgArguments(args)...)
	return tag.RowsAffected(), err
}

func (c *postgresConn) query(sql string, args []any) (cursor, error) {
	rows, err := c.conn.Query(c.ctx, rebind(sql), pgArguments(args)...)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (c *postgresConn) insertID(sql, column string, args []any) (id int64, err error) {
	err = c.conn.QueryRow(c.ctx, rebind(sql+" RETURNING "+column), pgArguments(args)...).Scan(&id)
	return id, err
}

func (c *postgresConn) batch(sql string, rows [][]any) error {
	var b pgx.Batch
	text := rebind(sql)
	for _, args := range rows {
		b.Queue(text, pgArguments(args)...)
	}
	return c.conn.SendBatch(c.ctx, &b).Close()
}

// isLost tells whether err is about the server or its resources, not about the statement.
func isLost(err error) bool {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		switch pe.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, shutdown, system
			return true
		}
		return false
	}
	var ce *pgconn.ConnectError
	return errors.As(err, &ce) || pgconn.SafeToRetry(err)
}

func (c *postgresConn) copyFrom(table string, columns []string, rows [][]any) error {
	_, err := c.conn.CopyFrom(c.ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		return pgArguments(rows[i]), nil
	}))
	return err
}
