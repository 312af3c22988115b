package blockstore

import (
	"cmp"
	"math/bits"
	"slices"

	"understudy/internal/ingest"
)

// timedRow is a call with its latency.
type timedRow struct{ number, latency int64 }

// typical returns the numbers of the slowest call and of a median one, among
// those with a latency: the last and the middle in the order of latency and
// number.
func typical(rows []timedRow) []int64 {
	latencies := make([]int64, 0, len(rows))
	slowest := timedRow{latency: -1}
	for _, r := range rows {
		if r.latency < 0 {
			continue
		}
		latencies = append(latencies, r.latency)
		if r.latency > slowest.latency || r.latency == slowest.latency && r.number > slowest.number {
			slowest = r
		}
	}
	if len(latencies) == 0 {
		return nil
	}
	middle, place := median(latencies)
	var alike []int64
	for _, r := range rows {
		if r.latency == middle {
			alike = append(alike, r.number)
		}
	}
	slices.Sort(alike)
	return []int64{slowest.number, alike[place]}
}

// median returns the median of a list, and its position among equal numbers. It
// permutes the list without sorting it: each round counts the numbers in equal
// ranges, and keeps those of the middle range.
func median(list []int64) (middle int64, place int) {
	const rangeBits = 11
	place = (len(list) - 1) / 2
	for {
		least, greatest := slices.Min(list), slices.Max(list)
		if least == greatest {
			return least, place
		}
		shift := max(0, bits.Len64(uint64(greatest-least))-rangeBits)
		var counts [1 << rangeBits]int
		for _, n := range list {
			counts[(n-least)>>shift&(1<<rangeBits-1)]++
		}
		at := 0
		for ; place >= counts[at]; at++ {
			place -= counts[at]
		}
		list = slices.DeleteFunc(list, func(n int64) bool { return int((n-least)>>shift) != at })
	}
}

// spreader accumulates the latencies of calls, block after block.
type spreader struct {
	sums   ingest.Spread
	rows   []timedRow // the latest, at most maxRows and a quarter
	begins []int      // the start of each block in rows; rows ascend within a block
	failed struct{ number, time int64 }
}

// add adds the rows of a block.
func (s *spreader) add(c *ingest.Columns, found []int32) {
	s.sums.Count += int64(len(found))
	s.begins = append(s.begins, len(s.rows))
	for _, r := range found {
		i := int(r)
		row := timedRow{c.Number(i), c.Latency[i]}
		if c.Flags[i]&ingest.FlagSuccess == 0 {
			s.fail(row.number, c.Time[i])
		}
		if row.latency >= 0 {
			s.sums.Latencies.Add(row.latency)
			s.sums.AddToHistogram(row.latency)
		}
		s.rows = append(s.rows, row)
	}
	if len(s.rows) > maxRows+maxRows/4 {
		s.keepLatest()
	}
}

// fail keeps a failure if it is the latest.
func (s *spreader) fail(number, time int64) {
	if f := &s.failed; time > f.time || time == f.time && number > f.number {
		f.number, f.time = number, time
	}
}

func (s *spreader) keepLatest() {
	if len(s.rows) > maxRows {
		s.rows, s.begins = s.inOrder()[len(s.rows)-maxRows:], append(s.begins[:0], 0)
	}
}

// inOrder returns the calls by their numbers. Blocks come in any order, but their
// ranges of numbers seldom overlap.
func (s *spreader) inOrder() []timedRow {
	ends := append(s.begins[1:len(s.begins):len(s.begins)], len(s.rows))
	blocks := make([][]timedRow, len(ends))
	for i, end := range ends {
		blocks[i] = s.rows[s.begins[i]:end]
	}
	byNumber := func(a, b timedRow) int { return cmp.Compare(a.number, b.number) }
	slices.SortFunc(blocks, func(a, b []timedRow) int { return byNumber(a[0], b[0]) })
	all := slices.Concat(blocks...)
	slices.SortFunc(all, byNumber) // does nothing where blocks do not overlap
	return all
}

// merge adds the calls of o.
func (s *spreader) merge(o *spreader) {
	s.sums.Merge(&o.sums)
	for _, begin := range o.begins {
		s.begins = append(s.begins, len(s.rows)+begin)
	}
	s.rows = append(s.rows, o.rows...)
	s.keepLatest()
	s.fail(o.failed.number, o.failed.time)
}
