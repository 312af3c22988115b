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
			rows[i] = timedRow{int64(i + 1), r.Int64N(20) - 3}
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
