package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite"
	"understudy/internal/platform/store/storetest"
)

var noted = []store.Schema{{Name: "noted", Tables: map[string]store.Class{"note": store.WorldClass, "pair": store.WorldClass, "quiet": store.WorldClass},
	Migrations: fstest.MapFS{"0001_noted.sql": {Data: []byte(`
		CREATE TABLE note (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL CHECK (body <> 'bad'));
		CREATE TABLE pair (a BIGINT NOT NULL, b TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
		CREATE TABLE quiet (name TEXT NOT NULL PRIMARY KEY)`)}}}}

func witnessed(t *testing.T) (*store.World, *storetest.Witness) {
	w := storetest.SQLite(t, noted)
	wt := &storetest.Witness{Tables: map[string]store.Noted{"note": {Number: 1}, "pair": {Number: 2, Keys: 2}}}
	w.Watch(wt)
	return w, wt
}

func exec(tx *store.Tx, sql string, args ...any) error {
	_, err := tx.Exec(sql, args...)
	return err
}

// execAll executes statements in one write.
func execAll(ctx context.Context, t *testing.T, w *store.World, statements []string) {
	t.Helper()
	err := w.Write(ctx, func(tx *store.Tx) error {
		for _, sql := range statements {
			if err := exec(tx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAWitnessSeesEachCommittedRow(t *testing.T) {
	w, wt := witnessed(t)
	write := func(seq int64, statements ...string) {
		t.Helper()
		execAll(storetest.By(t.Context(), store.Author{Seq: seq, Kind: 1}), t, w, statements)
	}
	check := func(want ...store.Change) {
		t.Helper()
		if got := wt.Take(); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
			t.Errorf("noted %+v, want %+v", got, want)
		}
	}
	row := func(seq int64, op store.Op, row int64, sql string) store.Change {
		return store.Change{Seq: seq, Kind: 1, Table: 1, Op: op, Row: row, Columns: uint16(len(sql))}
	}
	pair := func(seq int64, op store.Op, a int64, b string, sql string) store.Change {
		return store.Change{Seq: seq, Kind: 1, Table: 2, Op: op, Row: store.HashKey(a, b), Columns: uint16(len(sql))}
	}
	write(1, `INSERT INTO note VALUES ('a', ''), ('b', '')`, `INSERT INTO quiet VALUES ('x')`)
	check(row(1, store.Inserted, 1, ""), row(1, store.Inserted, 2, ""))
	update := `UPDATE note SET body = 'new'`
	write(2, update)
	check(row(2, store.Updated, 1, update), row(2, store.Updated, 2, update))
	write(3, `INSERT OR REPLACE INTO note VALUES ('a', 'again')`) // another rowid
	check(row(3, store.Deleted, 1, ""), row(3, store.Inserted, 3, ""))
	upsert := `INSERT INTO note VALUES ('b', 'up') ON CONFLICT (name) DO UPDATE SET body = excluded.body`
	write(4, upsert)
	check(row(4, store.Updated, 2, upsert))
	write(5, `INSERT INTO pair VALUES (7, 'p', ''), (8, 'q', '')`)
	check(pair(5, store.Inserted, 7, "p", ""), pair(5, store.Inserted, 8, "q", ""))
	update = `UPDATE pair SET body = 'x' WHERE a = 7`
	write(6, update, `DELETE FROM pair WHERE a = 8`)
	check(pair(6, store.Updated, 7, "p", update), pair(6, store.Deleted, 8, "q", ""))
	write(7, `UPDATE pair SET a = 9 WHERE a = 7`) // another key is another row
	got := wt.Take()
	if len(got) != 2 || got[0].Op != store.Deleted || got[0].Row != store.HashKey(7, "p") || got[1].Op != store.Inserted || got[1].Row != store.HashKey(9, "p") {
		t.Errorf("a changed key: %+v", got)
	}
	write(8, `DELETE FROM note`) // not by emptying the table at once
	check(row(8, store.Deleted, 2, ""), row(8, store.Deleted, 3, ""))
}

// A write that fails leaves nothing, nor does a statement of one that goes on.
func TestAWitnessSeesNothingThatIsUndone(t *testing.T) {
	w, wt := witnessed(t)
	for _, once := range []bool{false, true} {
		if once {
			w.RunOnce()
		}
		wt.Take()
		release, held := make(chan bool), make(chan bool)
		hold := sync.OnceFunc(func() { close(held) })
		results := make(chan error, 9)
		go func() { // holds the writer, so that the others share the next batch
			results <- w.Write(t.Context(), func(*store.Tx) error { hold(); <-release; return nil }) // may run again
		}()
		<-held
		for i := range int64(8) {
			go func() {
				results <- w.Write(storetest.By(t.Context(), store.Author{Seq: i + 1}), func(tx *store.Tx) error {
					name := string(rune('a' + i))
					if err := exec(tx, `DELETE FROM note WHERE name = ?`, name); err != nil {
						return err
					}
					if err := exec(tx, `INSERT INTO note VALUES (?, '')`, name); err != nil {
						return err
					}
					if i%2 == 1 {
						return errors.New("no")
					}
					if err := exec(tx, `UPDATE note SET body = CASE WHEN name = ? THEN 'bad' ELSE 'half' END`, name); err == nil {
						t.Error("a check that fails passed")
					}
					return nil
				})
			}()
		}
		close(release)
		failed := 0
		for range 9 {
			if err := <-results; err != nil {
				failed++
				if err.Error() != "no" {
					t.Error(err)
				}
			}
		}
		if failed != 4 {
			t.Errorf("%d writes failed", failed)
		}
		inserted := map[int64]int{}
		for _, c := range wt.Take() {
			switch c.Op {
			case store.Inserted:
				inserted[c.Seq]++
			case store.Updated:
				t.Errorf("a statement that failed was noted: %+v", c)
			}
		}
		if !reflect.DeepEqual(inserted, map[int64]int{1: 1, 3: 1, 5: 1, 7: 1}) {
			t.Errorf("once %v: noted %v", once, inserted)
		}
	}
}

func TestABulkWriteLeavesOneMark(t *testing.T) {
	w, wt := witnessed(t)
	err := w.Write(storetest.By(t.Context(), store.Author{Seq: 5, Bulk: true}), func(tx *store.Tx) error {
		for _, sql := range []string{`INSERT INTO note VALUES ('a', ''), ('b', '')`, `INSERT INTO pair VALUES (1, '', '')`, `UPDATE note SET body = 'x' WHERE name = 'a'`} {
			if err := exec(tx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	got := wt.Take()
	if err != nil || len(got) != 2 || got[0].Op != store.Bulk || got[1].Op != store.Updated {
		t.Errorf("%+v: %v", got, err)
	}
}

// A suspended world is watched again when it is used again, and a watched copy
// is announced.
func TestAWitnessStays(t *testing.T) {
	ctx := context.Background()
	s, err := storetest.Open(ctx, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open(ctx, "first", noted)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	wt := &storetest.Witness{Tables: map[string]store.Noted{"note": {Number: 1}}}
	w.Watch(wt)
	w.Suspend()
	insert := func() {
		if err := w.Write(ctx, func(tx *store.Tx) error { return exec(tx, `INSERT INTO note SELECT COUNT(*), '' FROM note`) }); err != nil {
			t.Fatal(err)
		}
	}
	insert()
	if got := wt.Take(); len(got) != 1 {
		t.Errorf("noted %v", got)
	}
	if err := s.Copy(ctx, "first", "second"); err != nil {
		t.Fatal(err)
	}
	if got := wt.Copies(); !reflect.DeepEqual(got, []string{"second"}) {
		t.Errorf("copies %v", got)
	}
	w.Watch(nil)
	insert()
	if got := wt.Take(); len(got) != 0 {
		t.Errorf("noted %v", got)
	}
}

// A witness sees the rows of its own world in memory, whichever connection writes
// them, and another world's are not noted.
func TestAWitnessSeesItsOwnWorldInMemory(t *testing.T) {
	s, err := sqlite.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var worlds []*store.World
	var witnesses []*storetest.Witness
	for i := range 3 {
		w, err := s.Create(t.Context(), store.InMemory(fmt.Sprint("w", i)), "", noted)
		if err != nil {
			t.Fatal(err)
		}
		wt := &storetest.Witness{Tables: map[string]store.Noted{"note": {Number: uint16(i + 1)}}}
		if i > 0 {
			w.Watch(wt)
		}
		worlds, witnesses = append(worlds, w), append(witnesses, wt)
	}
	run := func(w *store.World, sql string, args ...any) {
		t.Helper()
		if err := w.Write(t.Context(), func(tx *store.Tx) error { return exec(tx, sql, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 20 {
		for i, w := range worlds {
			run(w, `INSERT INTO note VALUES (?, '')`, fmt.Sprint(round))
			got := witnesses[i].Take()
			if i == 0 {
				if len(got) > 0 {
					t.Fatal("noted where nobody observes")
				}
				continue
			}
			if len(got) != 1 || got[0].Table != uint16(i+1) || got[0].Row != int64(round+1) {
				t.Fatalf("world %d, round %d: %+v", i, round, got)
			}
		}
	}
	run(worlds[0], `DELETE FROM note`)
	run(worlds[1], `DELETE FROM note`)
	if got := witnesses[1].Take(); len(got) != 20 {
		t.Errorf("%d rows of a table that was emptied are noted, want 20", len(got))
	}
}

// A statement that was prepared before a witness came is seen row by row, too.
func TestAWitnessSeesWhatWasPreparedBefore(t *testing.T) {
	w := storetest.SQLite(t, noted)
	run := func(statements ...string) {
		t.Helper()
		execAll(t.Context(), t, w, statements)
	}
	insert, empty := `INSERT INTO note VALUES ('a', ''), ('b', '')`, `DELETE FROM note`
	run(insert, empty)
	wt := &storetest.Witness{Tables: map[string]store.Noted{"note": {Number: 1}}}
	w.Watch(wt)
	run(insert)
	if got := wt.Take(); len(got) != 2 {
		t.Errorf("%d inserted rows are noted, want 2", len(got))
	}
	run(empty)
	if got := wt.Take(); len(got) != 2 {
		t.Errorf("%d deleted rows are noted, want 2", len(got))
	}
}
