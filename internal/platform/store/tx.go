package store

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Tx is a transaction. It is used by one goroutine and ends with the function it was given to.
type Tx struct {
	conn    conn
	dialect *Dialect
	after   []func()
	count   int

	committed bool // on PostgreSQL
}

// Statements tells how many statements ran so far; a batch is one.
func (tx *Tx) Statements() int { return tx.count }

// conn is what a database gives a transaction.
type conn interface {
	exec(sql string, args []any) (int64, error)
	query(sql string, args []any) (cursor, error)
	insertID(sql, column string, args []any) (int64, error)
	batch(sql string, rows [][]any) error
	copyFrom(table string, columns []string, rows [][]any) error
}

// cursor walks over the rows of a reply.
type cursor interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close()
}

// Dialect gives what differs between the two databases.
func (tx *Tx) Dialect() *Dialect { return tx.dialect }

// Exec runs a statement and tells how many rows it changed.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	tx.count++
	n, err := tx.conn.exec(sql, args)
	return n, wrap(sql, err)
}

// InsertID inserts one row and gives its generated key, the INTEGER PRIMARY KEY
// of that name. On SQLite this costs half of what RETURNING does.
func (tx *Tx) InsertID(column, sql string, args ...any) (int64, error) {
	tx.count++
	id, err := tx.conn.insertID(sql, column, args)
	return id, wrap(sql, err)
}

// ExecBatch runs one statement once for each row of arguments.
func (tx *Tx) ExecBatch(sql string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	tx.count++
	return wrap(sql, tx.conn.batch(sql, rows))
}

// CopyFrom adds many rows to a table by the quickest way that the database
// has: COPY on PostgreSQL, one prepared insert on SQLite. A row that breaks a
// constraint fails the whole of it.
func (tx *Tx) CopyFrom(table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	return wrap("COPY "+table, tx.conn.copyFrom(table, columns, rows))
}

// Get reads the first row of a reply into dest and tells whether there was one.
func (tx *Tx) Get(sql string, args []any, dest ...any) (bool, error) {
	tx.count++
	c, err := tx.conn.query(sql, args)
	if err != nil {
		return false, wrap(sql, err)
	}
	defer c.Close()
	if !c.Next() {
		return false, wrap(sql, c.Err())
	}
	if err := c.Scan(dest...); err != nil {
		return false, wrap(sql, err)
	}
	c.Close()
	return true, wrap(sql, c.Err())
}

// Row reads the columns of the current row. NULL goes only into a pointer to a pointer.
type Row interface{ Scan(dest ...any) error }

// errStop ends Each early.
var errStop = errors.New("stop")

// Stop is what the function given to Each returns to end the walk without an error.
func Stop() error { return errStop }

// Each calls fn for every row of a reply. fn may run other statements only on SQLite
// as on PostgreSQL: never while rows are open; collect first.
func (tx *Tx) Each(sql string, args []any, fn func(Row) error) error {
	tx.count++
	c, err := tx.conn.query(sql, args)
	if err != nil {
		return wrap(sql, err)
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
	return wrap(sql, c.Err())
}

// AfterCommit has f run once the change is durable, in the order of commits.
// f must be quick and must not use the world.
func (tx *Tx) AfterCommit(f func()) { tx.after = append(tx.after, f) }

// wrap adds the statement to a database error, for the log.
func wrap(sql string, err error) error {
	if err == nil {
		return nil
	}
	if isFull(err) || isLost(err) {
		return Unavailable.Because(err)
	}
	return fmt.Errorf("%w in %.120q", err, sql)
}

// IsTaken tells whether a statement failed because a unique value is in use.
func IsTaken(err error) bool {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Code == "23505"
	}
	var se *sqlite.Error
	return errors.As(err, &se) && (se.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || se.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}
