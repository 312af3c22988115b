package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
)

// Exercise runs the conformance suite for engines. It tests the doc comments of
// store.Store, store.World and store.Tx. database returns a function that opens a
// new, empty database; each call opens the same one again.
func Exercise(t *testing.T, database func(t *testing.T) (open func() (store.Store, error))) {
	opener := func(t *testing.T) func() store.Store {
		open := database(t)
		return func() store.Store {
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	}
	for name, test := range map[string]func(t *testing.T, s store.Store){
		"types round trip":                      typesRoundTrip,
		"CopyFrom is atomic":                    copyFromIsAtomic,
		"taken values are reported":             takenValuesAreReported,
		"failed writes leave nothing":           failedWritesLeaveNothing,
		"writes run once":                       writesRunOnce,
		"statements may come later":             statementsMayComeLater,
		"what writes keep holds":                whatWritesKeepHolds,
		"failed writes are not noted":           failedWritesAreNotNoted,
		"late errors undo one write":            lateErrorsUndoOneWrite,
		"callbacks follow the order of commits": callbacksFollowTheOrderOfCommits,
		"callbacks match commits":               callbacksMatchCommits,
		"closed worlds refuse":                  closedWorldsRefuse,
		"copies are independent":                copiesAreIndependent,
		"copies change their storage":           copiesChangeStorage,
		"multiplied worlds share nothing":       multipliedWorldsShareNothing,
		"newer data is refused":                 newerDataIsRefused,
		"lazy worlds are made when written to":  lazyWorldsAreMadeWhenWrittenTo,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, opener(t)())
		})
	}
	for name, test := range map[string]func(t *testing.T, reopen func() store.Store){
		"worlds begin anew":            worldsBeginAnew,
		"copies are read and restored": copiesAreReadAndRestored,
		"copies survive an upgrade":    copiesSurviveAnUpgrade,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, opener(t))
		})
	}
}

// sample has a table with each kind of column, and one migration for each
// database.
var sample = []store.Schema{{
	Name: "sample",
	Migrations: fstest.MapFS{
		"0001_init.sql": {Data: []byte(`
			CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT NOT NULL, ok BOOLEAN NOT NULL, note TEXT);
			CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, item_id TEXT NOT NULL);`)},
		"0002_only.sqlite.sql":   {Data: []byte(`CREATE TABLE dialect AS SELECT 'sqlite' AS name;`)},
		"0002_only.postgres.sql": {Data: []byte(`CREATE TABLE dialect AS SELECT 'postgres' AS name;`)},
	},
}}

// counted has migrations that insert rows.
var counted = []store.Schema{{Name: "counted", Migrations: fstest.MapFS{
	"0001_init.sql": {Data: []byte(`
		CREATE TABLE counter (id BIGINT PRIMARY KEY, next BIGINT NOT NULL);
		INSERT INTO counter (id, next) VALUES (1, 1);
		CREATE TABLE entry (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL);
		CREATE TABLE other (id TEXT PRIMARY KEY);
		CREATE INDEX entry_text ON entry (text);`)},
}}}

// upgraded is counted in a later build.
var upgraded = []store.Schema{{Name: "counted", Migrations: fstest.MapFS{
	"0001_init.sql": counted[0].Migrations.(fstest.MapFS)["0001_init.sql"],
	"0002_more.sql": {Data: []byte(`
		DROP INDEX entry_text;
		ALTER TABLE entry ADD COLUMN note TEXT NOT NULL DEFAULT 'none';
		ALTER TABLE other ADD COLUMN note TEXT NOT NULL DEFAULT 'none';`)},
}}}

// open opens a world and closes it after the test, unless the test does.
func open(t *testing.T, s store.Store, schemas []store.Schema) *store.World {
	t.Helper()
	w, err := s.Open(t.Context(), "test", schemas)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func change(t *testing.T, w *store.World, statements ...string) {
	t.Helper()
	err := w.Write(context.Background(), func(tx *store.Tx) error {
		for _, sql := range statements {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// holds returns the content of the three tables.
func holds(t *testing.T, w *store.World) string {
	t.Helper()
	var out []string
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		out = nil
		for _, sql := range []string{"SELECT next, 'counter' FROM counter", "SELECT seq, text FROM entry ORDER BY seq", "SELECT 0, id FROM other ORDER BY id"} {
			err := tx.Each(sql, nil, func(r store.Row) error {
				var n int64
				var text string
				err := r.Scan(&n, &text)
				out = append(out, fmt.Sprint(n, " ", text))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, ", ")
}

func shows(t *testing.T, w *store.World, what, want string) {
	t.Helper()
	if got := holds(t, w); got != want {
		t.Errorf("%s holds %q, want %q", what, got, want)
	}
}

func closed(t *testing.T, worlds ...*store.World) {
	t.Helper()
	for _, w := range worlds {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
