package native_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// BenchmarkPage reads 100 rows, with the driver and without it.
func BenchmarkPage(b *testing.B) {
	db, err := sql.Open("sqlite", "")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	raw, err := db.Driver().Open(":memory:")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	c, err := native.Of(raw)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	run := func(text string, args ...any) {
		s, err := c.Prepare(text)
		if err == nil {
			err = s.Exec(args)
		}
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
	run("CREATE TABLE t (id INTEGER PRIMARY KEY, place TEXT, at BIGINT, body TEXT, more TEXT)")
	run("CREATE INDEX t_place ON t (place, at)")
	run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i, 'here', i, ?, '' FROM n", strings.Repeat("x", 330))
	const query = "SELECT at, body, more FROM t WHERE place = ? AND at <= ? ORDER BY at DESC LIMIT 100"
	b.Run("driver", func(b *testing.B) {
		b.ReportAllocs()
		s, err := raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), query)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		for n := int64(0); b.Loop(); n++ {
			rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(),
				[]driver.NamedValue{{Ordinal: 1, Value: "here"}, {Ordinal: 2, Value: 100 + n%4900}})
			if err != nil {
				b.Fatal(err)
			}
			for values := make([]driver.Value, 3); rows.Next(values) == nil; {
			}
			_ = rows.Close()
		}
	})
	b.Run("native", func(b *testing.B) {
		b.ReportAllocs()
		s, err := c.Prepare(query)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		var at int64
		var body, more store.Borrowed
		for n := int64(0); b.Loop(); n++ {
			if err := s.Bind([]any{"here", 100 + n%4900}); err != nil {
				b.Fatal(err)
			}
			for {
				if row, err := s.Step(); err != nil || !row {
					break
				}
				if err := s.Scan(&at, &body, &more); err != nil {
					b.Fatal(err)
				}
			}
			_ = s.Reset()
		}
	})
}
