package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
)

// textOf returns the rows of a query, each in one line.
func textOf(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Tables that are created in one transaction are those that migrations make one
// by one, and later migrations find the same list of applied ones.
func TestCreatedTablesEqualMigratedOnes(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"001_thing.sql":       {Data: []byte("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\nCREATE INDEX thing_name ON thing (name);")},
		"002_color.sql":       {Data: []byte("ALTER TABLE thing ADD COLUMN color TEXT NOT NULL DEFAULT '';\nINSERT INTO thing (name) VALUES ('first');")},
		"010_part.sqlite.sql": {Data: []byte("CREATE TABLE part (id TEXT PRIMARY KEY) WITHOUT ROWID;")},
	}
	schemas := []store.Schema{{Name: "a", Migrations: files}, {Name: "b", Migrations: fstest.MapFS{"001_own.sql": {Data: []byte("CREATE TABLE own (x BLOB);")}}}}
	open := func(apply func(context.Context, *sql.DB, *store.Dialect, []store.Schema) error) *sql.DB {
		db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		if err := apply(t.Context(), db, store.SQLite, schemas); err != nil {
			t.Fatal(err)
		}
		return db
	}
	created, migrated := open(store.CreateTables), open(store.Migrate)
	for _, query := range []string{
		"SELECT name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY name",
		"SELECT id || ' ' || version_id || ' ' || is_applied FROM schema_a ORDER BY id",
		"SELECT id || ' ' || version_id || ' ' || is_applied FROM schema_b ORDER BY id",
		"SELECT id || ' ' || name || ' ' || color FROM thing",
	} {
		if have, want := textOf(t, created, query), textOf(t, migrated, query); !slices.Equal(have, want) || len(want) == 0 {
			t.Errorf("%s: created %q, migrated %q", query, have, want)
		}
	}
	files["011_later.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE later (x TEXT);")}
	if err := store.Migrate(t.Context(), created, store.SQLite, schemas); err != nil {
		t.Fatal(err)
	}
	if have := textOf(t, created, "SELECT name FROM sqlite_master WHERE name = 'later'"); len(have) != 1 {
		t.Error("the later migration was not applied")
	}
	files["012_wrong.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE thing (x TEXT);")}
	broken, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = broken.Close() }()
	if err := store.CreateTables(t.Context(), broken, store.SQLite, schemas); err == nil {
		t.Error("a migration that fails is no error")
	}
	if have := textOf(t, broken, "SELECT name FROM sqlite_master"); len(have) > 0 {
		t.Errorf("a migration that failed left %q", have)
	}
}
