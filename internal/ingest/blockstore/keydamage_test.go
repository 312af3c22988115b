package blockstore

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// keysStored appends events to two projects, whose blocks overlap, and stores
// their keys in runs: three as they are written, and one that was merged.
func keysStored(t *testing.T, w *store.World) (sent []ingest.Event) {
	t.Helper()
	s := open(t, w)
	defer s.Close()
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := s.keys.(*keyRuns)
	const each = 200
	for n := range 7 {
		list := events(n*each, (n+1)*each)
		sent = append(sent, list...)
		for part := range slices.Chunk(list, 50) {
			for _, project := range []string{"p", "q"} {
				if err := s.Append(t.Context(), project, part); err != nil {
					t.Fatal(err)
				}
			}
		}
		storeKeys(t, k)
		if n == 3 { // four runs of one size become one
			for more := true; more; {
				var err error
				if more, err = s.Upkeep.MergeKeys(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(k.runs) != 4 || k.runs[0].pages >= 0 {
		t.Fatalf("%d runs: %+v", len(k.runs), k.runs[0].pages)
	}
	return sent
}

// storeKeys stores the keys in memory as a run.
func storeKeys(t *testing.T, k *keyRuns) {
	t.Helper()
	run, err := k.writeRun(k.recent, k.end)
	if err != nil {
		t.Fatal(err)
	}
	k.runs, k.recent = append(k.runs, run), map[uint64]int64{}
}

// sendAgain sends events that are stored, to a store that has just been opened,
// and fails the test when one of them is stored again. It returns how often the
// index was found damaged.
func sendAgain(t *testing.T, w *store.World, what string, sent []ingest.Event) (rebuilt int) {
	t.Helper()
	s := open(t, w)
	defer s.Close()
	s.Rebuilt = func() { rebuilt++ }
	for part := range slices.Chunk(sent, 300) {
		for _, project := range []string{"p", "q"} {
			if err := s.Append(t.Context(), project, part); err != nil {
				t.Fatal(what, err)
			}
		}
	}
	for _, project := range []string{"p", "q"} {
		if n := len(numbered(t, s, ingest.Query{Project: project})); n != len(sent) {
			t.Fatalf("%s: %d events, want %d: some are stored twice", what, n, len(sent))
		}
	}
	if at, err := s.candidates(t.Context(), "q", sent[len(sent)/2].ID); err != nil || len(at) != 1 {
		t.Fatalf("%s: an event is in the blocks %v, %v", what, at, err)
	}
	if more, err := s.Upkeep.MergeKeys(t.Context()); err != nil {
		t.Fatal(what, more, err) // which builds a damaged filter anew
	}
	return rebuilt
}

// change replaces a column of one row, which r chooses.
func change(t *testing.T, w *store.World, r *rand.Rand, table, key, column string, to func(b []byte) []byte) {
	t.Helper()
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		rows, err := integers(tx, `SELECT DISTINCT `+key+` FROM `+table+` ORDER BY `+key)
		if err != nil {
			return err
		}
		at := rows[r.IntN(len(rows))]
		var blobs [][]byte
		var least []int64
		order := map[string]string{"event_key_page": "least", "event_run_term": "least"}[table]
		if order == "" {
			order = key
		}
		err = tx.Each(`SELECT `+order+`, `+column+` FROM `+table+` WHERE `+key+` = ? ORDER BY `+order, []any{at}, func(row store.Row) error {
			var n int64
			var b []byte
			err := row.Scan(&n, &b)
			least, blobs = append(least, n), append(blobs, bytes.Clone(b))
			return err
		})
		if err != nil {
			return err
		}
		one := r.IntN(len(blobs))
		_, err = tx.Exec(`UPDATE `+table+` SET `+column+` = ? WHERE `+key+` = ? AND `+order+` = ?`, store.Blob(to(blobs[one])), at, least[one])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// flip changes one bit.
func flip(r *rand.Rand) func(b []byte) []byte {
	return func(b []byte) []byte {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		return b
	}
}

// cutTo shortens what is stored.
func cutTo(length int) func(b []byte) []byte {
	return func(b []byte) []byte { return b[:min(length, len(b))] }
}

// A run of keys of which one bit has changed, or which was cut off, is built anew
// from the blocks by whoever reads it first: an event that is sent again is known.
func TestDamagedRunsOfKeysAreBuiltAnew(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	sent := keysStored(t, w)
	if n := sendAgain(t, w, "at first", sent); n > 0 {
		t.Fatalf("%d damaged runs at first", n)
	}
	r := rand.New(rand.NewPCG(3, 7))
	for range 8 {
		for table, column := range map[string]string{"event_key_run": "filter", "event_key_page": "pairs"} {
			to := flip(r)
			if r.IntN(3) == 0 {
				to = cutTo([]int{0, 1, 7, 15, 40, 63, 100}[r.IntN(7)])
			}
			change(t, w, r, table, "upto", column, to)
			if n := sendAgain(t, w, column, sent); n == 0 {
				t.Errorf("%s: the damage is not found", column)
			}
			if n := sendAgain(t, w, column+" again", sent); n > 0 {
				t.Errorf("%s: %d damaged runs after it was built anew", column, n)
			}
		}
	}
}

// A run is built anew in parts. When that ends early, as on a full disk or by a
// crash, the rest is built by the next who reads it, and nothing is stored twice.
func TestBuildingKeysAnewMayEndEarly(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	sent := keysStored(t, w)
	exec := func(sql string) {
		t.Helper()
		if err := w.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(sql); return err }); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(2, 2))
	s := open(t, w)
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := s.keys.(*keyRuns)
	first := k.runs[0].upto
	change(t, w, r, "event_key_page", "upto", "pairs", flip(r))
	exec(`CREATE TRIGGER no_room BEFORE INSERT ON event_key_run WHEN NEW.upto > 1000 BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	if err := rebuildKeys(t.Context(), k, first, 150); err == nil {
		t.Error("a run is built anew without room for it")
	}
	if begin, found := k.beginOf(first); !found || begin < 300 || begin > 1000 {
		t.Errorf("the rest begins at %d, %v", begin, found)
	}
	s.Close()
	exec(`DROP TRIGGER no_room`)
	sendAgain(t, w, "after the first parts", sent)
	s = open(t, w)
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	k = s.keys.(*keyRuns)
	if err := rebuildKeys(t.Context(), k, k.runs[len(k.runs)-1].upto, 150); err != nil {
		t.Fatal(err)
	}
	var keys int64
	for _, run := range k.runs {
		keys += run.keys
	}
	s.Close()
	if want := int64(2 * len(sent)); keys != want {
		t.Errorf("%d keys, want %d", keys, want)
	}
	if n := sendAgain(t, w, "in parts", sent); n > 0 {
		t.Errorf("%d damaged runs", n)
	}
}

// Runs of versions without checksums are read.
func TestRunsWithoutChecksumsAreRead(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	sent := keysStored(t, w)
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		for _, sql := range []string{`UPDATE event_key_run SET filter = substr(filter, 1, length(filter) - 8)`,
			`UPDATE event_key_page SET pairs = substr(pairs, 1, length(pairs) - 8)`} {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := sendAgain(t, w, "without checksums", sent); n > 0 {
		t.Errorf("%d damaged runs", n)
	}
}

// Whatever stands in a page of keys or in a filter, reading it ends.
func FuzzKeys(f *testing.F) {
	run, pages := newRun(map[uint64]int64{1: 1, 2: 2, 1 << 63: 3}, 4)
	f.Add(appendSum(slices.Clone(run.filter)), uint64(1))
	f.Add([]byte(pages[0][2].(store.Blob)), uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, h uint64) {
		if pairs, err := pairsOf(b); err == nil {
			searchPage(pairs, h)
		}
		if filter, _ := filterFrom(b); filter != nil {
			filter.has(h)
		}
	})
}
