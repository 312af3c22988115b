package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// Tx is a transaction. It is not safe for concurrent use, and valid until the
// function that received it returns.
type Tx struct {
	conn    Conn
	dialect *Dialect
	after   []func()
	count   int
	shared  *Shared
}

// Opener is implemented by a connection that is acquired on first use.
type Opener interface {
	// Open acquires the connection. The read still begins with its first statement.
	Open() error
}

// Open acquires the connection of a read before its first statement.
func (tx *Tx) Open() error {
	if o, ok := tx.conn.(Opener); ok {
		return o.Open()
	}
	return nil
}

// Conn runs the statements of a transaction; engines implement it. Its errors are
// those of the driver, which Classify classifies.
type Conn interface {
	Exec(sql string, args []any) (int64, error)
	Query(sql string, args []any) (Cursor, error)
	InsertID(sql, column string, args []any) (int64, error)
	Batch(sql string, rows [][]any) error
	CopyFrom(table string, columns []string, rows [][]any) error
	// Classify returns Unavailable caused by err for a failure of the database or
	// its medium, an error that wraps ErrTaken and err for a violated unique
	// constraint, and any other err unchanged.
	Classify(err error) error
}

// Later is implemented by a connection that can send statements together with the
// next one. The next one or the commit returns their errors.
type Later interface {
	ExecLater(sql string, args []any)
	InsertIDLater(id *int64, sql, column string, args []any)
}

// Cursor iterates over the rows of a result.
type Cursor interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// NewTx returns a transaction that runs its statements on c.
func NewTx(c Conn, d *Dialect) *Tx { return NewSharedTx(c, d, NewShared()) }

// NewSharedTx returns a transaction for one of several writes that share s.
func NewSharedTx(c Conn, d *Dialect, s *Shared) *Tx { return &Tx{conn: c, dialect: d, shared: s} }

// ran counts a statement.
func ran(tx *Tx, sql string) {
	tx.count++
	tx.shared.note(sql)
}

// Statements returns the number of statements so far; a batch counts as one.
func (tx *Tx) Statements() int { return tx.count }

// Dialect returns the dialect of the database.
func (tx *Tx) Dialect() *Dialect { return tx.dialect }

// Exec runs a statement and returns the number of changed rows.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	ran(tx, sql)
	n, err := tx.conn.Exec(sql, args)
	return n, tx.wrap(sql, err)
}

// InsertID inserts one row and returns its generated key in column, an INTEGER
// PRIMARY KEY. On SQLite this takes half the time of RETURNING.
func (tx *Tx) InsertID(column, sql string, args ...any) (int64, error) {
	ran(tx, sql)
	id, err := tx.conn.InsertID(sql, column, args)
	return id, tx.wrap(sql, err)
}

// ExecLater runs a statement before the next one with a result, or before the
// commit, which saves a round trip on PostgreSQL. Use it for statements that fail
// only if the database does: a later statement or Write may return the error.
func (tx *Tx) ExecLater(sql string, args ...any) error {
	l, ok := tx.conn.(Later)
	if !ok {
		_, err := tx.Exec(sql, args...)
		return err
	}
	ran(tx, sql)
	l.ExecLater(sql, args)
	return nil
}

// InsertIDLater is InsertID as ExecLater is Exec: id is set before the commit.
func (tx *Tx) InsertIDLater(id *int64, column, sql string, args ...any) (err error) {
	l, ok := tx.conn.(Later)
	if !ok {
		*id, err = tx.InsertID(column, sql, args...)
		return err
	}
	ran(tx, sql)
	l.InsertIDLater(id, sql, column, args)
	return nil
}

// ExecBatch runs one statement for each row of arguments. Like ExecLater it may
// report errors later.
func (tx *Tx) ExecBatch(sql string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	ran(tx, sql)
	return tx.wrap(sql, tx.conn.Batch(sql, rows))
}

// CopyFrom inserts many rows in the fastest way of the database: COPY on
// PostgreSQL, a prepared INSERT on SQLite. If one row violates a constraint, it
// inserts none.
func (tx *Tx) CopyFrom(table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	ran(tx, "INSERT INTO "+table)
	return tx.wrap("COPY "+table, tx.conn.CopyFrom(table, columns, rows))
}

// Get reads the first row of a result into dest and reports whether there was
// one.
func (tx *Tx) Get(sql string, args []any, dest ...any) (bool, error) {
	ran(tx, sql)
	c, err := tx.conn.Query(sql, args)
	if err != nil {
		return false, tx.wrap(sql, err)
	}
	defer c.Close()
	if !c.Next() {
		return false, tx.wrap(sql, c.Err())
	}
	if err := c.Scan(dest...); err != nil {
		return false, tx.wrap(sql, err)
	}
	c.Close()
	return true, tx.wrap(sql, c.Err())
}

// errStop ends Each early.
var errStop = errors.New("stop")

// Stop returns the error with which the function passed to Each ends the
// iteration without an error.
func Stop() error { return errStop }

// Each calls fn for every row of a result. fn must not run other statements while
// the rows are open.
func (tx *Tx) Each(sql string, args []any, fn func(Row) error) error {
	ran(tx, sql)
	c, err := tx.conn.Query(sql, args)
	if err != nil {
		return tx.wrap(sql, err)
	}
	defer c.Close()
	for c.Next() {
		if err := fn(c); err != nil {
			if errors.Is(err, errStop) {
				return nil
			}
			return err
		}
	}
	return tx.wrap(sql, c.Err())
}

// AfterCommit registers f to run when the change is durable, in the order of
// commits. f must be quick and must not use the world.
func (tx *Tx) AfterCommit(f func()) { tx.after = append(tx.after, f) }

// Noter is implemented by a connection whose writes a witness can observe.
type Noter interface {
	// Noted returns the witness and the changes collected for it in this
	// transaction, or nil and nil.
	Noted() (Witness, *[]Change)
}

// Note reports a change of a thing, one of several in a row of a table, to the
// witness of the world, as a change of the table Inside. ctx belongs to the
// request that caused the change, which may differ from that of the write. thing
// is the number of the thing.
func Note(ctx context.Context, tx *Tx, table string, op Op, thing int64) {
	n, ok := tx.conn.(Noter)
	if !ok {
		return
	}
	w, changes := n.Noted()
	if w == nil {
		return
	}
	if t := w.Table(Inside(table)); t.Number != 0 {
		by := w.Author(ctx)
		*changes = append(*changes, Change{Seq: by.Seq, Kind: by.Kind, Table: t.Number, Op: op, Row: thing})
	}
}

// RunAfterCommit runs the functions registered by AfterCommit. Engines call it
// once, after the commit.
func (tx *Tx) RunAfterCommit() {
	for _, f := range tx.after {
		f()
	}
}

// Run calls fn with the transaction and returns a panic of fn as an error, so
// that a bug in one caller does not end a writer that serves others.
func (tx *Tx) Run(fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

func (tx *Tx) wrap(sql string, err error) error {
	if err == nil {
		return nil
	}
	return Wrap(sql, tx.conn.Classify(err))
}

// Wrap adds the statement to a classified error, for the log. It returns an
// Unavailable unchanged.
func Wrap(sql string, err error) error {
	if err == nil || errors.Is(err, Unavailable) {
		return err
	}
	return fmt.Errorf("%w in %.120q", err, sql)
}

// IsTaken reports whether a statement violated a unique constraint.
func IsTaken(err error) bool { return errors.Is(err, ErrTaken) }

// Taken returns an error that wraps ErrTaken and err, for engines.
func Taken(err error) error { return &taken{err} }

type taken struct{ error }

func (t *taken) Unwrap() []error { return []error{t.error, ErrTaken} }
