package blockstore

import (
	"math/rand/v2"
	"slices"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// The blocks of some events are the same whether they are looked up, as those of few
// events, or found in a list of all blocks, as those of many.
func TestBlocksOfFewEventsAreThoseOfTheList(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		s := open(t, w)
		defer s.Close()
		compared := 0
		if err := s.Append(t.Context(), "q", events(0, blocksAtOnce+1)); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(9, 1))
		for i := range 40 {
			if err := s.Append(t.Context(), []string{"p", "q"}[i/2%2], events(1000+100*i, 1000+100*i+20+r.IntN(80))); err != nil {
				t.Fatal(err)
			}
		}
		last, err := s.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			few := foundRange{first: 1, last: last}
			for range 1 + r.IntN(9) {
				few.rows = few.rows.with(blocksAtOnce + 1 + r.IntN(int(last)-blocksAtOnce-1))
			}
			many := foundRange{first: 1, last: last, rows: slices.Clone(few.rows)}
			for i := range blocksAtOnce + 1 { // events before all of p
				many.rows = many.rows.with(i)
			}
			q := ingest.Query{Project: "p"}
			listed, err := holding(t.Context(), &s.blocks, q, found{many})
			if err != nil {
				t.Fatal(err)
			}
			if r.IntN(2) == 0 {
				q.From = event(1000 + r.IntN(4000)).Time
				q.To = q.From + int64(r.IntN(1_000_000))
				var within []blockRange
				err := w.Read(t.Context(), func(tx *store.Tx) (err error) {
					within, err = listRanges(tx, q)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				listed = slices.DeleteFunc(listed, func(first int64) bool {
					return !slices.ContainsFunc(within, func(b blockRange) bool { return b.first == first })
				})
			}
			lookedUp, err := holding(t.Context(), &s.blocks, q, found{few})
			if err != nil || !slices.Equal(lookedUp, listed) {
				t.Errorf("%+v: %v are looked up, %v are in the list, %v", q, lookedUp, listed, err)
			}
			compared += len(listed)
		}
		if compared < 30 {
			t.Errorf("%d blocks in all", compared)
		}
	})
}
