package ingest

import (
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/store"
)

// Latencies counts latencies in bins of 1 % to either side, the bins of the
// stored sketches. The zero value has none.
type Latencies struct {
	few  []uint16 // bins as they came, while they are few
	bins []uint64
}

const (
	fewLatencies = 1024
	// knownBins is below how many milliseconds the bin stands in a table.
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

// Add counts a latency in milliseconds.
func (l *Latencies) Add(ms int64) {
	b := uint16(0)
	if ms < knownBins {
		b = binTable[ms]
	} else {
		b = computeBin(ms)
	}
	if l.bins != nil {
		l.count(b, 1)
		return
	}
	if l.few = append(l.few, b); len(l.few) >= fewLatencies {
		l.spread()
	}
}

func (l *Latencies) spread() {
	few := l.few
	l.few, l.bins = nil, make([]uint64, 640)
	for _, b := range few {
		l.count(b, 1)
	}
}

func (l *Latencies) count(bin uint16, n uint64) {
	for int(bin) >= len(l.bins) {
		l.bins = append(l.bins, make([]uint64, len(l.bins)/2+64)...)
	}
	l.bins[bin] += n
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

// mergeSketch adds the latencies of a sketch.
func (l *Latencies) mergeSketch(s *ddsketch.DDSketch) {
	if s == nil || s.IsEmpty() {
		return
	}
	if l.bins == nil {
		l.spread()
	}
	l.bins[0] += uint64(s.GetZeroCount())
	s.GetPositiveValueStore().ForEach(func(index int, count float64) bool {
		l.count(uint16(index+1), uint64(math.Round(count)))
		return false
	})
}

// Count returns how many latencies there are.
func (l *Latencies) Count() (n int64) {
	for _, c := range l.bins {
		n += int64(c)
	}
	return n + int64(len(l.few))
}

// Percentiles returns the latencies of ranks q, which ascend, within 1 % of the
// exact ones; nil when there are none.
func (l *Latencies) Percentiles(q ...float64) []float64 {
	total := l.Count()
	if total == 0 {
		return nil
	}
	if l.bins == nil {
		l.spread()
	}
	out := make([]float64, 0, len(q))
	seen := uint64(0)
	for bin, n := range l.bins {
		seen += n
		for len(out) < len(q) && float64(seen) > q[len(out)]*float64(total-1) {
			value := 0.0
			if bin > 0 {
				value = latencyMapping.Value(bin - 1)
			}
			out = append(out, round(value))
		}
	}
	return out
}

// readSketch is a sketch into which stored ones are merged fast.
func readSketch() *ddsketch.DDSketch {
	return ddsketch.NewDDSketch(latencyMapping, store.NewDenseStore(), store.NewDenseStore())
}

// round leaves two digits after the point: the rest is beyond the accuracy.
func round(ms float64) float64 { return math.Round(ms*100) / 100 }
