// Package sqlite is the engine that stores each world in a SQLite file, or in
// memory.
//
// One connection of a world writes, and group commit makes one fsync serve many
// writes (writer.go). A few connections read, each opened on demand (world.go).
// The package bypasses database/sql, whose locking and reflection take as long as
// the short statements of a write. Package files manages the files and how worlds
// share them; package pages compares two files.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"

	_ "modernc.org/sqlite" // the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
	"understudy/internal/platform/store/sqlite/native"
)

// pragmas are set on each connection. FULL makes a commit durable in WAL mode. The
// cache is small initially and grows with use. The connection of a world that
// writes has no automatic checkpoints (checkpoint.go).
var pragmas = []string{"busy_timeout(10000)", "cache_size(4)", "journal_mode(WAL)", "synchronous(FULL)", "temp_store(MEMORY)",
	"wal_autocheckpoint(4000)", "journal_size_limit(67108864)"}

// Store is a directory of SQLite files. It implements store.Store.
type Store struct {
	folder    *files.Folder
	templates *files.Templates
	driver    driver.Driver
	images    images // worlds in memory
	idle      idle   // connections to worlds in memory
	share     *share

	mu     sync.Mutex
	worlds map[string]*world // open worlds
}

// Open opens the store in a directory, and creates the directory if necessary.
func Open(dir string) (*Store, error) {
	folder, err := files.Open(dir)
	if err != nil {
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
	s := &Store{folder: folder, driver: db.Driver(), share: newShare(), worlds: map[string]*world{}}
	s.templates = files.NewTemplates(folder, s.createTemplate)
	return s, nil
}

// uriOf returns the URI of a file. It escapes the path, in which the driver would
// treat # and ? as its end.
func uriOf(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath()
}

// Open implements store.Store.
func (s *Store) Open(ctx context.Context, name string, schemas []store.Schema) (_ *store.World, err error) {
	defer func() { err = classify(err) }()
	if err := store.CheckNames(name); err != nil {
		return nil, err
	}
	if store.IsInMemory(name) {
		return s.openMemory(ctx, name, schemas)
	}
	if !s.folder.Exists(name) {
		if err := s.fromTemplate(ctx, name, schemas); err != nil {
			return nil, err
		}
	}
	return s.openFile(ctx, name, schemas, true)
}

// Exists implements store.Store.
func (s *Store) Exists(_ context.Context, name string) (bool, error) {
	if store.IsInMemory(name) {
		return s.images.get(name) != nil || s.opened(name) != nil, nil
	}
	return s.folder.Exists(name), nil
}

// Blank implements store.Store: the world is the template of schemas.
func (s *Store) Blank(ctx context.Context, schemas []store.Schema) (*store.World, error) {
	return s.templates.World(ctx, schemas, func(name string) (*store.World, error) {
		return s.openFile(ctx, name, schemas, true)
	})
}

// Create implements store.Store.
func (s *Store) Create(ctx context.Context, name, from string, schemas []store.Schema) (_ *store.World, err error) {
	defer func() { err = classify(err) }()
	if err := store.CheckNames(name); err != nil {
		return nil, err
	}
	if err := s.Drop(ctx, name); err != nil {
		return nil, err
	}
	if store.IsInMemory(name) {
		if from != "" {
			if err := s.Copy(ctx, from, name); err != nil {
				return nil, err
			}
		}
		return s.openMemory(ctx, name, schemas)
	}
	if from == "" {
		return createEmpty(ctx, s, name, schemas)
	}
	if err := s.fork(from, name); err != nil {
		return nil, err
	}
	files.StartWriting(s.folder, name) // for MakeDurable, while the world is being opened and filled
	return s.openFile(ctx, name, schemas, false)
}

// fromTemplate creates the file of a new world.
func (s *Store) fromTemplate(ctx context.Context, name string, schemas []store.Schema) error {
	path, err := s.templates.Path(ctx, schemas)
	if err != nil {
		return err
	}
	return s.folder.Place(path, name, true)
}

// openFile opens a world whose file exists. Unless durable, it becomes durable in
// MakeDurable.
func (s *Store) openFile(ctx context.Context, name string, schemas []store.Schema, durable bool) (_ *store.World, err error) {
	defer s.folder.Lock(name)()
	if err := s.folder.Reserve(name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.forget(name)
		}
	}()
	shared, err := s.folder.PrepareOpen(name, durable)
	if err != nil {
		return nil, err
	}
	dial, settings, logged := dialOf(s, schemas), pragmas, true
	if !durable {
		current, err := endLog(s.folder, name, schemas)
		if err != nil {
			return nil, err
		}
		if current {
			settings, logged = unlogged, false
		}
	}
	writer, err := dial(name, writerPages, settings)
	if err != nil {
		return nil, err
	}
	if logged {
		err = s.migrate(ctx, name, writer, schemas, &shared)
	}
	if err == nil && !durable {
		writer.filling, writer.nextUses = true, writer.uses+fillsToGrow
		if logged {
			err = writer.runAnew("PRAGMA synchronous = OFF")
		}
	}
	if err == nil {
		err = native.CountLog(writer.db)
	}
	if err != nil {
		_ = writer.close()
		return nil, err
	}
	w := &world{store: s, name: name, writer: writer, dial: dial, volatile: !durable, checkpointAt: logPages}
	useFile(w)
	w.unlogged.Store(!logged)
	w.shared.Store(shared)
	w.dirty = s.folder.LogSize(name) > 0
	return enter(s, w), nil
}

// dialer opens a connection to a world's file.
type dialer func(name string, maxPages int, settings []string) (*conn, error)

// dialOf returns the dialer for worlds with these tables.
func dialOf(s *Store, schemas []store.Schema) dialer {
	if store.Overwrites(schemas) {
		return s.dialOverwriting
	}
	return s.dial
}

// dial opens a connection to a world's file. It does not touch the file before
// leaveLog: otherwise closing a connection that could not be opened completely
// would run a checkpoint, though the file may have other names.
func (s *Store) dial(name string, maxPages int, settings []string) (*conn, error) {
	raw, err := s.driver.Open(uriOf(s.folder.Path(name)))
	if err != nil {
		return nil, err
	}
	db, err := native.Of(raw)
	if err == nil {
		err = leaveLog(db.Handle())
	}
	if err == nil {
		err = lighten(db.Handle())
	}
	loaded := err == nil && s.share.definitions.load(db)
	if err == nil {
		_, err = raw.(driver.ExecerContext).ExecContext(context.Background(), "PRAGMA "+strings.Join(settings, "; PRAGMA "), nil)
	}
	if err != nil {
		return nil, errors.Join(err, closeBoth(raw, db))
	}
	if !loaded && s.folder.LogSize(name) == 0 {
		s.share.definitions.keep(db)
	}
	return newConn(raw, db, maxPages, s.share), nil
}

// dialOverwriting is dial for a world in which deleted data is overwritten.
func (s *Store) dialOverwriting(name string, maxPages int, settings []string) (*conn, error) {
	c, err := s.dial(name, maxPages, settings)
	if err != nil {
		return nil, err
	}
	if err := c.runAnew("PRAGMA secure_delete = ON"); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// opened returns an open world, nil for a closed one.
func (s *Store) opened(name string) *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.worlds[name]
}

// enter adds a world to the open ones.
func enter(s *Store, w *world) *store.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds[w.name] = w
	return store.NewWorld(w.name, store.SQLite, w)
}

// forget removes a closed world from the open ones.
func (s *Store) forget(name string) {
	s.mu.Lock()
	delete(s.worlds, name)
	s.mu.Unlock()
	s.folder.Release(name)
}

// migrate runs the migrations unless the file contains the digest of schemas.
func (s *Store) migrate(ctx context.Context, name string, c *conn, schemas []store.Schema, shared *bool) error {
	digest := int64(store.Digest(schemas))
	var have int64
	if _, err := store.NewTx(c, store.SQLite).Get("PRAGMA user_version", nil, &have); err != nil || have == digest {
		return err
	}
	if *shared { // the file is about to change, so it must have no other name
		if err := s.folder.DetachOthers(name); err != nil {
			return err
		}
		*shared = false
	}
	return s.migrateFile(ctx, name, schemas)
}

// migrateFile runs the missing migrations of a file.
func (s *Store) migrateFile(ctx context.Context, name string, schemas []store.Schema) error {
	return s.alter(ctx, name, schemas, func(db *sql.DB) error { return store.Migrate(ctx, db, store.SQLite, schemas) })
}

// createTemplate creates the file of a template. It does not wait for the disk:
// templates are created again at each start, and durable copies are flushed.
func (s *Store) createTemplate(ctx context.Context, name string, schemas []store.Schema) error {
	return s.alter(ctx, name, schemas, func(db *sql.DB) error {
		if _, err := db.ExecContext(ctx, "PRAGMA synchronous = OFF"); err != nil {
			return err
		}
		return store.CreateTables(ctx, db, store.SQLite, schemas)
	})
}

// alter changes the tables of a file with a separate connection, and stores the
// digest of schemas in the file.
func (s *Store) alter(ctx context.Context, name string, schemas []store.Schema, change func(*sql.DB) error) error {
	db, err := sql.Open("sqlite", uriOf(s.folder.Path(name))+"?"+url.Values{"_pragma": pragmas}.Encode())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if err := change(db); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", store.Digest(schemas)))
	return err
}

// Drop implements store.Store.
func (s *Store) Drop(_ context.Context, name string) error {
	if store.IsInMemory(name) {
		s.images.drop(name)
		return nil
	}
	return s.folder.Remove(name)
}

// Size implements store.Store.
func (s *Store) Size(_ context.Context, name string) (int64, error) {
	w := s.opened(name)
	if store.IsInMemory(name) {
		return s.images.size(name, w), nil
	}
	if w != nil {
		if n := w.resting.Load(); n > 0 {
			return n, nil
		}
	}
	return s.folder.Size(name), nil
}

// Worlds implements store.Store.
func (s *Store) Worlds(context.Context) ([]string, error) { return s.folder.Worlds() }

// Claim does nothing: the directory belongs to one process.
func (s *Store) Claim(context.Context, *slog.Logger) error { return nil }

// Release does nothing.
func (s *Store) Release() {}

// Ping does nothing: there is no server.
func (s *Store) Ping(context.Context) error { return nil }

// Dialect implements store.Store.
func (s *Store) Dialect() *store.Dialect { return store.SQLite }

// Classify implements store.Store.
func (s *Store) Classify(err error) error { return classify(err) }

// Close implements store.Store.
func (s *Store) Close() error { return errors.Join(s.idle.close(), s.templates.Close()) }

// classify implements store.Conn.Classify, also for errors of the files themselves.
func classify(err error) error {
	var e interface { // an error of the driver, or of package native
		error
		Code() int
	}
	if !errors.As(err, &e) {
		if isExhausted(err) && !errors.Is(err, store.Unavailable) {
			return store.Unavailable.Because(err)
		}
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return store.Taken(err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return store.Unavailable.Because(err)
	}
	return err
}

// isExhausted reports whether space, file descriptors or devices are missing.
func isExhausted(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.EROFS},
		func(reason error) bool { return errors.Is(err, reason) })
}

// wrap adds the failed operation to a driver's error.
func wrap(what string, err error) error { return store.Wrap(what, classify(err)) }
