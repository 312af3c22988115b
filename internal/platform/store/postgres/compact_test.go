package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// entries are tables of their own: a schema of other tests that is used again may have their triggers.
var entries = []store.Schema{{Name: "entries", Migrations: fstest.MapFS{
	"0001_init.sql": {Data: []byte(`CREATE TABLE entry (id TEXT PRIMARY KEY, n BIGINT NOT NULL);`)}}}}

// counted is what the server knows of a table.
type counted struct{ bytes, dead, vacuums int64 }

func countsOf(t *testing.T, w *store.World, table string) (c counted) {
	t.Helper()
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT pg_total_relation_size(oid), pg_stat_get_dead_tuples(oid) + COALESCE(pg_stat_get_dead_tuples(NULLIF(reltoastrelid, 0)), 0),
			pg_stat_get_vacuum_count(oid) FROM pg_class WHERE oid = CAST(? AS regclass)`, []any{table}, &c.bytes, &c.dead, &c.vacuums)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// replace removes the rows of entry and adds as many others with long texts. What the
// server counts of it is known at once.
func replace(t *testing.T, w *store.World, round, n int) {
	t.Helper()
	err := w.Write(context.Background(), func(tx *store.Tx) error {
		if _, err := tx.Exec("DELETE FROM entry"); err != nil {
			return err
		}
		for i := range n {
			id := fmt.Sprintf("%d-%d-%s", round, i, strings.Repeat("x", 900))
			if _, err := tx.Exec("INSERT INTO entry (id, n) VALUES (?, ?)", id, i); err != nil {
				return err
			}
		}
		_, err := tx.Get("SELECT 1 FROM (SELECT pg_stat_force_next_flush()) AS flush", nil, new(int64))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Rows that are replaced again and again take the space of those that were there before,
// without the server's own turns, and while another transaction changes the table.
func TestCompactingFreesTheSpaceOfDeadRows(t *testing.T) {
	w := storetest.Postgres(t, entries)
	ctx := context.Background()
	const rows = 4000
	replace(t, w, 0, rows)
	once := countsOf(t, w, "entry")
	if err := w.Compact(ctx, false); err != nil {
		t.Fatal(err)
	}
	if c := countsOf(t, w, "entry"); c.vacuums != 0 {
		t.Fatalf("a table without dead rows was vacuumed: %+v", c)
	}
	for round := range 6 {
		replace(t, w, 1+round, rows)
		if err := w.Compact(ctx, false); err != nil {
			t.Fatal(err)
		}
	}
	after := countsOf(t, w, "entry")
	if after.vacuums != 6 || after.dead > rows/8 || after.bytes > 5*once.bytes/2 {
		t.Errorf("with rows once: %+v; replaced six times: %+v", once, after)
	}
	replace(t, w, 7, rows)
	if err := w.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec("INSERT INTO entry (id, n) VALUES ('open', 1)"); err != nil {
			return err
		}
		return w.Compact(ctx, false) // would wait for a lock that forbids writes for ever
	}); err != nil {
		t.Fatal(err)
	}
	if c := countsOf(t, w, "entry"); c.vacuums != 7 {
		t.Errorf("vacuumed while a write is open: %+v", c)
	}
}
