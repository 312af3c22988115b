package ingest

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Spread is the distribution of the time of a tool's calls.
type Spread struct {
	Count       int64
	Latencies   Latencies
	histogram   []int64 // by index in bucketEnds
	Checkpoints []CheckpointSpread
	Samples     []int64 // numbers of the slowest, the median and a failed event
}

// CheckpointSpread describes a checkpoint over many calls: the times at which it
// is reached, and the Share of the whole time between the previous checkpoint and
// this one.
type CheckpointSpread struct {
	Name    string
	Offsets Latencies
	Share   float64
}

// bucketEnds are the greatest latencies of the histogram's buckets.
var bucketEnds = func() (ends []int64) {
	for decade := int64(1); decade < 1e13; decade *= 10 {
		ends = append(ends, decade, 2*decade, 5*decade)
	}
	return ends
}()

// AddToHistogram counts a latency in milliseconds.
func (s *Spread) AddToHistogram(ms int64) {
	at, _ := slices.BinarySearch(bucketEnds, ms)
	for len(s.histogram) <= at {
		s.histogram = append(s.histogram, 0)
	}
	s.histogram[at]++
}

// Merge adds the counts, latencies and histogram of o.
func (s *Spread) Merge(o *Spread) {
	s.Count += o.Count
	s.Latencies.Merge(&o.Latencies)
	if grow := len(o.histogram) - len(s.histogram); grow > 0 {
		s.histogram = append(s.histogram, make([]int64, grow)...)
	}
	for i, n := range o.histogram {
		s.histogram[i] += n
	}
}

// Histogram calls fn for the buckets from the first to the last that have calls.
func (s *Spread) Histogram(fn func(le, count int64)) {
	begun := false
	for i, n := range s.histogram {
		if begun = begun || n > 0; begun {
			fn(bucketEnds[i], n)
		}
	}
}

// Spread returns the distribution of the time of a tool's calls, its checkpoints
// in the order of their medians, and the ids of the slowest call, a median one
// and the latest that failed.
func (in *Ingest) Spread(ctx context.Context, project, tool string, f Filter) (s Spread, samples []string, err error) {
	m, err := in.match(ctx, project, f)
	if err != nil {
		return s, nil, err
	}
	var none bool
	m.Names, none = both(m.Names, []string{tool})
	m.None = m.None || none
	if s, err = in.d.Store.Spread(ctx, m); err != nil {
		return s, nil, err
	}
	middle := map[string]float64{}
	for i := range s.Checkpoints {
		middle[s.Checkpoints[i].Name] = s.Checkpoints[i].Offsets.Percentiles(.5)[0]
	}
	slices.SortFunc(s.Checkpoints, func(a, b CheckpointSpread) int {
		return cmp.Or(cmp.Compare(middle[a.Name], middle[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	ids, err := in.d.Store.IDs(ctx, project, s.Samples)
	samples = []string{}
	for _, n := range s.Samples {
		if id := ids[n]; id != "" && !slices.Contains(samples, id) {
			samples = append(samples, id)
		}
	}
	return s, samples, err
}

// FailureSamples is the number of sample events of a group of failures.
const FailureSamples = 3

// Failure is a group of failures of a tool whose messages are the same except for
// digits, ids and quoted parts.
type Failure struct {
	Tool, Message string
	Count         int64
	Sessions      int64 // distinct ones
	First, Last   int64 // milliseconds
	Samples       []int64
	IDs           []string // of the samples, the latest first
}

// Fingerprint returns a text that identifies a group of failures, the same in
// every period.
func (f *Failure) Fingerprint() string {
	return strconv.FormatUint(xxhash.Sum64String(f.Tool+"\x00"+f.Message), 16)
}

// Failures groups the failures that match the filter, the most frequent first:
// those from skip on, limit at most. more reports whether others follow.
func (in *Ingest) Failures(ctx context.Context, project string, f Filter, skip func(*Failure) bool, limit int) (list []Failure, more bool, err error) {
	m, err := in.match(ctx, project, f)
	if err != nil || m.None {
		return nil, false, err
	}
	if list, err = in.d.Store.Failures(ctx, m); err != nil {
		return nil, false, err
	}
	list = slices.DeleteFunc(list, func(f Failure) bool { return skip(&f) })
	slices.SortFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Fingerprint(), b.Fingerprint()))
	})
	more = len(list) > limit
	list = list[:min(len(list), limit)]
	for i := range list {
		ids, err := in.d.Store.IDs(ctx, project, list[i].Samples)
		if err != nil {
			return nil, false, err
		}
		for _, n := range slices.Backward(list[i].Samples) {
			if ids[n] != "" {
				list[i].IDs = append(list[i].IDs, ids[n])
			}
		}
	}
	return list, more, nil
}
