package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/memdb"
	"understudy/internal/platform/store/sqlite/native"
	"understudy/internal/platform/store/sqlite/pages"
)

// A connection caches its prepared statements, each of some kilobytes: initially
// as many as one kind of write needs, and more if it repeatedly prepares dropped
// ones, as in a busy world. The small statements that begin and end a transaction
// are not counted.
const (
	fewStatements = 8
	maxStatements = 200
	dropsToGrow   = 32
)

// It also caches pages of the file, each of which uses 8 KiB with its
// bookkeeping: initially a few, growth times as many after usesToGrow statements,
// again after twice that, and so on, up to a limit. The limit of the writing
// connection is higher: ids are random, so each row of a large table belongs to
// other pages of its indexes, which would otherwise be read again. The first few
// grow once after readToGrow bytes of texts and blobs too: they cannot hold the way
// to the rows of two tables, so a long join would read it again for each row.
const (
	fewPages    = 4
	readerPages = 8 << 20 / 4096
	writerPages = 16 << 20 / 4096
	memoryPages = 1 << 20 / 4096 // for a database in memory, where reading a page is cheap
	growth      = 8
	usesToGrow  = 256
	readToGrow  = 128 << 10
	// fillsToGrow is usesToGrow while the world is being created.
	fillsToGrow = 32
)

// conn is one connection with its prepared statements. It is not safe for
// concurrent use. It implements store.Conn and store.Comparer.
type conn struct {
	raw   driver.Conn
	db    *native.Conn // the same connection, for statements
	stmts map[string]*stmt
	limit int                     // of stmts
	drops int                     // since limit last grew
	frame map[string]*native.Stmt // that begin and end a transaction

	pages, maxPages int      // of the cache
	mapping         *mapping // of the file, which is then read without system calls; nil for none
	nextMap         int64    // bytes read at which the file is mapped
	share           *share
	uses, nextUses  int   // statements run, and the number at which the cache grows
	nextRead        int64 // bytes read at which it grows
	// filling is set while the world is being created: some hundred statements then
	// run repeatedly, so they are kept, and the cache grows early. filled ends it.
	filling bool

	lazySavepoint bool // set a savepoint before the first change
	changed       bool // a statement that changes data has run

	notes *changedRows // only of the writing connection, while a witness observes it

	// The fields of a connection to worlds in memory, which serves different worlds
	// in turn.
	file   *memdb.File
	tables *pages.Tables // the tables whose definitions it has read
	always *changedRows  // the notes to use when a witness observes a world
	left   time.Time     // when it was last released
}

type stmt struct {
	*native.Stmt
	writes bool
	busy   bool
	noted  noting
	once   bool // not cached: closed with its rows
	used   int  // the connection's uses when it was last requested

	// What it does, if it was prepared while rows are noted.
	tables  []string // that it may write
	unknown bool     // it also does something else, such as to define a table
}

func newConn(raw driver.Conn, db *native.Conn, maxPages int, sh *share) *conn {
	sh.conns.Add(1)
	return &conn{raw: raw, db: db, stmts: map[string]*stmt{}, frame: map[string]*native.Stmt{}, limit: fewStatements,
		pages: fewPages, maxPages: maxPages, share: sh, nextUses: usesToGrow, nextRead: readToGrow, nextMap: readToMap}
}

func (c *conn) close() error {
	c.watch(nil)
	if c.always != nil {
		hooked.remove(c.always)
	}
	c.share.conns.Add(-1)
	c.share.pages.Add(int64(fewPages - c.pages))
	c.forget()
	unmapFile(c, c.db.InUse())
	err := closeBoth(c.raw, c.db)
	if c.file != nil {
		c.file.Close()
	}
	return err
}

// closeBoth closes a connection without statements; db may be nil.
func closeBoth(raw driver.Conn, db *native.Conn) error {
	if db != nil {
		db.Close()
	}
	return raw.Close()
}

// filled drops what the connection has cached while the world was created:
// prepared statements and pages.
func (c *conn) filled() error {
	c.forget()
	if c.filling {
		c.filling, c.uses, c.nextUses, c.nextRead = false, 0, usesToGrow, c.db.Read()+readToGrow
		c.share.pages.Add(int64(fewPages - c.pages))
		c.pages = fewPages
		if err := c.runAnew(fmt.Sprintf("PRAGMA cache_size = %d", fewPages)); err != nil {
			return err
		}
	}
	c.db.Release()
	return nil
}

// forget drops the prepared statements.
func (c *conn) forget() {
	c.limit, c.drops = fewStatements, 0
	for k, s := range c.stmts {
		_ = s.Close()
		delete(c.stmts, k)
	}
	for k, s := range c.frame {
		_ = s.Close()
		delete(c.frame, k)
	}
}

func (c *conn) prepare(sql string) (*stmt, error) {
	if s := c.stmts[sql]; s != nil && !s.busy {
		s.used = c.uses
		return s, nil
	}
	s := &stmt{writes: writes(sql), used: c.uses}
	var err error
	if s.Stmt, err = compile(c, sql, s); err != nil {
		return nil, err
	}
	if c.stmts[sql] != nil {
		s.once = true
		return s, nil
	}
	if len(c.stmts) >= c.limit && (!c.filling || len(c.stmts) >= maxStatements) {
		c.dropOne()
	}
	c.stmts[sql] = s
	return s, nil
}

// compile prepares a statement; s gets what it will do.
func compile(c *conn, sql string, s *stmt) (*native.Stmt, error) {
	n := c.always
	if n == nil {
		n = c.notes
	}
	if n != nil {
		n.compiling = s
		defer func() { n.compiling = nil }()
	}
	return c.db.Prepare(sql)
}

// dropOne drops the least recently used statement, or enlarges the cache.
func (c *conn) dropOne() {
	if c.drops++; c.drops == dropsToGrow && c.limit < maxStatements {
		c.drops, c.limit = 0, min(2*c.limit, maxStatements)
		return
	}
	var oldest string
	for k, s := range c.stmts {
		if !s.busy && (oldest == "" || s.used < c.stmts[oldest].used) {
			oldest = k
		}
	}
	if s := c.stmts[oldest]; s != nil {
		_ = s.Close()
		delete(c.stmts, oldest)
	}
}

// writes reports whether a statement changes data, according to its first word.
func writes(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return false
	}
	return true
}

// ready prepares a statement. It first sets the savepoint that the change may
// need, because preparing the savepoint may drop a statement that is not in use
// yet.
func (c *conn) ready(sql string) (*stmt, error) {
	read := c.db.Read()
	if c.uses++; c.uses == c.nextUses || read >= c.nextRead && c.pages == fewPages {
		c.nextRead = read + readToGrow
		if err := c.grow(); err != nil {
			return nil, err
		}
	}
	if read >= c.nextMap {
		c.nextMap += readToMap
		if err := mapFile(c); err != nil {
			return nil, err
		}
	}
	if c.lazySavepoint && !c.changed && writes(sql) {
		if err := c.run("SAVEPOINT w"); err != nil {
			return nil, err
		}
		c.changed = true
	}
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	c.changed = c.changed || s.writes
	return s, nil
}

// grow enlarges the page cache of a busy connection, and maps the file of one
// that only reads and has run many statements, within the bounds for all worlds.
func (c *conn) grow() error {
	if c.uses == c.nextUses {
		if c.nextUses *= 2; c.maxPages == readerPages {
			if err := mapFile(c); err != nil {
				return err
			}
		}
	}
	pages := min(c.pages*growth, c.maxPages)
	if pages == c.pages || !c.share.take(int64(pages-c.pages)) {
		return nil
	}
	c.pages = pages
	return c.runAnew(fmt.Sprintf("PRAGMA cache_size = %d", c.pages))
}

// run executes a statement that begins or ends a transaction, such as COMMIT, and
// caches it.
func (c *conn) run(sql string) error {
	s := c.frame[sql]
	if s == nil {
		var err error
		if s, err = c.db.Prepare(sql); err != nil {
			return err
		}
		c.frame[sql] = s
	}
	return s.Exec(nil)
}

// runAnew executes a statement without caching it: a setting, which SQLite
// applies when it prepares the statement, or a rare statement.
func (c *conn) runAnew(sql string) error {
	s, err := c.db.Prepare(sql)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	return s.Exec(nil)
}

func (c *conn) Exec(sql string, args []any) (int64, error) {
	if err := c.execute(sql, args); err != nil {
		return 0, err
	}
	return c.db.Changes(), nil
}

func (c *conn) InsertID(sql, _ string, args []any) (int64, error) {
	if err := c.execute(sql, args); err != nil {
		return 0, err
	}
	return c.db.LastInsertID(), nil
}

func (c *conn) execute(sql string, args []any) error {
	s, err := c.ready(sql)
	if err != nil {
		return err
	}
	if s.once {
		defer func() { _ = s.Close() }()
	}
	before := c.notes.begin(sql, s)
	err = s.Stmt.Exec(args)
	c.notes.ended()
	if err != nil {
		c.notes.drop(before)
	}
	return err
}

// Classify implements store.Conn.
func (c *conn) Classify(err error) error { return classify(err) }

// Compare implements store.Comparer.
func (c *conn) Compare(ctx context.Context, other store.Conn) (store.Difference, error) {
	return compare(ctx, c, other)
}

func (c *conn) Batch(sql string, rows [][]any) error {
	for _, args := range rows {
		if _, err := c.Exec(sql, args); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) CopyFrom(table string, columns []string, rows [][]any) error {
	return c.Batch("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES "+store.In(len(columns)), rows)
}

func (c *conn) Query(sql string, args []any) (store.Cursor, error) {
	s, err := c.ready(sql)
	if err != nil {
		return nil, err
	}
	before := c.notes.begin(sql, s)
	r := &cursor{stmt: s, fresh: true}
	if err = s.Bind(args); err == nil {
		s.busy = true
		r.row, err = s.Step()
	}
	c.notes.ended()
	if err != nil {
		c.notes.drop(before)
		r.Close() // the error is the same
		return nil, err
	}
	return r, nil
}
