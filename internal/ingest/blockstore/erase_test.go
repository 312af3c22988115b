package blockstore

import (
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Blocks are merged between the steps of an erasure: what is erased stays away.
func TestMergesBetweenTheStepsOfAnErasure(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		const n = 200 // events, one in a block, in seven sessions
		for i := range n {
			if err := s.Append(t.Context(), "p", events(i, i+1)); err != nil {
				t.Fatal(err)
			}
		}
		erased := 0
		for _, e := range all(t, s, ingest.Query{Project: "p"}) {
			if e.Session == "session-3" {
				erased++
			}
		}
		if err := w.Write(t.Context(), func(tx *store.Tx) error {
			return s.Upkeep.Erase(tx, "p", []string{"session-3"}, "", erased)
		}); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			var err error
			if more, err = s.Upkeep.FinishErasures(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Upkeep.Merge(t.Context(), 1<<60); err != nil {
				t.Fatal(err)
			}
		}
		left := all(t, s, ingest.Query{Project: "p"})
		for id, e := range left {
			if e.Session == "session-3" {
				t.Errorf("%s is there again", id)
			}
		}
		if len(left) != n-erased || erased < n/8 {
			t.Errorf("%d events are left of %d, of which %d were erased", len(left), n, erased)
		}
		mergeAll(t, s)
		if blocks := countBlocks(t, s); blocks > 20 {
			t.Errorf("%d blocks remain: merging has not gone on", blocks)
		}
	})
}

// An index in memory has events that are removed before it is stored: nothing of
// them gets to the disk with it.
func TestTheIndexInMemoryForgetsWhatIsErased(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		s.Lazy = true // the test indexes, step by step
		defer s.Close()
		list := events(0, 600)
		for i := range list {
			list[i].Success, list[i].Result = false, "usual"
			if list[i].Session = "stays"; i == 300 {
				list[i].Session, list[i].Result = "goes", "secretly failed"
			}
		}
		if err := s.Append(t.Context(), "p", list); err != nil {
			t.Fatal(err)
		}
		if err := s.index.catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(t.Context(), func(tx *store.Tx) error { return s.Upkeep.Erase(tx, "p", []string{"goes"}, "", 1) }); err != nil {
			t.Fatal(err)
		}
		if more, err := s.Upkeep.FinishErasures(t.Context()); !more || err != nil { // removes the event; the index is next
			t.Fatal(more, err)
		}
		for from := 1000; from < 1000+fullRows+stepEvents; from += 500 { // and is stored before
			more := events(from, from+500)
			for i := range more {
				more[i].Success = true
			}
			if err := s.Append(t.Context(), "p", more); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.index.catchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			var err error
			if more, err = s.Upkeep.FinishErasures(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		runs := 0
		err := w.Read(t.Context(), func(tx *store.Tx) error {
			return eachIndexed(tx, 0, 1<<60, func(r indexedRun) {
				runs++
				f, err := decodeFails(r.fails)
				if err != nil {
					t.Error(err)
				}
				for _, text := range f.texts {
					if text != "usual" {
						t.Errorf("the index holds %q", text)
					}
				}
			})
		})
		if err != nil || runs == 0 {
			t.Errorf("%d runs are stored, %v", runs, err)
		}
	})
}
