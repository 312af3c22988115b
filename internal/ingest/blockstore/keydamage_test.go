package blockstore

import (
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A damaged filter excludes no key. Keys of a damaged page are not found, and it
// is no error.
func TestDamagedRunsOfKeysAreRead(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	const n = 3000
	hash := func(n int) uint64 { return uint64(n+1) * 0x9e3779b97f4a7c15 }
	found := func() (count int) {
		t.Helper()
		s := open(t, w)
		defer s.Close()
		if err := s.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := w.Read(t.Context(), func(tx *store.Tx) error {
			for i := range n {
				seqs, err := s.keys.(*keyRuns).find(tx, []uint64{hash(i)})
				if err != nil {
					return err
				}
				count += len(seqs[hash(i)])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	s := open(t, w)
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys := map[uint64]int64{}
	for i := range n {
		keys[hash(i)] = int64(i + 1)
	}
	if _, err := s.keys.(*keyRuns).writeRun(keys, n+1); err != nil {
		t.Fatal(err)
	}
	s.Close()
	damage := func(statement string, length int) {
		t.Helper()
		err := w.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(statement, store.Blob(make([]byte, length)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := found(); got != n {
		t.Fatalf("%d keys at first", got)
	}
	for _, length := range []int{0, 1, 63, 100} {
		damage(`UPDATE event_key_run SET filter = ?`, length)
		if got := found(); got != n {
			t.Errorf("a filter of %d bytes: %d of %d keys are found", length, got, n)
		}
	}
	for _, length := range []int{0, 15, 40} {
		damage(`UPDATE event_key_page SET pairs = ?`, length)
		if got := found(); got > 0 {
			t.Errorf("pages of %d bytes: %d keys are found", length, got)
		}
	}
}
