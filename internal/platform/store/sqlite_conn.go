package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// A connection keeps its prepared statements, each of some kilobytes: a few at
// first, more when those it dropped are asked for again and again, as in a
// world that is in constant use.
const (
	fewStatements = 4
	maxStatements = 200
	dropsToGrow   = 32
)

// The same holds for its pages of the file, of which each takes 8 KiB with what
// goes with it: a few at first, growth times as many after usesToGrow
// statements, again after twice that, and so on, up to a limit. The one
// connection that writes may keep more: ids are random, so each row of a large
// table goes to other pages of its indexes, which would be read again from the
// file. Not many more: each commit that balanced a tree searches all of them.
const (
	fewPages    = 4
	readerPages = 8 << 20 / 4096
	writerPages = 16 << 20 / 4096
	growth      = 8
	usesToGrow  = 256
)

// sqliteConn is one connection with its prepared statements, used by one
// goroutine at a time. It speaks to the driver below database/sql, whose
// locking and reflection cost as much as the short statements of a write.
type sqliteConn struct {
	raw   driver.Conn
	stmts map[string]*sqliteStmt
	limit int // of stmts
	drops int // since limit last grew

	pages, maxPages int // of the cache
	uses, nextUses  int // statements run, and how many there are when the cache grows

	lazySavepoint bool // set one before the first change
	changed       bool // a statement that changes data has run

	named []driver.NamedValue
}

type sqliteStmt struct {
	driver.Stmt
	writes bool
	busy   bool
	once   bool // not kept: closed with its rows
}

func newSQLiteConn(raw driver.Conn, maxPages int) *sqliteConn {
	return &sqliteConn{raw: raw, stmts: map[string]*sqliteStmt{}, limit: fewStatements,
		pages: fewPages, maxPages: maxPages, nextUses: usesToGrow}
}

func (c *sqliteConn) close() error {
	c.forget()
	return c.raw.Close()
}

// forget drops the prepared statements.
func (c *sqliteConn) forget() {
	c.limit, c.drops = fewStatements, 0
	for k, s := range c.stmts {
		_ = s.Close()
		delete(c.stmts, k)
	}
}

func (c *sqliteConn) prepare(sql string) (*sqliteStmt, error) {
	if s := c.stmts[sql]; s != nil && !s.busy {
		return s, nil
	}
	raw, err := c.raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	s := &sqliteStmt{Stmt: raw, writes: writes(sql)}
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

func (c *sqliteConn) dropOne() {
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

// writes tells whether a statement changes data, by its first word.
func writes(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return false
	}
	return true
}

func (c *sqliteConn) bind(args []any) []driver.NamedValue {
	c.named = c.named[:0]
	for i, a := range args {
		c.named = append(c.named, driver.NamedValue{Ordinal: i + 1, Value: argument(a)})
	}
	return c.named
}

// ready prepares a statement, after the savepoint that its change may need:
// preparing that one may drop another that is not in use yet.
func (c *sqliteConn) ready(sql string) (*sqliteStmt, error) {
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

// grow makes the cache of a connection larger that is in constant use.
func (c *sqliteConn) grow() error {
	if c.pages == c.maxPages {
		return nil
	}
	c.pages = min(c.pages*growth, c.maxPages)
	c.nextUses *= 2
	return c.run(fmt.Sprintf("PRAGMA cache_size = %d", c.pages))
}

// run executes a statement without arguments, such as COMMIT.
func (c *sqliteConn) run(sql string) error {
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	_, err = s.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), nil)
	return err
}

func (c *sqliteConn) exec(sql string, args []any) (int64, error) {
	r, err := c.execute(sql, args)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c *sqliteConn) insertID(sql, _ string, args []any) (int64, error) {
	r, err := c.execute(sql, args)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (c *sqliteConn) execute(sql string, args []any) (driver.Result, error) {
	s, err := c.ready(sql)
	if err != nil {
		return nil, err
	}
	if s.once {
		defer func() { _ = s.Close() }()
	}
	return s.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), c.bind(args))
}

func (c *sqliteConn) batch(sql string, rows [][]any) error {
	for _, args := range rows {
		if _, err := c.exec(sql, args); err != nil {
			return err
		}
	}
	return nil
}

func (c *sqliteConn) copyFrom(table string, columns []string, rows [][]any) error {
	return c.batch("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES "+In(len(columns)), rows)
}

func (c *sqliteConn) query(sql string, args []any) (cursor, error) {
	s, err := c.ready(sql)
	if err != nil {
		return nil, err
	}
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(context.Background(), c.bind(args))
	if err != nil {
		if s.once {
			_ = s.Close()
		}
		return nil, err
	}
	s.busy = true
	return &sqliteRows{stmt: s, rows: rows, vals: make([]driver.Value, len(rows.Columns()))}, nil
}

type sqliteRows struct {
	stmt *sqliteStmt
	rows driver.Rows
	vals []driver.Value
	err  error
}

func (r *sqliteRows) Next() bool {
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

func (r *sqliteRows) Err() error { return r.err }

func (r *sqliteRows) Close() {
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

func (r *sqliteRows) Scan(dest ...any) error {
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

// scanValue puts what the driver gives for SQLite's five types into the types that stores use.
func scanValue(v driver.Value, dest any) error {
	switch d := dest.(type) {
	case *string:
		switch x := v.(type) {
		case string:
			*d = x
			return nil
		case []byte:
			*d = string(x)
			return nil
		}
	case *[]byte:
		switch x := v.(type) {
		case string:
			*d = []byte(x)
			return nil
		case []byte:
			*d = x
			return nil
		case nil:
			*d = nil
			return nil
		}
	case *int64:
		if x, ok := v.(int64); ok {
			*d = x
			return nil
		}
	case *int:
		if x, ok := v.(int64); ok {
			*d = int(x)
			return nil
		}
	case *bool:
		if x, ok := v.(int64); ok {
			*d = x != 0
			return nil
		}
	case *float64:
		switch x := v.(type) {
		case float64:
			*d = x
			return nil
		case int64:
			*d = float64(x)
			return nil
		}
	case **string:
		return scanPointer(v, d)
	case **int64:
		return scanPointer(v, d)
	case **bool:
		return scanPointer(v, d)
	case **float64:
		return scanPointer(v, d)
	case *any:
		*d = v
		return nil
	default:
		return scanNamed(v, reflect.ValueOf(dest))
	}
	return fmt.Errorf("%T does not go into %T", v, dest)
}

func scanPointer[T any](v driver.Value, dest **T) error {
	if v == nil {
		*dest = nil
		return nil
	}
	*dest = new(T)
	return scanValue(v, *dest)
}

// scanNamed scans into a type that is defined over a plain one, such as a string of constants.
func scanNamed(v driver.Value, dest reflect.Value) error {
	if dest.Kind() != reflect.Pointer {
		return fmt.Errorf("cannot scan into %s", dest.Type())
	}
	e := dest.Elem()
	switch x := v.(type) {
	case string:
		if e.Kind() == reflect.String {
			e.SetString(x)
			return nil
		}
		if e.Kind() == reflect.Slice && e.Type().Elem().Kind() == reflect.Uint8 {
			e.SetBytes([]byte(x))
			return nil
		}
	case int64:
		if e.CanInt() {
			e.SetInt(x)
			return nil
		}
		if e.Kind() == reflect.Bool {
			e.SetBool(x != 0)
			return nil
		}
	case []byte:
		if e.Kind() == reflect.Slice && e.Type().Elem().Kind() == reflect.Uint8 {
			e.SetBytes(x)
			return nil
		}
	case nil:
		if e.Kind() == reflect.Slice {
			e.SetZero()
			return nil
		}
	}
	return fmt.Errorf("%T does not go into %s", v, dest.Type())
}

// namedArgument binds a type that is defined over a plain one.
func namedArgument(a any) any {
	v := reflect.ValueOf(a)
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return v.Int()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		if v.IsNil() {
			return nil
		}
		return string(v.Bytes())
	}
	return a
}
