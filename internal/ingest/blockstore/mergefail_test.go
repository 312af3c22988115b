package blockstore

import (
	"context"
	"reflect"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A merge that fails at its end, as on a full disk, changes nothing, and takes
// place once there is room again.
func TestMergeThatFailsIsRepeated(t *testing.T) {
	db, err := storetest.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w, err := db.Open(t.Context(), "merge_fails", schemas)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	s := open(t, w)
	defer s.Close()
	for i := range 40 {
		if err := s.Append(t.Context(), "p", events(i, i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), "p", events(40, 340)); err != nil { // behind which the others grow no more
		t.Fatal(err)
	}
	before := numbered(t, s, ingest.Query{Project: "p"})
	exec := func(sql string) {
		t.Helper()
		if err := w.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec(sql)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TRIGGER no_room AFTER INSERT ON event_detail BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	for range 5 {
		if more, err := s.Upkeep.Merge(t.Context(), 1<<60); err == nil {
			t.Errorf("a merge without room succeeds, more: %v", more)
		}
		if got := numbered(t, s, ingest.Query{Project: "p"}); !reflect.DeepEqual(got, before) {
			t.Fatalf("%d events, of %d", len(got), len(before))
		}
	}
	if got := countBlocks(t, s); got != 41 {
		t.Errorf("%d blocks after merges that failed", got)
	}
	exec(`DROP TRIGGER no_room`)
	mergeAll(t, s)
	if got := countBlocks(t, s); got != 2 {
		t.Errorf("%d blocks remain", got)
	}
	if got := numbered(t, s, ingest.Query{Project: "p"}); !reflect.DeepEqual(got, before) {
		t.Errorf("%d events after the merge, of %d", len(got), len(before))
	}
}
