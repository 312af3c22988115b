package ingest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/store"
)

// Stored sketches are read as the library that wrote them reads them, whatever
// their counts, and one that was cut off is an error, not a crash.
func TestStoredSketchesAreReadWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, events := range []int{1, 7, 300, 20_000} {
		sketch := newSketch()
		for range events {
			_ = sketch.AddWithCount(float64(r.IntN(40_000)), float64([]int{1, 2, 5, 300, 511, 512, 70_000}[r.IntN(7)]))
		}
		stored := encodeSketch(sketch)
		want, err := ddsketch.DecodeDDSketch(stored, store.BufferedPaginatedStoreConstructor, latencyMapping)
		if err != nil {
			t.Fatal(err)
		}
		var got Latencies
		if err := got.mergeStored(stored); err != nil || got.Count() != int64(want.GetCount()) {
			t.Fatalf("%d events: count %d, want %v: %v", events, got.Count(), want.GetCount(), err)
		}
		var mapped []byte // with a part that no version of this program writes
		sketch.Encode(&mapped, false)
		var foreign Latencies
		if err := foreign.mergeStored(mapped); err != nil || !slices.Equal(foreign.bins, got.bins) || float64(got.bins[0]) != want.GetZeroCount() {
			t.Fatalf("%d events: a sketch with its mapping differs: %v", events, err)
		}
		bins := map[int]uint64{}
		want.GetPositiveValueStore().ForEach(func(index int, count float64) bool {
			bins[index+1] = uint64(count)
			return false
		})
		for bin, n := range got.bins[1:] {
			if n != bins[bin+1] {
				t.Fatalf("%d events: bin %d has %d, want %d", events, bin+1, n, bins[bin+1])
			}
		}
		for range 50 {
			_ = new(Latencies).mergeStored(stored[:r.IntN(len(stored))])
		}
	}
}

// Percentiles are the same while latencies are few and once they have bins.
func TestPercentilesOfFewAreThoseOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 200 {
		var few Latencies
		for range 1 + r.IntN(600) {
			few.Add(r.Int64N(1 << (1 + r.IntN(30))))
		}
		many := Latencies{few: slices.Clone(few.few)}
		many.spread()
		if a, b := few.Percentiles(0, .5, .95, .99, 1), many.Percentiles(0, .5, .95, .99, 1); !slices.Equal(a, b) {
			t.Fatalf("%v, want %v", a, b)
		}
	}
}

// Of a few latencies, too, a percentile is one that as large a share does not exceed.
func TestPercentilesOfAFewLatencies(t *testing.T) {
	for _, c := range []struct{ all, want []int64 }{
		{[]int64{40}, []int64{40, 40, 40}},
		{[]int64{1000, 10}, []int64{10, 1000, 1000}},
		{[]int64{10, 30, 50, 70, 90}, []int64{50, 90, 90}},
		{[]int64{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000}, []int64{1000, 1900, 2000}},
	} {
		var l Latencies
		for _, ms := range c.all {
			l.Add(ms)
		}
		for i, got := range l.Percentiles(.5, .95, .99) {
			if want := float64(c.want[i]); math.Abs(got-want) > want/100 {
				t.Errorf("%v: percentile %d is %v, want %v", c.all, i, got, want)
			}
		}
	}
}
