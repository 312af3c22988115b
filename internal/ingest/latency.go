package ingest

import (
	"math"
	"math/bits"
	"slices"

	"github.com/DataDog/sketches-go/ddsketch/mapping"
)

// accuracy of the bins, relative.
const accuracy = 0.01

var latencyMapping, _ = mapping.NewLogarithmicMapping(accuracy)

// Latencies counts latencies in bins with an error of 1 %: a DDSketch. The zero
// value is empty.
type Latencies struct {
	few  []uint16 // bins in order of arrival, while there are few
	bins []uint64
}

const (
	fewLatencies = 1024
	// firstLatencies is the initial capacity: most points of a series have some
	// dozens.
	firstLatencies = 32
	// firstBins are those of latencies up to some six minutes.
	firstBins = 640
	// knownBins is the number of milliseconds below which bins are in a table.
	knownBins = 1 << 15
)

var binTable = func() (t [knownBins]uint16) {
	for ms := int64(1); ms < knownBins; ms++ {
		t[ms] = computeBin(ms)
	}
	return t
}()

// computeBin returns the bin of a latency: 0 for none at all.
func computeBin(ms int64) uint16 { return uint16(latencyMapping.Index(float64(ms)) + 1) }

// binValues are the values of the first bins: each point of a series has three. Bins
// below some 50 ms have one number of milliseconds, which is their value.
var binValues = func() (t [firstBins]float64) {
	for bin := range t {
		t[bin] = computeValue(bin)
	}
	for ms := 1; ms < knownBins-1; ms++ {
		if bin := binTable[ms]; binTable[ms-1] != bin && binTable[ms+1] != bin {
			t[bin] = float64(ms)
		}
	}
	return t
}()

// computeValue returns the latency that represents a bin, in milliseconds.
func computeValue(bin int) float64 {
	if bin == 0 {
		return 0
	}
	return round(latencyMapping.Value(bin - 1))
}

func valueOf(bin int) float64 {
	if bin < len(binValues) {
		return binValues[bin]
	}
	return computeValue(bin)
}

// Add counts a latency in milliseconds.
func (l *Latencies) Add(ms int64) {
	b := uint16(0)
	if ms < knownBins {
		b = binTable[ms]
	} else {
		b = computeBin(ms)
	}
	if int(b) < len(l.bins) {
		l.bins[b]++
		return
	}
	if l.bins != nil {
		l.count(b, 1)
		return
	}
	if l.few == nil {
		l.few = make([]uint16, 0, firstLatencies)
	}
	if l.few = append(l.few, b); len(l.few) >= fewLatencies {
		l.spread()
	}
}

// AddMicros counts a time in microseconds. Percentiles of fractions of milliseconds are
// within 2 %, because short bins have a whole number as their value; times below a
// millisecond count as the nearest whole number.
func (l *Latencies) AddMicros(us int64) {
	if us%1000 == 0 || us < 1000 {
		l.Add((us + 500) / 1000)
		return
	}
	l.count(uint16(latencyMapping.Index(float64(us)/1000)+1), 1)
}

func (l *Latencies) spread() {
	few := l.few
	l.few, l.bins = nil, make([]uint64, firstBins)
	for _, b := range few {
		l.count(b, 1)
	}
}

// count counts n latencies of a bin.
func (l *Latencies) count(bin uint16, n uint64) {
	if l.bins == nil {
		l.countFew(bin, n)
		return
	}
	if int(bin) >= len(l.bins) {
		l.room(int(bin) + 1)
	}
	l.bins[bin] += n
}

// room grows bins to n.
func (l *Latencies) room(n int) {
	for n > len(l.bins) {
		l.bins = append(l.bins, make([]uint64, len(l.bins)/2+64)...)
	}
}

// countFew is count while latencies are few.
func (l *Latencies) countFew(bin uint16, n uint64) {
	if n >= fewLatencies || len(l.few)+int(n) >= fewLatencies {
		l.spread()
		l.count(bin, n)
		return
	}
	if l.few == nil {
		l.few = make([]uint16, 0, max(firstLatencies, int(n)))
	}
	for range n {
		l.few = append(l.few, bin)
	}
}

// Merge adds the latencies of o.
func (l *Latencies) Merge(o *Latencies) {
	if l.bins == nil && (o.bins != nil || len(l.few)+len(o.few) >= fewLatencies) {
		l.spread()
	}
	if l.bins == nil {
		l.few = append(l.few, o.few...)
		return
	}
	for _, b := range o.few {
		l.count(b, 1)
	}
	for b, n := range o.bins {
		if n > 0 {
			l.count(uint16(b), n)
		}
	}
}

// subtract removes latencies that are among those of l.
func (l *Latencies) subtract(o *Latencies) {
	if l.bins == nil {
		l.spread()
	}
	o.each(func(bin int, n uint64) {
		if bin < len(l.bins) {
			l.bins[bin] -= min(n, l.bins[bin])
		}
	})
}

// each calls fn for the bins that have latencies, in order.
func (l *Latencies) each(fn func(bin int, n uint64)) {
	slices.Sort(l.few) // their order has no meaning
	for i := 0; i < len(l.few); {
		begin := i
		for i < len(l.few) && l.few[i] == l.few[begin] {
			i++
		}
		fn(int(l.few[begin]), uint64(i-begin))
	}
	for bin, n := range l.bins {
		if n > 0 {
			fn(bin, n)
		}
	}
}

// Count returns the number of latencies.
func (l *Latencies) Count() (n int64) {
	for _, c := range l.bins {
		n += int64(c)
	}
	return n + int64(len(l.few))
}

// Percentiles returns the least latencies that a share q of all do not exceed, for
// ascending q and within 1 % of the exact ones; nil when there are none.
func (l *Latencies) Percentiles(q ...float64) []float64 {
	total := l.Count()
	if total == 0 {
		return nil
	}
	r := ranks{need: make([]uint64, len(q)), values: make([]float64, 0, len(q))}
	for i, share := range q {
		r.need[i] = uint64(max(math.Ceil(share*float64(total)*notMore), 1))
	}
	if l.bins == nil && !l.fewRanks(&r) {
		l.spread()
	}
	for bin, n := range l.bins {
		if n > 0 && r.pass(bin, n) {
			break
		}
	}
	return r.values
}

// fewRanks finds percentiles while there are few latencies, as in most points of
// a series, and reports whether it did. It reads only bins with latencies.
func (l *Latencies) fewRanks(r *ranks) bool {
	var bins [firstBins]uint16
	var used [len(bins) / 64]uint64
	for _, b := range l.few {
		if int(b) >= len(bins) {
			return false
		}
		bins[b]++
		used[b/64] |= 1 << (b % 64)
	}
	for i, set := range used {
		for ; set != 0; set &= set - 1 {
			bin := 64*i + bits.TrailingZeros64(set)
			if r.pass(bin, uint64(bins[bin])) {
				return true
			}
		}
	}
	return true
}

// ranks finds the values of ascending ranks in a pass over the bins.
type ranks struct {
	need   []uint64 // the number of latencies up to the value
	seen   uint64
	values []float64
}

// notMore prevents rounding up of a product that is a whole number.
const notMore = 1 - 1e-12

// pass counts the latencies of a bin, and reports whether all ranks are found.
func (r *ranks) pass(bin int, n uint64) bool {
	r.seen += n
	return r.seen >= r.need[len(r.values)] && r.reach(bin)
}

// reach sets a bin as the value of the ranks that it reaches.
func (r *ranks) reach(bin int) bool {
	for r.seen >= r.need[len(r.values)] {
		if r.values = append(r.values, valueOf(bin)); len(r.values) == len(r.need) {
			return true
		}
	}
	return false
}

// round leaves two digits after the point: the rest is beyond the accuracy.
func round(ms float64) float64 { return math.Round(ms*100) / 100 }
