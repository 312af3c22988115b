package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"strings"

	"understudy/internal/platform/store"
)

// A connection caches its prepared statements, each of some kilobytes: a few at
// first, more when it prepares dropped ones again and again, as in a world that
// is in constant use.
const (
	fewStatements = 4
	maxStatements = 200
	dropsToGrow   = 32
)

// It caches pages of the file likewise, each of which costs 8 KiB with its
// bookkeeping: a few at first, growth times as many after usesToGrow statements,
// again after twice that, and so on, up to a limit. The one connection that
// writes may cache more: ids are random, so each row of a large table goes to
// other pages of its indexes, which would be read again from the file. Not many
// more: each commit that balanced a tree searches all of them.
const (
	fewPages    = 4
	readerPages = 8 << 20 / 4096
	writerPages = 16 << 20 / 4096
	growth      = 8
	usesToGrow  = 256
)

// conn is one connection with its prepared statements. One goroutine at a time
// uses it. It implements store.Conn and store.Comparer.
type conn struct {
	raw   driver.Conn
	stmts map[string]*stmt
	limit int // of stmts
	drops int // since limit last grew

	pages, maxPages int  // of the cache
	mapped          bool // reads of the file need no call of the system
	share           *share
	uses, nextUses  int // statements run, and how many there are when the cache grows

	lazySavepoint bool // set one before the first change
	changed       bool // a statement that changes data has run

	named []driver.NamedValue

	notes *changedRows // of the connection that writes, while a witness observes it
}

type stmt struct {
	driver.Stmt
	writes bool
	busy   bool
	noted  columns // what its updates write
	once   bool    // not cached: closed with its rows
}

func newConn(raw driver.Conn, maxPages int, sh *share) *conn {
	sh.conns.Add(1)
	return &conn{raw: raw, stmts: map[string]*stmt{}, limit: fewStatements,
		pages: fewPages, maxPages: maxPages, share: sh, nextUses: usesToGrow}
}

func (c *conn) close() error {
	c.watch(nil)
	c.share.conns.Add(-1)
	c.share.pages.Add(int64(fewPages - c.pages))
	if c.mapped {
		c.share.maps.Add(-1)
	}
	c.forget()
	return c.raw.Close()
}

// forget drops the prepared statements.
func (c *conn) forget() {
	c.limit, c.drops = fewStatements, 0
	for k, s := range c.stmts {
		_ = s.Close()
		delete(c.stmts, k)
	}
}

func (c *conn) prepare(sql string) (*stmt, error) {
	if s := c.stmts[sql]; s != nil && !s.busy {
		return s, nil
	}
	raw, err := c.raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	s := &stmt{Stmt: raw, writes: writes(sql)}
	if c.stmts[sql] != nil {
		s.once = true
		return s, nil
	}
	if len(c.stmts) >= c.limit {
		c.dropOne()
	}
	c.stmts[sql] = s
	return s, nil
}

func (c *conn) dropOne() {
	if c.drops++; c.drops == dropsToGrow && c.limit < maxStatements {
		c.drops, c.limit = 0, min(2*c.limit, maxStatements)
		return
	}
	for k, s := range c.stmts {
		if !s.busy {
			_ = s.Close()
			delete(c.stmts, k)
			return
		}
	}
}

// writes reports whether a statement changes data, judged by its first word.
func writes(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return false
	}
	return true
}

func (c *conn) bind(args []any) []driver.NamedValue {
	c.named = c.named[:0]
	for i, a := range args {
		c.named = append(c.named, driver.NamedValue{Ordinal: i + 1, Value: store.Argument(a)})
	}
	return c.named
}

// ready prepares a statement. It sets the savepoint that its change may need
// first, because preparing that one may drop a statement that is not in use yet.
func (c *conn) ready(sql string) (*stmt, error) {
	if c.uses++; c.uses == c.nextUses {
		if err := c.grow(); err != nil {
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

// grow enlarges the page cache of a connection that is in constant use and maps
// the file of one that only reads, unless those of all worlds have grown to their
// bound.
func (c *conn) grow() error {
	c.nextUses *= 2
	if !c.mapped && c.maxPages == readerPages && c.share.takeMap() {
		c.mapped = true
		if err := c.runAnew(fmt.Sprintf("PRAGMA mmap_size = %d", mappedBytes)); err != nil {
			return err
		}
	}
	pages := min(c.pages*growth, c.maxPages)
	if pages == c.pages || !c.share.take(int64(pages-c.pages)) {
		return nil
	}
	c.pages = pages
	return c.run(fmt.Sprintf("PRAGMA cache_size = %d", c.pages))
}

// run executes a statement without arguments, such as COMMIT.
func (c *conn) run(sql string) error {
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	_, err = s.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), nil)
	return err
}

// runAnew executes a setting that SQLite applies when the statement is prepared:
// one that was prepared before would do nothing.
func (c *conn) runAnew(sql string) error {
	s, err := c.raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), sql)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), nil)
	return err
}

func (c *conn) Exec(sql string, args []any) (int64, error) {
	r, err := c.execute(sql, args)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c *conn) InsertID(sql, _ string, args []any) (int64, error) {
	r, err := c.execute(sql, args)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (c *conn) execute(sql string, args []any) (driver.Result, error) {
	s, err := c.ready(sql)
	if err != nil {
		return nil, err
	}
	if s.once {
		defer func() { _ = s.Close() }()
	}
	before := c.notes.begin(sql, s)
	r, err := s.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), c.bind(args))
	if err != nil {
		c.notes.drop(before)
	}
	return r, err
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
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(context.Background(), c.bind(args))
	if err != nil {
		c.notes.drop(before)
		if s.once {
			_ = s.Close()
		}
		return nil, err
	}
	s.busy = true
	return &cursor{stmt: s, rows: rows, vals: make([]driver.Value, len(rows.Columns()))}, nil
}

type cursor struct {
	stmt *stmt
	rows driver.Rows
	vals []driver.Value
	err  error
}

func (r *cursor) Next() bool {
	if r.rows == nil {
		return false
	}
	if err := r.rows.Next(r.vals); err != nil {
		if err != io.EOF {
			r.err = err
		}
		r.Close()
		return false
	}
	return true
}

func (r *cursor) Err() error { return r.err }

func (r *cursor) Close() {
	if r.rows == nil {
		return
	}
	if err := r.rows.Close(); err != nil && r.err == nil {
		r.err = err
	}
	r.rows = nil
	r.stmt.busy = false
	if r.stmt.once {
		_ = r.stmt.Close()
	}
}

func (r *cursor) Scan(dest ...any) error {
	if len(dest) != len(r.vals) {
		return fmt.Errorf("%d columns scanned into %d places", len(r.vals), len(dest))
	}
	for i, d := range dest {
		if err := scanValue(r.vals[i], d); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}
