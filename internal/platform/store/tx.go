package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// Tx is a transaction. One goroutine uses it, and it ends with the function
// that received it.
type Tx struct {
	conn    Conn
	dialect *Dialect
	after   []func()
	count   int
	shared  *Shared
}

// Opener is implemented by a connection that is acquired when it is first needed.
type Opener interface {
	// Open acquires it. The read begins with its first statement all the same.
	Open() error
}

// Open acquires the connection of a read, before its first statement does.
func (tx *Tx) Open() error {
	if o, ok := tx.conn.(Opener); ok {
		return o.Open()
	}
	return nil
}

// Conn is what an engine implements to run the statements of a transaction.
// Its errors are those of the driver; Classify sorts them.
type Conn interface {
	Exec(sql string, args []any) (int64, error)
	Query(sql string, args []any) (Cursor, error)
	InsertID(sql, column string, args []any) (int64, error)
	Batch(sql string, rows [][]any) error
	CopyFrom(table string, columns []string, rows [][]any) error
	// Classify returns Unavailable with err as its cause when the database or
	// its medium is at fault, an error that wraps ErrTaken and err when a unique
	// value is in use, and err itself otherwise.
	Classify(err error) error
}

// Later is implemented by a connection that can send statements together with
// the next one. Their errors are returned by that one or by the commit.
type Later interface {
	ExecLater(sql string, args []any)
	InsertIDLater(id *int64, sql, column string, args []any)
}

// Cursor walks over the rows of a reply.
type Cursor interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// NewTx returns a transaction that runs its statements on c.
func NewTx(c Conn, d *Dialect) *Tx { return NewSharedTx(c, d, NewShared()) }

// NewSharedTx returns a transaction for one of several writes.
func NewSharedTx(c Conn, d *Dialect, s *Shared) *Tx { return &Tx{conn: c, dialect: d, shared: s} }

// ran counts a statement.
func ran(tx *Tx, sql string) {
	tx.count++
	tx.shared.note(sql)
}

// Statements returns how many statements ran so far; a batch is one.
func (tx *Tx) Statements() int { return tx.count }

// Dialect returns what differs between the databases.
func (tx *Tx) Dialect() *Dialect { return tx.dialect }

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	ran(tx, sql)
	n, err := tx.conn.Exec(sql, args)
	return n, tx.wrap(sql, err)
}

// InsertID inserts one row and returns its generated key: the INTEGER PRIMARY
// KEY of that name. On SQLite this costs half of what RETURNING does.
func (tx *Tx) InsertID(column, sql string, args ...any) (int64, error) {
	ran(tx, sql)
	id, err := tx.conn.InsertID(sql, column, args)
	return id, tx.wrap(sql, err)
}

// ExecLater runs a statement before the next one that has an answer, or before the
// commit: PostgreSQL then needs no answer for it alone. It is for statements that
// do not fail, but for faults of the database: its error may be returned by a later
// statement or by Write.
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

// ExecBatch runs one statement once for each row of arguments. Its errors may come
// as late as those of ExecLater.
func (tx *Tx) ExecBatch(sql string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	ran(tx, sql)
	return tx.wrap(sql, tx.conn.Batch(sql, rows))
}

// CopyFrom adds many rows to a table in the quickest way that the database
// offers: COPY on PostgreSQL, one prepared insert on SQLite. A row that breaks a
// constraint fails the whole of it.
func (tx *Tx) CopyFrom(table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	ran(tx, "INSERT INTO "+table)
	return tx.wrap("COPY "+table, tx.conn.CopyFrom(table, columns, rows))
}

// Get reads the first row of a reply into dest and reports whether there was one.
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

// Row reads the columns of the current row. NULL goes only into a pointer to a pointer.
type Row interface{ Scan(dest ...any) error }

// errStop ends Each early.
var errStop = errors.New("stop")

// Stop returns the error by which the function given to Each ends the walk
// without failing it.
func Stop() error { return errStop }

// Each calls fn for every row of a reply. fn must not run other statements,
// because the rows are still open: it collects first.
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

// AfterCommit registers f to run once the change is durable, in the order of
// commits. f must be quick and must not use the world.
func (tx *Tx) AfterCommit(f func()) { tx.after = append(tx.after, f) }

// Noter is implemented by a connection whose writes a witness may observe.
type Noter interface {
	// Noted returns the witness and the changes that the transaction will hand
	// over to it; nil and nil when there is none.
	Noted() (Witness, *[]Change)
}

// Note reports to the witness of the world, if there is one, a change of a thing
// where a row of a table holds several: as a change of the table Inside. ctx
// belongs to the request that makes the change, which may be another one than the
// write's. thing is the number of the thing.
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

// RunAfterCommit runs what AfterCommit registered. Engines call it once, after
// the commit.
func (tx *Tx) RunAfterCommit() {
	for _, f := range tx.after {
		f()
	}
}

// Run calls fn with the transaction and returns a panic of fn as an error, so
// that one caller's bug does not end a writer that serves others.
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

// Wrap adds the statement to a classified error, for the log. An Unavailable
// stays as it is.
func Wrap(sql string, err error) error {
	if err == nil || errors.Is(err, Unavailable) {
		return err
	}
	return fmt.Errorf("%w in %.120q", err, sql)
}

// IsTaken reports whether a statement failed because a unique value is in use.
func IsTaken(err error) bool { return errors.Is(err, ErrTaken) }

// Taken returns an error that wraps ErrTaken and err, for engines.
func Taken(err error) error { return &taken{err} }

type taken struct{ error }

func (t *taken) Unwrap() []error { return []error{t.error, ErrTaken} }
