package sqlite

import (
	"errors"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store/sqlite/memdb"
	"understudy/internal/platform/store/sqlite/native"
	"understudy/internal/platform/store/sqlite/pages"
)

// memoryPragmas are set on each connection to a world in memory. Nothing waits
// for SQLite's locks: the world's own locks separate reads from writes.
var memoryPragmas = []string{"PRAGMA cache_size = 4", "PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF", "PRAGMA temp_store = MEMORY"}

const (
	// maxIdle is how many unused connections to worlds in memory are kept, for any
	// world, and maxIdleTime how long.
	maxIdle     = 16
	maxIdleTime = time.Minute
	// maxTables is how many different sets of tables are cached.
	maxTables = 8
)

// idle pools the unused connections to worlds in memory.
//
// Reading the definitions of all tables takes as long as twenty short statements,
// and preparing a statement again longer than running it. So a world in memory
// has a connection only while it is in use; the next world reuses the connection
// with its prepared statements, if its tables are byte for byte the same.
type idle struct {
	mu     sync.Mutex
	conns  []*conn         // the least recently used first
	tables []*pages.Tables // that connections have read
	timer  *time.Timer     // runs while there are connections
}

// acquire returns a connection to a database: the one that had it last, or else
// one with the same tables, or else a new one. The database must not be written
// to meanwhile.
func (i *idle) acquire(s *Store, db *memdb.Database) (*conn, error) {
	if c := i.pick(db); c != nil {
		c.file.Use(db)
		return c, nil
	}
	return i.open(s, db)
}

func (i *idle) pick(db *memdb.Database) *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := slices.IndexFunc(i.conns, func(c *conn) bool { return c.file.Database() == db })
	if at < 0 {
		at = slices.IndexFunc(i.conns, func(c *conn) bool { return c.tables.In(db) })
	}
	if at < 0 {
		return nil
	}
	c := i.conns[at]
	i.conns = slices.Delete(i.conns, at, at+1)
	return c
}

// open opens a connection.
func (i *idle) open(s *Store, db *memdb.Database) (_ *conn, err error) {
	file, uri, err := memdb.NewFile(db)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	raw, err := s.driver.Open(uri)
	if err != nil {
		return nil, err
	}
	handle, err := native.Of(raw)
	if err == nil {
		err = lighten(handle.Handle())
	}
	if err != nil {
		return nil, errors.Join(err, closeBoth(raw, handle))
	}
	c := newConn(raw, handle, memoryPages, s.share)
	for _, sql := range memoryPragmas {
		if err = c.runAnew(sql); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	c.file, c.tables = file, i.known(db)
	noteAlways(c)
	return c, nil
}

// known returns the tables of a database.
func (i *idle) known(db *memdb.Database) *pages.Tables {
	i.mu.Lock()
	defer i.mu.Unlock()
	if at := slices.IndexFunc(i.tables, func(t *pages.Tables) bool { return t.In(db) }); at >= 0 {
		return i.tables[at]
	}
	t := memdb.TablesOf(db)
	if t != nil {
		if len(i.tables) == maxTables {
			i.tables = slices.Delete(i.tables, 0, 1)
		}
		i.tables = append(i.tables, t)
	}
	return t
}

// release returns a connection to the pool. It closes one that is still in a
// transaction, and those above maxIdle or older than maxIdleTime. A connection
// that has changed the tables of its world reads those of the next world again,
// because SQLite finds another number in the header.
func (i *idle) release(c *conn) {
	c.watch(nil)
	if !c.db.Rests() {
		_ = c.close()
		return
	}
	c.left = clock.Real()
	i.mu.Lock()
	i.conns = append(i.conns, c)
	var excess *conn
	if len(i.conns) > maxIdle {
		excess = i.conns[0]
		i.conns = slices.Delete(i.conns, 0, 1)
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(maxIdleTime, i.expire)
	}
	i.mu.Unlock()
	if excess != nil {
		_ = excess.close()
	}
}

// expire closes connections that have not been used for long.
func (i *idle) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := clock.Real()
	for len(i.conns) > 0 && now.Sub(i.conns[0].left) >= maxIdleTime {
		_ = i.conns[0].close()
		i.conns = slices.Delete(i.conns, 0, 1)
	}
	i.timer = nil
	if len(i.conns) > 0 {
		i.timer = time.AfterFunc(maxIdleTime-now.Sub(i.conns[0].left), i.expire)
	}
}

// leave frees the data that idle connections have of a database that ends.
func (i *idle) leave(db *memdb.Database) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.conns {
		if c.file.Database() == db {
			c.file.Leave()
			c.db.Release()
		}
	}
}

// close closes all connections.
func (i *idle) close() (err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.conns {
		err = errors.Join(err, c.close())
	}
	i.conns = nil
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
	return err
}
