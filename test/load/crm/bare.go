package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/internal/platform/store/storetest/bare"
)

// bareFirst is how many contacts the database alone has when one is looked up, and
// up to which both are compared first.
const bareFirst = 50_000

const partGoal = " (goal: 0.75 of it or more on SQLite, 0.5 on PostgreSQL)"

// The two large tables of a contact, as the server has them, but for the partial index of archived records.
const bareTables = `
	CREATE TABLE bare_record (portal BIGINT NOT NULL, type BIGINT NOT NULL, id BIGINT NOT NULL, created BIGINT NOT NULL, updated BIGINT NOT NULL,
		archived BIGINT NOT NULL, merged BIGINT NOT NULL, source TEXT NOT NULL, source_id TEXT NOT NULL, properties TEXT NOT NULL, PRIMARY KEY (portal, type, id));
	CREATE INDEX bare_created ON bare_record (portal, type, created, id) WHERE archived = 0;
	CREATE INDEX bare_updated ON bare_record (portal, type, updated, id) WHERE archived = 0;
	CREATE TABLE bare_value (portal BIGINT NOT NULL, property BIGINT NOT NULL, value TEXT%s NOT NULL, record BIGINT NOT NULL,
		PRIMARY KEY (portal, property, value, record))%s`

var (
	recordColumns = []string{"portal", "type", "id", "created", "updated", "archived", "merged", "source", "source_id", "properties"}
	valueColumns  = []string{"portal", "property", "value", "record"}
)

// bare measures the database by itself: the rows that a contact has in the two
// large tables, without its words, a hundred contacts in a durable transaction,
// from one connection, for as many contacts as the server was filled with, since
// large tables are slower; and the one statement that finds a contact by its email.
func (r *report) bare(url, dir string) error {
	ctx := context.Background()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	db, err := bare.Open(ctx, url, filepath.Join(dir, "bare.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	tables := fmt.Sprintf(bareTables, ` COLLATE "C"`, "")
	if url == "" {
		tables = fmt.Sprintf(bareTables, "", " WITHOUT ROWID")
	}
	if err := db.Exec(ctx, tables); err != nil {
		return err
	}
	first := min(bareFirst, r.made)
	took, err := bareFill(ctx, db, 0, first)
	if err != nil {
		return err
	}
	rate := float64(first) / took.Seconds()
	of := r.rate / rate
	if r.firstRate > 0 {
		of = r.firstRate / rate
	}
	r.line("The database alone: the first rows of contacts, without words"+partGoal, fmt.Sprintf("%.0f records/s; `batch/create` does %.2f of it, up to %d contacts", rate, of, first))
	if err := r.bareFind(ctx, db, first); err != nil {
		return err
	}
	if r.made > first {
		more, err := bareFill(ctx, db, first, r.made)
		if err != nil {
			return err
		}
		rate = float64(r.made) / (took + more).Seconds()
		r.line("The database alone: the rows of all contacts, without words"+partGoal, fmt.Sprintf("%.0f records/s; `batch/create` does %.2f of it", rate, r.rate/rate))
	}
	return db.Exec(ctx, "DROP TABLE bare_record; DROP TABLE bare_value")
}

// bareFill inserts the rows of contacts, and returns how long the database took.
func bareFill(ctx context.Context, db *bare.DB, from, to int) (took time.Duration, err error) {
	for b := from; b < to; b += batchSize {
		records, values := bare.Table{Name: "bare_record", Columns: recordColumns}, bare.Table{Name: "bare_value", Columns: valueColumns}
		for i := range batchSize {
			addContact(&records, &values, b+i)
		}
		began := time.Now()
		if err := db.Insert(ctx, records, values); err != nil {
			return 0, err
		}
		took += time.Since(began)
	}
	return took, nil
}

// bareFind measures the statement that finds one of n contacts by its email.
func (r *report) bareFind(ctx context.Context, db *bare.DB, n int) error {
	if err := db.Exec(ctx, "ANALYZE"); err != nil {
		return err
	}
	find, err := db.Prepare(ctx, `SELECT r.id, r.properties FROM bare_value v JOIN bare_record r ON r.portal = 1 AND r.type = 1 AND r.id = v.record
		WHERE v.portal = 1 AND v.property = 1 AND v.value = ?`)
	if err != nil {
		return err
	}
	defer func() { _ = find.Close() }()
	var times latencies
	for i := range r.settings.searches {
		var id int64
		var properties string
		at := time.Now()
		if err := find.QueryRowContext(ctx, email(i*7919%n)).Scan(&id, &properties); err != nil {
			return err
		}
		times.add(time.Since(at))
	}
	r.line("The database alone: a contact by email, of 50,000", fmt.Sprintf("p50 %s, p99 %s", times.at(50), times.at(99)))
	return nil
}

// shown returns the settings of the server that matter to measurements.
func shown(url string) (string, error) {
	ctx := context.Background()
	db, err := bare.Open(ctx, url, "")
	if err != nil {
		return "", err
	}
	defer db.Close()
	var out []string
	for _, name := range []string{"server_version", "shared_buffers", "max_wal_size", "fsync", "synchronous_commit"} {
		show, err := db.Prepare(ctx, "SHOW "+name)
		if err != nil {
			return "", err
		}
		var value string
		if err := show.QueryRowContext(ctx).Scan(&value); err != nil {
			return "", err
		}
		_ = show.Close()
		out = append(out, "`"+name+"` "+value)
	}
	return strings.Join(out, ", "), nil
}

// addContact adds the rows of the n-th contact.
func addContact(records, values *bare.Table, n int) {
	now, id := int64(1_700_000_000_000_000+n), int64(n+1)
	properties := contact(n)
	records.Rows = append(records.Rows, []any{int64(1), int64(1), id, now, now, int64(0), int64(0), "INTEGRATION", "1", properties})
	for i, field := range strings.Split(strings.Trim(properties, `{}"`), `","`) {
		_, v, _ := strings.Cut(field, `":"`)
		values.Rows = append(values.Rows, []any{int64(1), int64(i + 1), strings.ToLower(v), id})
	}
	values.Rows = append(values.Rows, []any{int64(1), int64(100), time.UnixMicro(now).UTC().Format(time.RFC3339Nano), id})
}
