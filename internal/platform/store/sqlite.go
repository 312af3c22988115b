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
	"strings"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// pragmas are set on each connection. FULL makes a commit durable in WAL mode;
// the checkpoint is large because one is paid for by the writes that wait for
// it. The cache is small at first: the connection makes it larger with use.
var pragmas = []string{"busy_timeout(10000)", "cache_size(4)", "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)",
	"wal_autocheckpoint(4000)", "journal_size_limit(67108864)"}

// checkpointBytes is the size of the log at which the pragma has it written back.
const checkpointBytes = 4000 * 4096

var worldName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// sqliteStore keeps each world in a file of its own.
type sqliteStore struct {
	dir    string
	driver driver.Driver
	memory images
	doors  doors

	mu     sync.Mutex
	open   map[string]*sqliteWorld
	busy   map[string]bool   // those in open, and those being opened
	groups map[uint64]*group // files that have several names

	templates sync.Mutex
	template  map[uint32]*template
}

func openSQLite(dir string) (Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := configure(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	s := &sqliteStore{dir: dir, driver: db.Driver(), open: map[string]*sqliteWorld{}, busy: map[string]bool{},
		groups: map[uint64]*group{}, template: map[uint32]*template{}}
	return s, s.scan()
}

func (s *sqliteStore) path(world string) string { return filepath.Join(s.dir, world+".db") }

// uri escapes the path: in what the driver reads, # and ? end it.
func (s *sqliteStore) uri(world string) string {
	return "file:" + (&url.URL{Path: s.path(world)}).EscapedPath()
}

func (s *sqliteStore) dsn(world string) string {
	return s.uri(world) + "?" + url.Values{"_pragma": pragmas}.Encode()
}

func checkNames(names ...string) error {
	for _, name := range names {
		if !worldName.MatchString(name) {
			return fmt.Errorf("bad world name %q", name)
		}
	}
	return nil
}

func (s *sqliteStore) Open(ctx context.Context, world string, schemas []Schema) (*World, error) {
	if err := checkNames(world); err != nil {
		return nil, err
	}
	if inMemory(world) {
		return s.openMemory(ctx, world, schemas)
	}
	if _, err := os.Stat(s.path(world)); errors.Is(err, os.ErrNotExist) {
		if err := s.fromTemplate(ctx, world, schemas, true); err != nil {
			return nil, err
		}
	}
	return s.openFile(ctx, world, schemas, true)
}

// OpenCopy opens a copy as any other world: it costs no more.
func (s *sqliteStore) OpenCopy(ctx context.Context, world string, schemas []Schema) (*World, error) {
	return s.Open(ctx, world, schemas)
}

func (s *sqliteStore) Create(ctx context.Context, world, from string, schemas []Schema) (*World, error) {
	if err := checkNames(world); err != nil {
		return nil, err
	}
	if err := s.Drop(ctx, world); err != nil {
		return nil, err
	}
	if inMemory(world) {
		if from != "" {
			if err := s.Copy(ctx, from, world); err != nil {
				return nil, err
			}
		}
		return s.openMemory(ctx, world, schemas)
	}
	if from == "" {
		if err := s.fromTemplate(ctx, world, schemas, false); err != nil {
			return nil, err
		}
	} else if err := s.duplicate(from, world, false); err != nil {
		return nil, err
	}
	return s.openFile(ctx, world, schemas, false)
}

// openFile opens a world whose file is there. One that is not durable yet is so from Seal on.
func (s *sqliteStore) openFile(ctx context.Context, world string, schemas []Schema, durable bool) (_ *World, err error) {
	defer s.doors.lock(world)()
	if err := s.reserve(world); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.forget(world)
		}
	}()
	shared, err := s.settleNames(world, durable)
	if err != nil {
		return nil, err
	}
	writer, err := s.dial(world, writerPages)
	if err != nil {
		return nil, err
	}
	if err = s.migrate(ctx, world, writer, schemas, &shared); err == nil && !durable {
		err = writer.run("PRAGMA synchronous = OFF")
	}
	if err == nil && shared {
		err = writer.run("PRAGMA wal_autocheckpoint = 0")
	}
	if err != nil {
		_ = writer.close()
		return nil, err
	}
	b := newSQLiteWorld(writer, func(maxPages int) (*sqliteConn, error) { return s.dial(world, maxPages) })
	b.store, b.name, b.shared, b.unsealed, b.checkpointAt = s, world, shared, !durable, checkpointBytes
	b.dirty = b.logSize() > 0
	s.mu.Lock()
	s.open[world] = b
	s.mu.Unlock()
	return &World{Name: world, backend: b}, nil
}

// dial opens a connection to a world's file. It does not touch the file before
// it is told to keep the log: otherwise one that cannot be opened to the end
// would write the log back when it is closed, though the file have other names.
func (s *sqliteStore) dial(world string, maxPages int) (*sqliteConn, error) {
	raw, err := s.driver.Open(s.uri(world))
	if err != nil {
		return nil, err
	}
	if err = keepLog(raw); err == nil {
		_, err = raw.(driver.ExecerContext).ExecContext(context.Background(), "PRAGMA "+strings.Join(pragmas, "; PRAGMA "), nil)
	}
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return newSQLiteConn(raw, maxPages), nil
}

// reserve notes that a world is being opened: of the names of one file only one may be open.
func (s *sqliteStore) reserve(world string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[world] {
		return fmt.Errorf("the world %s is open", world)
	}
	s.busy[world] = true
	return nil
}

func (s *sqliteStore) forget(world string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, world)
	delete(s.busy, world)
}

// migrate runs the migrations unless the file says that it has had these very ones.
func (s *sqliteStore) migrate(ctx context.Context, world string, c *sqliteConn, schemas []Schema, shared *bool) error {
	digest := int64(schemasDigest(schemas))
	tx := &Tx{conn: c, dialect: sqliteDialect}
	var have int64
	if _, err := tx.Get("PRAGMA user_version", nil, &have); err != nil || have == digest {
		return err
	}
	if *shared { // what is about to change must have no other name
		if err := s.giveAway(world); err != nil {
			return err
		}
		*shared = false
	}
	return s.migrateFile(ctx, s.dsn(world), schemas)
}

func (s *sqliteStore) migrateFile(ctx context.Context, dsn string, schemas []Schema) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, sqliteDialect, schemas); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemasDigest(schemas)))
	return err
}

func (s *sqliteStore) Drop(_ context.Context, world string) error {
	if inMemory(world) {
		s.memory.drop(world)
		return nil
	}
	// Who gives the names of its file a copy is waited for: it would put this one back.
	if g, err := s.lockGroup(world, false); err == nil && g != nil {
		defer g.mu.Unlock()
	}
	s.unname(world)()
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(s.path(world) + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *sqliteStore) Size(_ context.Context, world string) (int64, error) {
	if inMemory(world) {
		s.mu.Lock()
		w := s.open[world]
		s.mu.Unlock()
		return s.memory.size(world, w)
	}
	var n int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path(world) + suffix); err == nil {
			n += info.Size()
		}
	}
	return n, nil
}

// Join finds no other process: a data folder is one's own.
func (s *sqliteStore) Join(_ context.Context, first func() error) error { return first() }

// Leave leaves no other process behind.
func (s *sqliteStore) Leave(_ context.Context, last func() error) error { return last() }

func (s *sqliteStore) Close() error { return s.closeTemplates() }

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
