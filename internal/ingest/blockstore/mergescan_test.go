package blockstore

import (
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A query by words reads blocks in several parts. If blocks are merged after the parts
// were planned, it finds each event once.
func TestAMergeOfPlannedPartsRepeatsNoEvent(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		for n := range 12 {
			if err := s.Append(t.Context(), "p", events(10*n, 10*n+10)); err != nil {
				t.Fatal(err)
			}
		}
		match, parts, err := planOf(t.Context(), &s.blocks, &ingest.Match{Project: "p", Texts: []string{"args"}}, 0)
		if err != nil || len(parts) != 2 {
			t.Fatalf("%d parts, %v", len(parts), err)
		}
		mergeAll(t, s)
		found := map[int64]int{}
		err = scanParts(t.Context(), &s.blocks, &match, parts, 0, func(c *ingest.Columns, rows []int32) (bool, error) {
			for _, i := range rows {
				found[c.Number(int(i))]++
			}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for number, times := range found {
			if times != 1 {
				t.Errorf("event %d was found %d times", number, times)
			}
		}
		if len(found) != 120 {
			t.Errorf("%d events were found", len(found))
		}
	})
}
