package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

var things = []store.Schema{{Name: "things", Migrations: fstest.MapFS{
	"0001_init.sql": {Data: []byte(`
		CREATE TABLE part (id BIGINT PRIMARY KEY, name TEXT NOT NULL, note TEXT, ok BOOLEAN NOT NULL, size DOUBLE PRECISION NOT NULL, kind BIGINT NOT NULL);
		CREATE TABLE tally (owner TEXT NOT NULL, place BIGINT NOT NULL, last TEXT NOT NULL, n BIGINT NOT NULL, m BIGINT NOT NULL, PRIMARY KEY (owner, place));
		INSERT INTO tally (owner, place, last, n, m) VALUES ('a', 1, '', 0, 0), ('a', 2, '', 0, 0), ('b', 1, '', 0, 0);
		CREATE TABLE entry (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL);
		CREATE TABLE word (word TEXT NOT NULL PRIMARY KEY);
		CREATE TABLE seen (at BIGINT NOT NULL, parts BIGINT NOT NULL, tallies BIGINT NOT NULL);`)},
}}}

// act is one statement of a write, which runs at once or later.
type act func(tx *store.Tx, later bool, ids map[string]*int64) error

func do(sql string, args ...any) act {
	return func(tx *store.Tx, later bool, _ map[string]*int64) error {
		if later {
			return tx.ExecLater(sql, args...)
		}
		_, err := tx.Exec(sql, args...)
		return err
	}
}

// randomAct returns an act of the n-th place of a sequence.
func randomAct(rnd *rand.Rand, n int64) act {
	owners := []string{"a", "b", "none"}
	owner, place := owners[rnd.IntN(3)], rnd.Int64N(3)
	switch rnd.IntN(12) {
	case 0, 1, 2:
		var note any
		if rnd.IntN(2) == 0 {
			note = fmt.Sprint("note ", n)
		}
		return do(`INSERT INTO part (id, name, note, ok, size, kind) VALUES (?, ?, ?, ?, ?, 7)`, n, fmt.Sprint("part ", n), note, n%2 == 0, float64(n)/4)
	case 3:
		return do(`INSERT INTO part (id, name, note, ok, size, kind) VALUES (?, ?, NULL, TRUE, ?, ?) ON CONFLICT (id) DO UPDATE SET kind = part.kind + 1`, n-2, "again", 1.5, n)
	case 4:
		return do(`UPDATE tally SET last = ?, n = n + 1, m = m - ? WHERE owner = ? AND place = ?`, fmt.Sprint(n), n, owner, place)
	case 5:
		return do(`UPDATE tally SET n = n - 3 WHERE owner = ? AND place = ?`, owner, place)
	case 6:
		return do(`UPDATE tally SET n = n * 2, last = 'doubled' WHERE owner = ?`, owner)
	case 7, 8:
		return func(tx *store.Tx, later bool, ids map[string]*int64) error {
			text, id := fmt.Sprint("entry ", n), new(int64)
			ids[text] = id
			if later {
				return tx.InsertIDLater(id, "seq", `INSERT INTO entry (text) VALUES (?)`, text)
			}
			var err error
			*id, err = tx.InsertID("seq", `INSERT INTO entry (text) VALUES (?)`, text)
			return err
		}
	case 9:
		return do(`INSERT INTO word (word) VALUES (?) ON CONFLICT DO NOTHING`, fmt.Sprint("word ", rnd.IntN(5)))
	case 10:
		return do(`DELETE FROM part WHERE id = ?`, n-1-rnd.Int64N(4))
	}
	return do(`INSERT INTO seen (at, parts, tallies) SELECT CAST(? AS BIGINT), COUNT(*), (SELECT SUM(n) FROM tally) FROM part`, n)
}

func dump(t *testing.T, w *store.World) (out []string) {
	t.Helper()
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		for _, sql := range []string{
			"SELECT 'part ' || id || name || COALESCE(note, 'NULL') || ok || size || kind FROM part ORDER BY id",
			"SELECT 'tally ' || owner || place || ' ' || last || ' ' || n || ' ' || m FROM tally ORDER BY owner, place",
			"SELECT 'entry ' || seq || text FROM entry ORDER BY seq", "SELECT word FROM word ORDER BY word",
			"SELECT 'seen ' || at || ' ' || parts || ' ' || tallies FROM seen ORDER BY at",
		} {
			if err := tx.Each(sql, nil, func(r store.Row) error {
				var line string
				err := r.Scan(&line)
				out = append(out, line)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Statements that wait have the same effect as when each is sent by itself, though
// several of them are sent as one.
func TestStatementsThatWaitLeaveTheSame(t *testing.T) {
	t.Parallel()
	one, later := storetest.Postgres(t, things), storetest.Postgres(t, things)
	for round := range 60 {
		rnd := rand.New(rand.NewPCG(uint64(round), 7))
		acts := make([]act, 1+rnd.IntN(40))
		for i := range acts {
			acts[i] = randomAct(rnd, int64(round*100+i))
		}
		ids := []map[string]*int64{{}, {}}
		for i, w := range []*store.World{one, later} {
			if err := w.Write(t.Context(), func(tx *store.Tx) error {
				for _, a := range acts {
					if err := a(tx, i == 1, ids[i]); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if a, b := dump(t, one), dump(t, later); !slices.Equal(a, b) {
			t.Fatalf("round %d: one by one\n%q\nand together\n%q", round, a, b)
		}
		if !reflect.DeepEqual(ids[0], ids[1]) {
			t.Fatalf("round %d: ids differ", round)
		}
	}
}

// Of concurrent writers, some of which fail, only those that succeed have an effect,
// whatever statements they share.
func TestWritersSideBySideLeaveWhatTheySaid(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, once := range []bool{false, true} {
		w := storetest.Postgres(t, things)
		if once {
			w.RunOnce()
		}
		var mu sync.Mutex
		parts, sums, entries := map[int64]bool{}, map[string]int64{}, map[string]int64{}
		var wg sync.WaitGroup
		for worker := range 24 {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(worker), 3))
				for i := range 25 {
					n, owner, fate := int64(worker*1000+i), []string{"a", "b"}[rnd.IntN(2)], rnd.IntN(12)
					var id int64
					err := w.Write(context.Background(), func(tx *store.Tx) error {
						if fate == 4 {
							return refused // before anything was sent
						}
						if _, known := store.Kept[int64](tx, owner); !known {
							var sum int64
							if _, err := tx.Get("SELECT n FROM tally WHERE owner = ? AND place = 1", []any{owner}, &sum); err != nil {
								return err
							}
							store.Keep(tx, owner, sum, "tally")
						}
						sum, _ := store.Kept[int64](tx, owner)
						key := n
						if fate == 3 && i > 0 {
							key = int64(worker * 1000) // mostly there: an error that comes late
						}
						if err := errors.Join(
							tx.ExecLater(`INSERT INTO part (id, name, note, ok, size, kind) VALUES (?, ?, NULL, TRUE, 0, 0)`, key, "p"),
							tx.ExecLater(`UPDATE tally SET n = ?, m = m + 1 WHERE owner = ? AND place = 1`, sum+n, owner),
							tx.InsertIDLater(&id, "seq", `INSERT INTO entry (text) VALUES (?)`, fmt.Sprint(n)),
						); err != nil {
							return err
						}
						store.Keep(tx, owner, sum+n, "tally")
						switch fate {
						case 0:
							return refused
						case 1:
							var there int64
							if _, err := tx.Get("SELECT n FROM tally WHERE owner = ? AND place = 1", []any{owner}, &there); err != nil || there != sum+n {
								return fmt.Errorf("%d, want %d: %w", there, sum+n, err)
							}
						case 2:
							var there int64
							if _, err := tx.Get("SELECT n FROM tally WHERE owner = ? AND place = 1", []any{owner}, &there); err != nil {
								return err
							}
							return refused // after all of it was sent
						}
						return nil
					})
					if wrong := err != nil && !errors.Is(err, refused) && fate != 3; wrong || err == nil && (fate == 0 || fate == 2 || fate == 4) {
						t.Errorf("worker %d, write %d: %v", worker, i, err)
					}
					if err == nil {
						mu.Lock()
						if fate == 3 && i > 0 {
							n2 := int64(worker * 1000)
							parts[n2] = true
						} else {
							parts[n] = true
						}
						sums[owner] += n
						entries[fmt.Sprint(n)] = id
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		if err := w.Read(t.Context(), func(tx *store.Tx) error {
			there := map[string]int64{}
			if err := tx.Each("SELECT owner, n FROM tally WHERE place = 1", nil, func(r store.Row) error {
				var owner string
				var n int64
				err := r.Scan(&owner, &n)
				there[owner] = n
				return err
			}); err != nil {
				return err
			}
			if !reflect.DeepEqual(there, sums) {
				t.Errorf("once %v: sums %v, want %v", once, there, sums)
			}
			rows := map[string]int64{}
			if err := tx.Each("SELECT text, seq FROM entry", nil, func(r store.Row) error {
				var text string
				var seq int64
				err := r.Scan(&text, &seq)
				rows[text] = seq
				return err
			}); err != nil {
				return err
			}
			if !reflect.DeepEqual(rows, entries) {
				t.Errorf("once %v: %d entries, want %d, or with other ids", once, len(rows), len(entries))
			}
			var n int
			_, err := tx.Get("SELECT COUNT(*) FROM part", nil, &n)
			if n != len(parts) {
				t.Errorf("once %v: %d parts, want %d", once, n, len(parts))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// Writes that share a transaction send one statement for each table.
func TestWritesShareStatements(t *testing.T) {
	t.Parallel()
	w := storetest.Postgres(t, things)
	writes := make([]func(*store.Tx) error, 40)
	for i := range writes {
		writes[i] = func(tx *store.Tx) error {
			return errors.Join(
				tx.ExecLater(`INSERT INTO part (id, name, note, ok, size, kind) VALUES (?, 'x', NULL, TRUE, 1, 1)`, i),
				tx.ExecLater(`UPDATE tally SET n = n + 1 WHERE owner = ? AND place = ?`, "a", 1))
		}
	}
	if err := errors.Join(together(w, writes...)...); err != nil {
		t.Fatal(err)
	}
	var parts, tallies, n int64
	if err := w.Read(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Get("SELECT COUNT(DISTINCT cmin::text), COUNT(*) FROM part", nil, &tallies, &parts); err != nil {
			return err
		}
		_, err := tx.Get("SELECT n FROM tally WHERE owner = 'a' AND place = 1", nil, &n)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if parts != 40 || n != 40 || tallies != 1 {
		t.Errorf("%d parts by %d statements, tally %d; want 40 by 1, 40", parts, tallies, n)
	}
}
