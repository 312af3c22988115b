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

// Cells that were read change only with a value, and are stored as if they were made
// anew.
func TestReadCellsChangeWithTheirValues(t *testing.T) {
	made := newCells(64)
	for i := range int64(64) {
		if i%3 != 0 {
			made.set(i, rank{n: uint64(1_000 + i*i)})
		}
	}
	read := storedCells(made.encode())
	for i := range int64(64) {
		n, ok := read.at(i)
		if ok != (i%3 != 0) || ok && n != uint64(1_000+i*i) {
			t.Fatalf("cell %d: %d, %v", i, n, ok)
		}
		if ok {
			read.set(i, rank{n: n})
		}
	}
	if read.changed {
		t.Error("the same values are a change")
	}
	for _, c := range []*cells{made, read} {
		c.set(0, rank{n: 1 << 50})
		c.set(1, rank{n: 7})
		c.unset(2)
	}
	if n, ok := read.at(1); !ok || n != 7 || !read.changed || !slices.Equal(made.encode(), read.encode()) {
		t.Errorf("cell 1 is %d, %v; changed %v", n, ok, read.changed)
	}
}
