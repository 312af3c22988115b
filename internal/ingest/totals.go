package ingest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	db "understudy/internal/platform/store"
)

// Tool is what the calls of a tool add up to.
type Tool struct {
	Name                      string
	Count, Errors             int64
	Timed                     bool // some call had a latency; the percentiles are 0 otherwise
	P50, P95, P99             float64
	InputTokens, OutputTokens int64
}

// Tools sums up each tool in the period, by count. Turn-pairs are no tools.
// The percentiles are within 1 % of the exact ones.
func (in *Ingest) Tools(ctx context.Context, project string, f Filter) ([]Tool, error) {
	byName := map[string]*sums{}
	err := in.total(ctx, project, f, 24, true, func(k rollupKey) *sums {
		if k.turn {
			return nil
		}
		s := byName[k.tool]
		if s == nil {
			s = &sums{}
			byName[strings.Clone(k.tool)] = s
		}
		return s
	})
	if err != nil {
		return nil, err
	}
	out := make([]Tool, 0, len(byName))
	for name, s := range byName {
		t := Tool{Name: name, Count: s.events, Errors: s.errors, InputTokens: s.input, OutputTokens: s.output}
		if s.sketch != nil && !s.sketch.IsEmpty() {
			q, err := s.sketch.GetValuesAtQuantiles([]float64{.5, .95, .99})
			if err != nil {
				return nil, err
			}
			t.Timed, t.P50, t.P95, t.P99 = true, round(q[0]), round(q[1]), round(q[2])
		}
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// round leaves two digits after the point: the rest is beyond the accuracy.
func round(ms float64) float64 { return math.Round(ms*100) / 100 }

// Point is what the events of an hour or a day add up to.
type Point struct {
	Time                      int64 // its beginning, milliseconds
	Count, Errors             int64
	InputTokens, OutputTokens int64
	Users                     int64 // different users, when they were asked for
}

// Series sums up the events of each hour (or day) that has some, in order.
// With distinct it also counts the different users of each, which always reads the events.
func (in *Ingest) Series(ctx context.Context, project string, f Filter, daily, distinct bool) ([]Point, error) {
	width, grain := hour, int64(1)
	if daily {
		width, grain = day, 24
	}
	at := map[int64]*sums{}
	sink := func(k rollupKey) *sums {
		t := k.at - k.at%width
		s := at[t]
		if s == nil {
			s = &sums{}
			at[t] = s
		}
		return s
	}
	users := map[int64]bitset{}
	var err error
	if distinct {
		err = in.distinct(ctx, project, f, width, sink, users)
	} else {
		err = in.total(ctx, project, f, grain, false, sink)
	}
	if err != nil {
		return nil, err
	}
	out := make([]Point, 0, len(at))
	for t, s := range at {
		out = append(out, Point{Time: t, Count: s.events, Errors: s.errors, InputTokens: s.input, OutputTokens: s.output, Users: users[t].count()})
	}
	slices.SortFunc(out, func(a, b Point) int { return cmp.Compare(a.Time, b.Time) })
	return out, nil
}

// distinct reads the events and also notes which users each bucket has.
func (in *Ingest) distinct(ctx context.Context, project string, f Filter, width int64, sink func(rollupKey) *sums, users map[int64]bitset) error {
	s, err := in.prepare(ctx, project, f, true)
	if err != nil {
		return err
	}
	numbers := map[string]int{"": 0} // events of nobody count for nobody
	number := func(user string) int {
		n, ok := numbers[user]
		if !ok {
			n = len(numbers)
			numbers[strings.Clone(user)] = n
		}
		return n
	}
	var own, ofSession []int // numbers of a group's users, -1 when not yet known
	return in.d.Store.Query(ctx, Query{Project: project, From: f.From, To: f.To}, func(c *Columns) (bool, error) {
		own, ofSession = unknown(own, len(c.User.Values)), unknown(ofSession, len(c.Session.Values))
		bucket, last, sum := int64(-1), bitset(nil), (*sums)(nil)
		s.rows(c, func(i int) {
			if t := c.Time[i] - c.Time[i]%width; t != bucket {
				if bucket >= 0 {
					users[bucket] = last
				}
				bucket, last, sum = t, users[t], sink(rollupKey{at: t})
			}
			sum.addRow(c, i)
			list, at := own, c.User.Of(i)
			if c.User.At(i) == "" {
				list, at = ofSession, c.Session.Of(i)
			}
			if list[at] < 0 {
				list[at] = number(s.owner(c, i))
			}
			if list[at] > 0 {
				last = last.with(list[at])
			}
		})
		if bucket >= 0 {
			users[bucket] = last
		}
		return true, nil
	})
}

func unknown(s []int, n int) []int {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = -1
	}
	return s
}

func (s *sums) addRow(c *Columns, i int) {
	s.events++
	if c.Flags[i]&FlagSuccess == 0 {
		s.errors++
	}
	s.input += max(c.InputTokens[i], 0)
	s.output += max(c.OutputTokens[i], 0)
}

// total sums up a project's events: by the roll-ups where they can answer,
// by the events themselves in the parts of an hour at either end of the
// period, or everywhere when the filter asks for users or customers. sink
// gives the sums that a row belongs to, or nil. grain is the width in hours
// of the widest rows that may be used.
func (in *Ingest) total(ctx context.Context, project string, f Filter, grain int64, latencies bool, sink func(rollupKey) *sums) error {
	s, err := in.prepare(ctx, project, f, false)
	if err != nil {
		return err
	}
	end := f.To
	if end == 0 {
		end = 1 << 52
	}
	first, last := (f.From+hour-1)/hour*hour, end/hour*hour
	if f.raw() || first >= last {
		return in.totalRaw(ctx, project, s, latencies, sink)
	}
	for _, part := range [][2]int64{{f.From, first}, {last, end}} {
		if part[0] >= part[1] || part[0] >= 1<<51 {
			continue
		}
		edge := *s
		edge.f.From, edge.f.To = part[0], part[1]
		if err := in.totalRaw(ctx, project, &edge, latencies, sink); err != nil {
			return err
		}
	}
	if err := in.CatchUp(ctx); err != nil {
		return err
	}
	return in.d.Events.Read(ctx, func(tx *db.Tx) error {
		add := func(k rollupKey, row *sums, sketch []byte) error {
			if f.Tool != "" && k.tool != f.Tool || f.Model != "" && k.model != f.Model || f.Success != nil && k.success != *f.Success {
				return nil
			}
			to := sink(k)
			if to == nil {
				return nil
			}
			if err := to.merge(row); err != nil {
				return err
			}
			return to.addSketch(sketch)
		}
		d1, d2 := (first+day-1)/day*day, last/day*day
		if grain < 24 || d1 >= d2 {
			return eachRollup(tx, project, 1, first, last, latencies, add)
		}
		if err := eachRollup(tx, project, 1, first, d1, latencies, add); err != nil {
			return err
		}
		if err := eachRollup(tx, project, 24, d1, d2, latencies, add); err != nil {
			return err
		}
		return eachRollup(tx, project, 1, d2, last, latencies, add)
	})
}

func (in *Ingest) totalRaw(ctx context.Context, project string, s *scan, latencies bool, sink func(rollupKey) *sums) error {
	return in.each(ctx, project, s, func(c *Columns, i int) {
		to := sink(rollupKey{tool: c.Name.At(i), at: c.Time[i], turn: c.Flags[i]&FlagTurn != 0})
		if to == nil {
			return
		}
		to.addRow(c, i)
		if latencies && c.Latency[i] >= 0 {
			to.latency(c.Latency[i])
		}
	})
}
