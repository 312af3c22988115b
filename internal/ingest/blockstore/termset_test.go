package blockstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The terms of an event are those that a sort finds, whether they are few or many,
// and whatever the events before it had.
func TestEachTermOfAnEventIsFoundOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	s := termSet{round: maxRunRow - 20} // so that the numbers of the events begin anew
	for range 60 {
		hashes := make([]uint64, r.IntN(3*setTerms/2))
		for i := range hashes {
			hashes[i] = uint64(r.IntN(400))<<rowBits | r.Uint64N(4) // of one term several hashes
			if r.IntN(2) == 0 {
				hashes[i] = r.Uint64()
			}
		}
		want := map[uint64]bool{}
		for _, h := range hashes {
			want[termOf(h)] = true
		}
		got := s.distinct(hashes)
		for _, h := range got {
			delete(want, termOf(h))
		}
		terms := map[uint64]bool{}
		for _, h := range got {
			terms[termOf(h)] = true
		}
		if len(want) > 0 || len(terms) != len(got) {
			t.Fatalf("%d terms are missing, %d are there twice", len(want), len(got)-len(terms))
		}
	}
	if many := s.distinct(slices.Collect(func(yield func(uint64) bool) {
		for n := range uint64(maxTerms + 1) {
			if !yield(n << rowBits) {
				return
			}
		}
	})); len(many) != maxTerms {
		t.Errorf("%d terms", len(many))
	}
}

// The index of parts that are put together is that of their events.
func TestPartsOfARunAreTheRun(t *testing.T) {
	whole, together := run{first: 1}, run{first: 1}
	for first := 1; first <= 90; first += 30 {
		block := indexedBlock{events: events(first, first+30), first: int64(first)}
		if first > 60 { // with gaps
			for i := range block.events {
				block.numbers = append(block.numbers, int64(first+2*i))
			}
		}
		for i := range block.events {
			e := &block.events[i]
			e.Success, e.Metadata = i%3 > 0, fmt.Sprintf(`{"checkpoint.c%d":40,"error":"no %d","n":%d}`, i%5, i%4, i)
		}
		part := run{first: 1}
		part.addAll(block)
		together.append(&part)
		whole.addAll(block)
	}
	if whole.events != 90 || !reflect.DeepEqual(whole, together) {
		t.Errorf("the parts are %+v, want %+v", together, whole)
	}
}
