package store

import "context"

// lazyRead is the connection of a read that begins with its first statement,
// which is when SQLite would take its snapshot in any case. What is answered
// from memory never comes so far.
type lazyRead struct {
	w     *sqliteWorld
	ctx   context.Context
	c     *sqliteConn
	begun func(tx *Tx) error
	err   error
}

// begin takes a connection and its snapshot.
func (l *lazyRead) begin() error {
	if l.c != nil || l.err != nil {
		return l.err
	}
	c, err := l.w.reader(l.ctx)
	if err != nil {
		l.err = err
		return err
	}
	if err := c.run("BEGIN"); err != nil {
		l.w.putReader(c)
		l.err = wrap("BEGIN", err)
		return l.err
	}
	l.c = c
	if l.begun != nil {
		l.err = l.begun(&Tx{conn: c, dialect: sqliteDialect})
	}
	return l.err
}

func (l *lazyRead) end() error {
	if l.c == nil {
		return nil
	}
	defer l.w.putReader(l.c)
	if err := l.c.run("COMMIT"); err != nil {
		return wrap("COMMIT", err)
	}
	return nil
}

func (l *lazyRead) exec(sql string, args []any) (int64, error) {
	if err := l.begin(); err != nil {
		return 0, err
	}
	return l.c.exec(sql, args)
}

func (l *lazyRead) query(sql string, args []any) (cursor, error) {
	if err := l.begin(); err != nil {
		return nil, err
	}
	return l.c.query(sql, args)
}

func (l *lazyRead) insertID(sql, column string, args []any) (int64, error) {
	if err := l.begin(); err != nil {
		return 0, err
	}
	return l.c.insertID(sql, column, args)
}

func (l *lazyRead) batch(sql string, rows [][]any) error {
	if err := l.begin(); err != nil {
		return err
	}
	return l.c.batch(sql, rows)
}

func (l *lazyRead) copyFrom(table string, columns []string, rows [][]any) error {
	if err := l.begin(); err != nil {
		return err
	}
	return l.c.copyFrom(table, columns, rows)
}
