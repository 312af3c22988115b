package blockstore

import (
	"cmp"
	"context"
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// maxRows bounds the events whose checkpoints or messages one question looks at: the latest.
const maxRows = 1 << 20

// timedRow is a call with its latency.
type timedRow struct{ number, latency int64 }

// Spread returns how the time of the events that match is spent. Counts and
// percentiles are of all; checkpoints are of the latest million.
func (s *blocks) Spread(ctx context.Context, m ingest.Match) (out ingest.Spread, err error) {
	var rows []timedRow
	failed, failedAt := int64(0), int64(0)
	err = s.scan(ctx, &m, 0, latencyColumn, func(c *ingest.Columns, found []int32) (bool, error) {
		for _, r := range found {
			i := int(r)
			out.Count++
			if c.Flags[i]&ingest.FlagSuccess == 0 && c.Time[i] >= failedAt {
				failed, failedAt = c.Number(i), c.Time[i]
			}
			if c.Latency[i] < 0 && len(rows) < maxRows {
				rows = append(rows, timedRow{c.Number(i), ingest.Absent})
			}
			if c.Latency[i] < 0 {
				continue
			}
			out.Latencies.Add(c.Latency[i])
			out.AddToHistogram(c.Latency[i])
			if len(rows) < maxRows {
				rows = append(rows, timedRow{c.Number(i), c.Latency[i]})
			}
		}
		return true, nil
	})
	if err != nil || len(rows) == 0 {
		return out, err
	}
	timed := slices.DeleteFunc(slices.Clone(rows), func(r timedRow) bool { return r.latency < 0 })
	slices.SortFunc(timed, func(a, b timedRow) int {
		return cmp.Or(cmp.Compare(a.latency, b.latency), cmp.Compare(a.number, b.number))
	})
	if n := len(timed); n > 0 {
		out.Samples = append(out.Samples, timed[n-1].number, timed[(n-1)/2].number)
	}
	if failed > 0 {
		out.Samples = append(out.Samples, failed)
	}
	slices.SortFunc(rows, func(a, b timedRow) int { return cmp.Compare(a.number, b.number) })
	return out, s.index.checkpoints(ctx, rows, &out)
}

// checkpoints adds the checkpoints of calls, which ascend by their numbers.
func (x *index) checkpoints(ctx context.Context, rows []timedRow, out *ingest.Spread) error {
	byName := map[string]*ingest.CheckpointSpread{}
	whole := int64(0) // microseconds
	err := x.eachRun(ctx, rows[0].number, rows[len(rows)-1].number, func(first, last int64, m *marks, _ *fails) {
		at := 0
		for len(rows) > 0 && rows[0].number <= last {
			r := rows[0]
			rows = rows[1:]
			if r.number < first {
				continue
			}
			whole += 1000 * max(r.latency, 0)
			for at < len(m.rows) && int64(m.rows[at]) < r.number-first {
				at++
			}
			begun := int64(0)
			for ; at < len(m.rows) && int64(m.rows[at]) == r.number-first; at++ {
				name := m.names[m.name[at]]
				c := byName[name]
				if c == nil {
					c = &ingest.CheckpointSpread{Name: name}
					byName[name] = c
				}
				c.Offsets.Add(m.micros[at] / 1000)
				end := m.micros[at]
				if r.latency >= 0 {
					end = min(end, 1000*r.latency)
				}
				c.Share += float64(max(end-begun, 0))
				begun = max(begun, end)
			}
		}
	})
	for _, c := range byName {
		if whole == 0 {
			c.Share = 0
		} else {
			c.Share /= float64(whole)
		}
		out.Checkpoints = append(out.Checkpoints, *c)
	}
	return err
}

// eachRun calls fn for the runs that cover events from first to last, in order.
func (x *index) eachRun(ctx context.Context, first, last int64, fn func(first, last int64, m *marks, f *fails)) error {
	if err := x.catchUp(ctx); err != nil {
		return err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	err := x.blocks.world.Read(ctx, func(tx *store.Tx) error {
		return eachIndexed(tx, first, min(last, x.tail.first-1), func(first, last int64, marks, fails []byte) error {
			m, err := decodeMarks(marks)
			if err != nil {
				return err
			}
			f, err := decodeFails(fails)
			if err != nil {
				return err
			}
			fn(first, last, &m, &f)
			return nil
		})
	})
	if err == nil && x.tail.last >= first {
		fn(x.tail.first, x.tail.last, &x.tail.marks, &x.tail.fails)
	}
	return err
}

// failedRow is a failure with what it is told apart by.
type failedRow struct {
	number, time  int64
	tool, session string
}

// Failures returns the failures that match by tool and message, in no order:
// of the latest million.
func (s *blocks) Failures(ctx context.Context, m ingest.Match) ([]ingest.Failure, error) {
	var rows []failedRow
	texts := map[string]string{} // each text once
	text := func(t string) string {
		own, ok := texts[t]
		if !ok {
			own = string([]byte(t))
			texts[own] = own
		}
		return own
	}
	if m.Success != nil && *m.Success {
		return nil, nil
	}
	m.Success = new(bool)
	err := s.scan(ctx, &m, 0, nameColumn|sessionColumn, func(c *ingest.Columns, found []int32) (bool, error) {
		for _, r := range found {
			i := int(r)
			rows = append(rows, failedRow{c.Number(i), c.Time[i], text(c.Name.At(i)), text(c.Session.At(i))})
		}
		return len(rows) < maxRows, nil
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b failedRow) int { return cmp.Compare(a.number, b.number) })
	return s.index.failures(ctx, rows)
}

type failureKey struct{ tool, message string }

// failures groups failures, which ascend by their numbers.
func (x *index) failures(ctx context.Context, rows []failedRow) (out []ingest.Failure, err error) {
	groups := map[failureKey]*ingest.Failure{}
	sessions := map[failureKey]map[string]bool{}
	err = x.eachRun(ctx, rows[0].number, rows[len(rows)-1].number, func(first, last int64, _ *marks, f *fails) {
		at := 0
		for len(rows) > 0 && rows[0].number <= last {
			r := rows[0]
			rows = rows[1:]
			if r.number < first {
				continue
			}
			for at < len(f.rows) && int64(f.rows[at]) < r.number-first {
				at++
			}
			k := failureKey{tool: r.tool}
			if at < len(f.rows) && int64(f.rows[at]) == r.number-first {
				k.message = f.texts[f.text[at]]
			}
			g := groups[k]
			if g == nil {
				g = &ingest.Failure{Tool: k.tool, Message: string([]byte(k.message)), First: r.time, Last: r.time}
				k.message = g.Message
				groups[k], sessions[k] = g, map[string]bool{}
			}
			g.Count++
			g.First, g.Last = min(g.First, r.time), max(g.Last, r.time)
			sessions[k][r.session] = true
			if g.Samples = append(g.Samples, r.number); len(g.Samples) > ingest.FailureSamples {
				g.Samples = g.Samples[1:]
			}
		}
	})
	for k, g := range groups {
		g.Sessions = int64(len(sessions[k]))
		out = append(out, *g)
	}
	return out, err
}

// Numbers returns the numbers of the events that match, in no order, at most a million.
func (s *blocks) Numbers(ctx context.Context, m ingest.Match) (out []int64, err error) {
	err = s.scan(ctx, &m, 0, 0, func(c *ingest.Columns, rows []int32) (bool, error) {
		for _, i := range rows {
			out = append(out, c.Number(int(i)))
		}
		return len(out) < maxRows, nil
	})
	return out, err
}

// IDs returns the ids of events by their numbers.
func (s *blocks) IDs(ctx context.Context, project string, numbers []int64) (map[int64]string, error) {
	out := map[int64]string{}
	if len(numbers) == 0 {
		return out, nil
	}
	return out, s.world.Read(ctx, func(tx *store.Tx) error {
		for _, n := range numbers {
			c, err := idsAt(tx, project, n, nil)
			if err != nil {
				return err
			}
			if at, ok := c.find(n); ok {
				out[n] = c.ids[at]
			}
		}
		return nil
	})
}
