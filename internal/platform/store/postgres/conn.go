package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// conn runs the statements of one transaction. It implements store.Conn.
type conn struct {
	ctx   context.Context
	conn  *pgx.Conn
	notes *notes // of a write, while a witness observes the world
}

// notes collects the changes of the statements in a transaction.
type notes struct {
	witness store.Witness
	by      store.Author
	changes []store.Change
}

// add adds a statement: n is the number of changed rows, id the generated key or
// 0. A nil notes collects nothing.
func (t *notes) add(sql string, args []any, n, id int64) {
	if t != nil {
		t.changes = t.witness.Statement(t.changes, t.by, sql, args, n, id)
	}
}

// author returns the author of the running job's writes.
func (t *notes) author() (by store.Author) {
	if t != nil {
		by = t.by
	}
	return by
}

// Noted implements store.Noter.
func (c *conn) Noted() (store.Witness, *[]store.Change) {
	if c.notes == nil {
		return nil, nil
	}
	return c.notes.witness, &c.notes.changes
}

// len returns the number of changes.
func (t *notes) len() int {
	if t == nil {
		return 0
	}
	return len(t.changes)
}

// drop removes the changes after the first n.
func (t *notes) drop(n int) {
	if t != nil {
		t.changes = t.changes[:n]
	}
}

// addFor is add for a statement of a given author.
func (t *notes) addFor(by store.Author, sql string, args []any, n, id int64) {
	if t != nil {
		t.changes = t.witness.Statement(t.changes, by, sql, args, n, id)
	}
}

func arguments(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = store.Argument(a)
	}
	return out
}

func (c *conn) Exec(sql string, args []any) (int64, error) {
	tag, err := c.conn.Exec(c.ctx, rebind(sql), arguments(args)...)
	if err == nil {
		c.notes.add(sql, args, tag.RowsAffected(), 0)
	}
	return tag.RowsAffected(), err
}

func (c *conn) Query(sql string, args []any) (store.Cursor, error) {
	rows, err := c.conn.Query(c.ctx, rebind(sql), arguments(args)...)
	if err != nil {
		return nil, err
	}
	c.notes.add(sql, args, 1, 0)
	return rows, nil
}

func (c *conn) InsertID(sql, column string, args []any) (id int64, err error) {
	err = c.conn.QueryRow(c.ctx, rebind(sql+" RETURNING "+column), arguments(args)...).Scan(&id)
	if err == nil {
		c.notes.add(sql, args, 1, id)
	}
	return id, err
}

func (c *conn) Batch(sql string, rows [][]any) error {
	var b pgx.Batch
	text := rebind(sql)
	for _, args := range rows {
		b.Queue(text, arguments(args)...)
		c.notes.add(sql, args, 1, 0)
	}
	return c.conn.SendBatch(c.ctx, &b).Close()
}

func (c *conn) CopyFrom(table string, columns []string, rows [][]any) error {
	if c.notes != nil {
		sql := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + store.In(len(columns))
		for _, args := range rows {
			c.notes.add(sql, args, 1, 0)
		}
	}
	_, err := c.conn.CopyFrom(c.ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		return arguments(rows[i]), nil
	}))
	return err
}

// Classify implements store.Conn.
func (c *conn) Classify(err error) error { return classify(err) }

// classify implements store.Conn.Classify.
func classify(err error) error {
	if _, known := fault.As(err); err == nil || known {
		return err
	}
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe) && pe.Code == "23505":
		return store.Taken(err)
	case isLost(err):
		return store.Unavailable.Because(err)
	}
	return err
}

// isLost reports whether err is about the server, its resources or the
// connection, not about the statement.
func isLost(err error) bool {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		switch pe.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, shutdown, system
			return true
		}
		return pe.Code == "55P03" // a lock was not acquired within lockTime
	}
	var ce *pgconn.ConnectError
	var ne net.Error
	return errors.As(err, &ce) || errors.As(err, &ne) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET)
}
