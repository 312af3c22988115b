package sqlite

import (
	"context"

	"understudy/internal/platform/store"
)

// deferredRead is the connection of a read that begins with its first statement,
// when SQLite would take its snapshot in any case. A read that is served from a
// cache never begins. It implements store.Conn and store.Comparer.
type deferredRead struct {
	w       *world
	ctx     context.Context
	c       *conn
	writers bool // the connection is the writer's
	begun   func(tx *store.Tx) error
	err     error
}

// begin acquires a connection and its snapshot.
func (l *deferredRead) begin() error {
	if l.c != nil || l.err != nil {
		return l.err
	}
	c, writers, err := l.w.reader(l.ctx)
	if err != nil {
		l.err = err
		return err
	}
	if err := c.run("BEGIN"); err != nil {
		l.w.putReader(c, writers)
		l.err = wrap("BEGIN", err)
		return l.err
	}
	l.c, l.writers = c, writers
	if l.begun != nil {
		l.err = l.begun(store.NewTx(c, store.SQLite))
	}
	return l.err
}

// Open implements store.Opener.
func (l *deferredRead) Open() error { return l.begin() }

func (l *deferredRead) end() error {
	if l.c == nil {
		return nil
	}
	defer l.w.putReader(l.c, l.writers)
	if err := l.c.run("COMMIT"); err != nil {
		return wrap("COMMIT", err)
	}
	return nil
}

// Classify implements store.Conn.
func (l *deferredRead) Classify(err error) error { return classify(err) }

// Compare implements store.Comparer.
func (l *deferredRead) Compare(ctx context.Context, other store.Conn) (store.Difference, error) {
	return compare(ctx, l, other)
}

func (l *deferredRead) Exec(sql string, args []any) (int64, error) {
	if err := l.begin(); err != nil {
		return 0, err
	}
	return l.c.Exec(sql, args)
}

func (l *deferredRead) Query(sql string, args []any) (store.Cursor, error) {
	if err := l.begin(); err != nil {
		return nil, err
	}
	return l.c.Query(sql, args)
}

func (l *deferredRead) InsertID(sql, column string, args []any) (int64, error) {
	if err := l.begin(); err != nil {
		return 0, err
	}
	return l.c.InsertID(sql, column, args)
}

func (l *deferredRead) Batch(sql string, rows [][]any) error {
	if err := l.begin(); err != nil {
		return err
	}
	return l.c.Batch(sql, rows)
}

func (l *deferredRead) CopyFrom(table string, columns []string, rows [][]any) error {
	if err := l.begin(); err != nil {
		return err
	}
	return l.c.CopyFrom(table, columns, rows)
}
