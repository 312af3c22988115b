// Package bare uses a database directly through its driver, as a baseline for
// measurements.
package bare

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// rowsAtOnce is the number of rows in one INSERT on SQLite.
const rowsAtOnce = 50

// DB is one connection.
type DB struct {
	db   *sql.DB
	conn *sql.Conn
	copy bool
}

// Table is a table with rows.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]any
}

// Open opens the PostgreSQL database at url, or a SQLite file with durable
// commits if url is empty.
func Open(ctx context.Context, url, file string) (*DB, error) {
	driver := "pgx"
	if url == "" {
		driver, url = "sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	}
	db, err := sql.Open(driver, url)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &DB{db: db, conn: conn, copy: driver == "pgx"}, nil
}

// Close closes the connection.
func (d *DB) Close() {
	_ = d.conn.Close()
	_ = d.db.Close()
}

// Exec runs statements separated by semicolons.
func (d *DB) Exec(ctx context.Context, statements string) error {
	for s := range strings.SplitSeq(statements, ";") {
		if _, err := d.conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in %s", err, s)
		}
	}
	return nil
}

// Prepare prepares a statement with "?" placeholders.
func (d *DB) Prepare(ctx context.Context, statement string) (*sql.Stmt, error) {
	if d.copy {
		for n := 1; strings.Contains(statement, "?"); n++ {
			statement = strings.Replace(statement, "?", fmt.Sprintf("$%d", n), 1)
		}
	}
	return d.conn.PrepareContext(ctx, statement)
}

// Insert inserts rows in the fastest way of the database, in one transaction.
func (d *DB) Insert(ctx context.Context, tables ...Table) error {
	if d.copy {
		return d.conn.Raw(func(driver any) error {
			return pgx.BeginFunc(ctx, driver.(interface{ Conn() *pgx.Conn }).Conn(), func(tx pgx.Tx) error {
				for _, t := range tables {
					if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.Name}, t.Columns, pgx.CopyFromRows(t.Rows)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	tx, err := d.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, t := range tables {
		if err := insert(ctx, tx, t); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func insert(ctx context.Context, tx *sql.Tx, t Table) error {
	row := ", (?" + strings.Repeat(", ?", len(t.Columns)-1) + ")"
	for rows := t.Rows; len(rows) > 0; {
		n := min(rowsAtOnce, len(rows))
		args := make([]any, 0, n*len(t.Columns))
		for _, r := range rows[:n] {
			args = append(args, r...)
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO "+t.Name+" ("+strings.Join(t.Columns, ", ")+") VALUES "+strings.Repeat(row, n)[2:], args...)
		if err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
