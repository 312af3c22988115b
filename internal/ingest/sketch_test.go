package ingest

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Latencies come back from their stored form, alone and added to others, while they are
// few and once they have bins; what was subtracted again leaves the bytes of before. The
// form is no longer than a list, nor than a range of counts. Damaged bytes are an error,
// not a crash.
func TestStoredLatenciesComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	counts := func(l *Latencies) map[int]uint64 {
		out := map[int]uint64{}
		l.each(func(bin int, n uint64) { out[bin] += n })
		return out
	}
	lists, ranges := 0, map[byte]int{}
	for round := range 400 {
		var l, other Latencies
		want := map[int]uint64{}
		greatest := int64(1) << (1 + r.IntN(45))
		for range r.IntN([]int{2, 60, 3000}[round%3]) {
			ms := r.Int64N(greatest)
			n := uint64(1)
			if round%4 == 0 && r.IntN(40) == 0 {
				n = []uint64{1, 300, 70_000, 1 << 33}[r.IntN(4)]
			}
			l.count(computeBinOf(ms), n)
			want[int(computeBinOf(ms))] += n
		}
		stored := l.appendStored(nil)
		var back Latencies
		if err := back.mergeStored(stored); err != nil || !maps.Equal(counts(&back), want) || back.Count() != l.Count() {
			t.Fatalf("round %d: %d latencies, want %d: %v", round, back.Count(), l.Count(), err)
		}
		if again := back.appendStored([]byte("x")); string(again) != "x"+string(stored) {
			t.Fatalf("round %d: stored again as %x, want %x", round, again, stored)
		}
		if len(stored) == 0 {
			if len(want) > 0 {
				t.Fatalf("round %d: no byte for %d bins", round, len(want))
			}
			continue
		}
		if stored[0] == listed {
			lists++
		} else {
			ranges[stored[0]]++
		}
		least, most := maxBin, 0
		for bin := range want {
			least, most = min(least, bin), max(most, bin)
		}
		if int64(len(stored)) > 3*l.Count() && len(stored) > 3+8*(most-least+1) {
			t.Errorf("round %d: %d bytes for %d latencies in %d bins", round, len(stored), l.Count(), most-least+1)
		}
		for range r.IntN(2000) {
			other.Add(r.Int64N(1 << (1 + r.IntN(40))))
		}
		before := string(other.appendStored(nil))
		if err := other.mergeStored(stored); err != nil {
			t.Fatal(err)
		}
		other.subtract(&l)
		if after := string(other.appendStored(nil)); after != before {
			t.Fatalf("round %d: %x is left, want %x", round, after, before)
		}
		for range 20 {
			_ = new(Latencies).mergeStored(stored[:r.IntN(len(stored))])
			bad := slices.Clone(stored)
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
			_ = new(Latencies).mergeStored(bad)
		}
	}
	if lists == 0 || len(ranges) != 4 {
		t.Errorf("%d lists and ranges of widths %v: not all forms", lists, ranges)
	}
	for name, bad := range map[string][]byte{"no width": {3, 1, 1}, "no counts": {1, 1}, "half a count": {2, 1, 1, 1, 1}, "a bin too high": {1, 0xff, 0x7f, 1}, "a list too high": {0, 0xff, 0x7f}, "a cut list": {0, 0xff}} {
		if err := new(Latencies).mergeStored(bad); !errors.Is(err, errDamagedSums) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if bin := computeBin(math.MaxInt64); int(bin) >= maxBin {
		t.Errorf("the greatest latency has bin %d", bin)
	}
}

// computeBinOf returns the bin that Add counts a latency in.
func computeBinOf(ms int64) uint16 {
	if ms == 0 {
		return 0
	}
	return computeBin(ms)
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

// Percentiles of a few milliseconds are exact.
func TestPercentilesOfShortLatencies(t *testing.T) {
	for ms := range int64(50) {
		var l Latencies
		l.Add(ms)
		if got := l.Percentiles(.5); got[0] != float64(ms) {
			t.Errorf("the median of %d is %v", ms, got)
		}
	}
}

// Fractions of milliseconds count, except below one.
func TestPercentilesOfFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for range 2000 {
		us := 1000 + r.Int64N(1<<(4+r.IntN(26)))
		var l Latencies
		l.AddMicros(us)
		if got, want := l.Percentiles(.5)[0], float64(us)/1000; math.Abs(got-want) > .02*want+.005 {
			t.Errorf("the median of %v ms is %v", want, got)
		}
	}
	for us, want := range map[int64]float64{0: 0, 499: 0, 500: 1, 999: 1} {
		var l Latencies
		l.AddMicros(us)
		if got := l.Percentiles(.5)[0]; got != want {
			t.Errorf("the median of %d µs is %v, want %v", us, got, want)
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
