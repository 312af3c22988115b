package blockstore

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The samples of a timeline are those that a sort of all calls has at its end
// and in its middle.
func TestTypicalCallsAreThoseOfASort(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := range 300 {
		rows := make([]timedRow, n)
		for i := range rows {
			rows[i] = timedRow{int64(i + 1), (r.Int64N(20) - 3) << r.IntN(1+n%40)} // alike, or far apart
		}
		r.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		var timed []timedRow
		for _, row := range rows {
			if row.latency >= 0 {
				timed = append(timed, row)
			}
		}
		slices.SortFunc(timed, func(a, b timedRow) int {
			return cmp.Or(cmp.Compare(a.latency, b.latency), cmp.Compare(a.number, b.number))
		})
		var want []int64
		if len(timed) > 0 {
			want = []int64{timed[len(timed)-1].number, timed[(len(timed)-1)/2].number}
		}
		if got := typical(rows); !slices.Equal(got, want) {
			t.Fatalf("%d calls: %v, want %v", n, got, want)
		}
	}
}

// Calls of blocks that come in any order, and that may overlap, are put into the order
// of their numbers; of too many, the latest stay.
func TestCallsAreInTheOrderOfTheirNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		var parts [2]spreader
		var want []timedRow
		number := int64(0)
		for _, n := range r.Perm(1 + r.IntN(20)) { // blocks
			part := &parts[r.IntN(2)]
			number = int64(n*100 + r.IntN(150))
			part.begins = append(part.begins, len(part.rows))
			for range 1 + r.IntN(30) {
				number += 1 + r.Int64N(5)
				row := timedRow{number, r.Int64N(1000)}
				part.rows, want = append(part.rows, row), append(want, row)
			}
		}
		parts[0].merge(&parts[1])
		slices.SortFunc(want, func(a, b timedRow) int { return cmp.Compare(a.number, b.number) })
		got := parts[0].inOrder()
		if len(got) != len(want) || !slices.EqualFunc(got, want, func(a, b timedRow) bool { return a.number == b.number }) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	var many spreader
	for _, begin := range []int64{2 * maxRows, 0, maxRows} {
		many.begins = append(many.begins, len(many.rows))
		for i := range int64(maxRows / 2) {
			many.rows = append(many.rows, timedRow{number: begin + i})
		}
	}
	many.keepLatest()
	if got := many.inOrder(); len(got) != maxRows || got[0].number != maxRows || got[maxRows-1].number != 2*maxRows+maxRows/2-1 {
		t.Errorf("%d calls from %d to %d", len(got), got[0].number, got[len(got)-1].number)
	}
}
