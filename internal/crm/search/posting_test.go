package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"understudy/internal/crm/schema"
)

// A chunk stores the postings that have at least one of 64 of its ids, those that
// are stored always, and no other; with the bits of their records.
func TestAChunkStoresWhatManyRecordsHave(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for _, size := range []int64{4, 64, 130, 512} {
		number := rnd.Int64N(5)
		want, held := map[posting][]byte{}, map[posting]map[int64]bool{}
		var ids []int64
		var entries []*entry
		for i := range size {
			if rnd.IntN(10) == 0 {
				continue // archived, or of another type
			}
			e := &entry{}
			for range 40 {
				p := posting{1, rnd.Int64N(3), fmt.Sprint("w", int(20_000/(1+rnd.ExpFloat64()*400)))}
				if rnd.IntN(20) == 0 {
					p.value = "" // stored always
				}
				for range 1 + rnd.IntN(2) { // twice in one record counts once
					e.in = append(e.in, memberOf(p))
				}
				if held[p] == nil {
					held[p] = map[int64]bool{}
				}
				held[p][i] = true
			}
			ids, entries = append(ids, schema.FirstID+number*size+i), append(entries, e)
		}
		few := 0
		for p, of := range held {
			if !p.always() && int64(len(of))*64 < size {
				few++
				continue
			}
			want[p] = make([]byte, (size+7)/8)
			for i := range of {
				want[p][i/8] |= 1 << (i % 8)
			}
		}
		got := fillChunk(number, size, ids, entries)
		if !maps.EqualFunc(got.postings, want, slices.Equal[[]byte]) {
			t.Errorf("of %d ids %d postings are stored, not %d", size, len(got.postings), len(want))
		}
		if size == 512 && (few < 1000 || len(want) < 20) {
			t.Errorf("%d postings have few records, %d many: this shows nothing", few, len(want))
		}
	}
}
