package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// pragmas are set on each connection. FULL makes a commit durable in WAL mode;
// the checkpoint is large because one is paid for by the writes that wait for it.
const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
	"&_pragma=cache_size(-8192)&_pragma=temp_store(MEMORY)&_pragma=wal_autocheckpoint(4000)&_pragma=journal_size_limit(67108864)"

// writerCache lets the one connection that writes keep 64 MiB of pages where
// the others keep 8: ids are random, so each row of a large table goes to other
// pages of its indexes, which would be read again from the file.
const writerCache = "PRAGMA cache_size = -65536"

var worldName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// sqliteStore keeps each world in a file of its own.
type sqliteStore struct {
	dir    string
	driver driver.Driver
	mu     sync.Mutex
	open   map[string]*sqliteWorld
}

func openSQLite(dir string) (Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return &sqliteStore{dir: dir, driver: db.Driver(), open: map[string]*sqliteWorld{}}, nil
}

func (s *sqliteStore) path(world string) string { return filepath.Join(s.dir, world+".db") }

// dsn escapes the path: the driver reads a URI, in which # and ? end it.
func (s *sqliteStore) dsn(world string) string {
	return "file:" + (&url.URL{Path: s.path(world)}).EscapedPath() + pragmas
}

func (s *sqliteStore) Open(ctx context.Context, world string, schemas []Schema) (*World, error) {
	if !worldName.MatchString(world) {
		return nil, fmt.Errorf("bad world name %q", world)
	}
	raw, err := s.driver.Open(s.dsn(world))
	if err != nil {
		return nil, err
	}
	writer := newSQLiteConn(raw)
	if err := errors.Join(s.migrate(ctx, world, writer, schemas), writer.run(writerCache)); err != nil {
		_ = writer.close()
		return nil, err
	}
	b := newSQLiteWorld(writer, func() (*sqliteConn, error) {
		raw, err := s.driver.Open(s.dsn(world))
		if err != nil {
			return nil, err
		}
		return newSQLiteConn(raw), nil
	})
	s.mu.Lock()
	s.open[world] = b
	s.mu.Unlock()
	b.closing = func() {
		s.mu.Lock()
		delete(s.open, world)
		s.mu.Unlock()
	}
	return &World{Name: world, backend: b}, nil
}

// migrate runs the migrations unless the file says that it has had these very ones.
func (s *sqliteStore) migrate(ctx context.Context, world string, c *sqliteConn, schemas []Schema) error {
	digest := int64(schemasDigest(schemas))
	tx := &Tx{conn: c, dialect: sqliteDialect}
	var have int64
	if _, err := tx.Get("PRAGMA user_version", nil, &have); err != nil || have == digest {
		return err
	}
	db, err := sql.Open("sqlite", s.dsn(world))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, sqliteDialect, schemas); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", digest))
	return err
}

func (s *sqliteStore) Drop(_ context.Context, world string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(s.path(world) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *sqliteStore) Size(_ context.Context, world string) (int64, error) {
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path(world) + suffix); err == nil {
			n += info.Size()
		}
	}
	return n, nil
}

func (s *sqliteStore) Close() error { return nil }

// isFull tells whether err is about space or the medium, not about the statement.
func isFull(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

// maxReaders bounds the connections that read one world; each is opened when it is first needed.
const maxReaders = 8

// sqliteWorld serves one file: one writer goroutine, a few readers.
type sqliteWorld struct {
	writer  *sqliteConn
	queue   chan *writeJob
	between chan func() // what runs on the writer's goroutine between two batches
	done    chan struct{}
	closing func()

	mu     sync.RWMutex // held for reading by who uses the world, for writing by close
	closed bool

	readers chan *sqliteConn // idle ones, and nil for each that is not open yet
	connect func() (*sqliteConn, error)
}

func newSQLiteWorld(writer *sqliteConn, connect func() (*sqliteConn, error)) *sqliteWorld {
	w := &sqliteWorld{
		writer: writer, connect: connect,
		queue: make(chan *writeJob, 1024), between: make(chan func()), done: make(chan struct{}),
		readers: make(chan *sqliteConn, maxReaders),
	}
	for range maxReaders {
		w.readers <- nil
	}
	go w.writeLoop()
	return w
}

func (w *sqliteWorld) read(ctx context.Context, fn func(*Tx) error) (err error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	c, err := w.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { w.putReader(c) }()
	if err := c.run("BEGIN"); err != nil {
		return wrap("BEGIN", err)
	}
	defer func() {
		if e := c.run("COMMIT"); e != nil && err == nil {
			err = wrap("COMMIT", e)
		}
	}()
	return fn(&Tx{conn: c, dialect: sqliteDialect})
}

// reader takes an idle connection. Open ones are preferred: a nil stands for
// one not yet open and goes to the back when an open one is at hand.
func (w *sqliteWorld) reader(ctx context.Context) (*sqliteConn, error) {
	var c *sqliteConn
	select {
	case c = <-w.readers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c != nil {
		return c, nil
	}
	for range maxReaders {
		select {
		case other := <-w.readers:
			w.readers <- nil
			if other != nil {
				return other, nil
			}
			continue
		default:
		}
		break
	}
	c, err := w.connect()
	if err != nil {
		w.readers <- nil
		return nil, wrap("open", err)
	}
	return c, nil
}

func (w *sqliteWorld) putReader(c *sqliteConn) { w.readers <- c }

func (w *sqliteWorld) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	w.closing()
	close(w.queue)
	<-w.done
	for range maxReaders {
		if c := <-w.readers; c != nil {
			_ = c.close()
		}
	}
	w.writer.forget()
	return w.writer.close()
}
