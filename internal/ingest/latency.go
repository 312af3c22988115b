package ingest

import (
	"math"
	"math/bits"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/encoding"
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
	// firstLatencies is how many have room at first: most points of a series have some dozens.
	firstLatencies = 32
	// firstBins are those of latencies up to some six minutes.
	firstBins = 640
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

// binValues are the values of the first bins: each point of a series has three.
var binValues = func() (t [firstBins]float64) {
	for bin := range t {
		t[bin] = computeValue(bin)
	}
	return t
}()

// computeValue returns the latency that stands for those of a bin, in milliseconds.
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

func (l *Latencies) spread() {
	few := l.few
	l.few, l.bins = nil, make([]uint64, firstBins)
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

// The flags of the parts that the library writes of latencies: bins that follow
// each other, bins with one latency each, and latencies of 0.
var (
	flagPage = partFlag(encoding.NewFlag(encoding.FlagTypePositiveStore, encoding.BinEncodingContiguousCounts))
	flagOnes = partFlag(encoding.NewFlag(encoding.FlagTypePositiveStore, encoding.BinEncodingIndexDeltas))
	flagZero = partFlag(encoding.FlagZeroCountVarFloat)
)

func partFlag(f encoding.Flag) byte {
	var b []byte
	encoding.EncodeFlag(&b, f)
	return b[0]
}

// mergeStored adds the latencies of a stored sketch. It reads the parts that
// sketches of latencies have, because sums by the roll-ups spend most of their
// time here; the library reads any other part, and what comes after it.
func (l *Latencies) mergeStored(sketch []byte) error {
	if len(sketch) == 0 {
		return nil
	}
	if l.bins == nil {
		l.spread()
	}
	for len(sketch) > 0 {
		rest, err := sketch[1:], error(nil)
		switch sketch[0] {
		case flagPage:
			err = binStore{latencies: l}.DecodeAndMergeWith(&rest, encoding.BinEncodingContiguousCounts)
		case flagOnes:
			err = l.mergeOnes(&rest)
		case flagZero:
			var n float64
			n, err = encoding.DecodeVarfloat64(&rest)
			l.bins[0] += uint64(n)
		default:
			return l.mergeForeign(sketch)
		}
		if err != nil {
			return err
		}
		sketch = rest
	}
	return nil
}

// mergeOnes adds bins with one latency each, by their distances.
func (l *Latencies) mergeOnes(b *[]byte) error {
	n, err := encoding.DecodeUvarint64(b)
	raw := *b
	index := int64(0)
	for ; n > 0 && err == nil; n-- {
		if len(raw) > 0 && raw[0] < 0x80 {
			index += int64(raw[0]>>1) ^ -int64(raw[0]&1)
			raw = raw[1:]
		} else {
			var distance int64
			distance, err = encoding.DecodeVarint64(&raw)
			index += distance
		}
		if err == nil {
			l.count(uint16(index+1), 1)
		}
	}
	*b = raw
	return err
}

// mergeForeign adds the latencies of a sketch with parts that no version of this
// program writes.
func (l *Latencies) mergeForeign(sketch []byte) error {
	s := ddsketch.NewDDSketch(latencyMapping, binStore{latencies: l}, store.NewSparseStore())
	if err := s.DecodeAndMergeWith(sketch); err != nil {
		return err
	}
	l.bins[0] += uint64(s.GetZeroCount())
	return nil
}

// binStore is the part of a sketch that a stored one is decoded into: it counts
// in Latencies, without another store in between.
type binStore struct {
	store.Store // nil: decoding calls nothing else
	latencies   *Latencies
}

func (s binStore) Add(index int) { s.latencies.count(uint16(index+1), 1) }

func (s binStore) AddWithCount(index int, count float64) {
	if count > 0 {
		s.latencies.count(uint16(index+1), uint64(count+0.5))
	}
}

// DecodeAndMergeWith adds encoded bins. Pages of counts, which is most of a
// sketch, are read here: the library reads each number by itself.
func (s binStore) DecodeAndMergeWith(b *[]byte, mode encoding.SubFlag) error {
	if mode != encoding.BinEncodingContiguousCounts {
		return store.DecodeAndMergeWith(s, b, mode)
	}
	n, err := encoding.DecodeUvarint64(b)
	if err != nil {
		return err
	}
	first, err := encoding.DecodeVarint64(b)
	if err != nil {
		return err
	}
	step, err := encoding.DecodeVarint64(b)
	if err != nil {
		return err
	}
	raw := *b
	for index := first; n > 0; n, index = n-1, index+step {
		// Most counts have one byte or two: six bits say how often 1 is doubled, eight
		// are what follows its point. The count is one less.
		short, size := uint64(0), 0
		switch {
		case len(raw) > 0 && raw[0] == 0:
			raw = raw[1:]
			continue
		case len(raw) > 0 && raw[0] < 0x80:
			short, size = uint64(raw[0])<<7, 1
		case len(raw) > 1 && raw[1] < 0x80:
			short, size = uint64(raw[0]&0x7f)<<7|uint64(raw[1]), 2
		}
		more := (1<<8 | short&0xff) << (short >> 8) // 256 times
		if size > 0 && short < 32<<8 && more&0xff == 0 {
			s.latencies.count(uint16(index+1), more>>8-1)
			raw = raw[size:]
			continue
		}
		count, err := encoding.DecodeVarfloat64(&raw)
		if err != nil {
			return err
		}
		s.AddWithCount(int(index), count)
	}
	*b = raw
	return nil
}

// Count returns how many latencies there are.
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
	r := ranks{of: q, total: float64(total), values: make([]float64, 0, len(q))}
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

// fewRanks finds percentiles while latencies are few, and reports whether it
// did: it looks only at bins that have some. Most points of a series are so.
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

// ranks finds the values of ascending ranks while bins pass in order.
type ranks struct {
	of     []float64
	total  float64 // how many latencies there are
	seen   float64
	values []float64
}

// notMore keeps a product that is a whole number from being a little more.
const notMore = 1 - 1e-12

// pass counts the latencies of a bin, and reports whether all ranks are found.
func (r *ranks) pass(bin int, n uint64) bool {
	r.seen += float64(n)
	for r.seen > 0 && r.seen >= r.of[len(r.values)]*r.total*notMore {
		if r.values = append(r.values, valueOf(bin)); len(r.values) == len(r.of) {
			return true
		}
	}
	return false
}

// round leaves two digits after the point: the rest is beyond the accuracy.
func round(ms float64) float64 { return math.Round(ms*100) / 100 }
