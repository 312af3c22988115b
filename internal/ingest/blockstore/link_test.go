package blockstore

import (
	"context"
	"fmt"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func countLinks(t *testing.T, w *store.World) (n int64) {
	t.Helper()
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT COUNT(*) FROM event_session_block`, nil, &n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Appends of few events do not change the links of their sessions: those of many blocks
// are stored together. The events of a session are found before and after.
func TestBlocksAreLinkedTogether(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		s.linkEvents = 20
		linked := int64(0)
		for n := range 50 {
			if err := s.Append(t.Context(), []string{"p", "other"}[n%2], events(n, n+1)); err != nil {
				t.Fatal(err)
			}
			if (n+1)%20 == 0 {
				linked = int64(n + 1)
			}
			if links := countLinks(t, w); links != linked {
				t.Fatalf("%d links after %d events, want %d", links, n+1, linked)
			}
			session := fmt.Sprintf("session-%d", n%7)
			for id := range all(t, s, ingest.Query{Project: "p", Sessions: []string{session}}) {
				if id == event(n).ID && n%2 == 1 {
					t.Errorf("%s is of another project", id)
				}
			}
			found := all(t, s, ingest.Query{Project: []string{"p", "other"}[n%2], Sessions: []string{session}})
			for of := n % 14; of <= n; of += 14 {
				if _, ok := found[id(of)]; !ok {
					t.Fatalf("%s is not found after %d events", id(of), n+1)
				}
			}
			if len(found) != n/14+1 {
				t.Errorf("%d events in the blocks of %s, want %d", len(found), session, n/14+1)
			}
		}
	})
}

// A merge leaves blocks unlinked of which the first is not linked, and links those of
// which it is.
func TestMergedBlocksAreLinkedAsTheirFirst(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		s.linkEvents = 10
		add := func(from, to int) {
			t.Helper()
			for n := from; n < to; n++ {
				if err := s.Append(t.Context(), "p", events(n, n+1)); err != nil {
					t.Fatal(err)
				}
			}
		}
		find := func(want int) {
			t.Helper()
			for of := range 7 {
				found := all(t, s, ingest.Query{Project: "p", Sessions: []string{fmt.Sprintf("session-%d", of)}})
				for n := of; n < want; n += 7 {
					if _, ok := found[id(n)]; !ok {
						t.Errorf("%s is not found", id(n))
					}
				}
			}
		}
		add(0, 9)
		mergeAll(t, s)
		if links := countLinks(t, w); links != 0 {
			t.Errorf("%d links of a merged block that is not linked", links)
		}
		find(9)
		add(9, 19) // links the merged block and a further one, the others are not linked
		mergeAll(t, s)
		if blocks := countBlocks(t, s); blocks != 1 {
			t.Fatalf("%d blocks", blocks)
		}
		if links := countLinks(t, w); links != 7 {
			t.Errorf("%d links of a merged block with all sessions", links)
		}
		find(19)
		add(19, 40)
		find(40)
	})
}

// A block that is damaged before it is linked goes with the sessions of its project that
// are erased, because it may have events of them.
func TestABlockDamagedBeforeItIsLinkedIsErased(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		for n := range 6 {
			if err := s.Append(t.Context(), []string{"p", "other"}[n%2], events(n, n+1)); err != nil {
				t.Fatal(err)
			}
		}
		err := w.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(`UPDATE event_block SET columns = ? WHERE seq IN (1, 2)`, store.Blob("damaged"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(t.Context(), func(tx *store.Tx) error { return s.Upkeep.Erase(tx, "p", []string{"session-0"}, "", 1) }); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			if more, err = s.Upkeep.FinishErasures(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var firsts []int64
		err = w.Read(t.Context(), func(tx *store.Tx) (err error) {
			firsts, err = integers(tx, `SELECT seq FROM event_block ORDER BY seq`)
			return err
		})
		if got := fmt.Sprint(firsts); err != nil || got != "[2 3 4 5 6]" {
			t.Errorf("blocks %s are left, %v", got, err)
		}
	})
}
