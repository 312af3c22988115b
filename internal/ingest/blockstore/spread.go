package blockstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"understudy/internal/ingest"
	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// maxRows bounds the events whose checkpoints or messages one query reads: the
// latest.
const maxRows = 1 << 20

// Spread returns how the time of the events that match is spent. Counts and
// percentiles are of all; checkpoints are of the latest million.
func (s *blocks) Spread(ctx context.Context, m ingest.Match) (out ingest.Spread, err error) {
	parts := make([]spreader, workers())
	fns := make([]func(*ingest.Columns, []int32), len(parts))
	for i := range parts {
		fns[i] = parts[i].add
	}
	if err := scanApart(ctx, s, &m, latencyColumn, fns); err != nil {
		return out, err
	}
	all := &parts[0]
	for i := range parts[1:] {
		all.merge(&parts[i+1])
	}
	if len(all.rows) == 0 {
		return out, nil
	}
	out = all.sums
	out.Samples = typical(all.rows)
	if all.failed.number > 0 {
		out.Samples = append(out.Samples, all.failed.number)
	}
	return out, s.index.checkpoints(ctx, all.inOrder(), &out)
}

// checkpoints adds the checkpoints of calls, which ascend by their numbers.
func (x *index) checkpoints(ctx context.Context, rows []timedRow, out *ingest.Spread) error {
	return x.mended(ctx, func() error { return x.sumCheckpoints(ctx, rows, out) })
}

// sumCheckpoints is checkpoints on an index without damage.
func (x *index) sumCheckpoints(ctx context.Context, rows []timedRow, out *ingest.Spread) error {
	timelines := make([]timeline, workers())
	work := func(worker int, runs <-chan indexedRun) {
		var m marks
		for run := range runs {
			calls := between(rows, run.first, run.last)
			found, err := run.readMarks(&m, calls)
			if err != nil {
				timelines[worker].err = damaged(run.first, err)
				continue
			}
			timelines[worker].add(&run, found, calls)
		}
	}
	err := x.eachRun(ctx, rows[0].number, rows[len(rows)-1].number, func(each func(fn func(indexedRun)) error) error {
		return background.Share(len(timelines), work, each)
	})
	all := &timelines[0]
	for i := range timelines[1:] {
		all.merge(&timelines[i+1])
	}
	out.Checkpoints = nil
	for _, c := range all.byName {
		if all.whole == 0 {
			c.Share = 0
		} else {
			c.Share /= float64(all.whole)
		}
		out.Checkpoints = append(out.Checkpoints, *c)
	}
	return cmp.Or(err, all.err)
}

// between returns the rows with numbers from first to last.
func between(rows []timedRow, first, last int64) []timedRow {
	byNumber := func(r timedRow, number int64) int { return cmp.Compare(r.number, number) }
	from, _ := slices.BinarySearchFunc(rows, first, byNumber)
	to, _ := slices.BinarySearchFunc(rows, last+1, byNumber)
	return rows[from:to]
}

// timeline accumulates checkpoints, run after run.
type timeline struct {
	byName map[string]*ingest.CheckpointSpread // with microseconds in Share
	whole  int64                               // microseconds of all calls
	err    error
}

// add adds the checkpoints of the calls of a run.
func (t *timeline) add(run *indexedRun, m *marks, rows []timedRow) {
	names := make([]*ingest.CheckpointSpread, len(m.names))
	at := 0
	for _, r := range rows {
		row := uint32(r.number - run.first)
		t.whole += 1000 * max(r.latency, 0)
		for at < len(m.rows) && m.rows[at] < row {
			at++
		}
		begun := int64(0)
		for ; at < len(m.rows) && m.rows[at] == row; at++ {
			c := names[m.name[at]]
			if c == nil {
				c = t.named(m.names[m.name[at]])
				names[m.name[at]] = c
			}
			c.Offsets.AddMicros(m.micros[at])
			end := m.micros[at]
			if r.latency >= 0 {
				end = min(end, 1000*r.latency)
			}
			c.Share += float64(max(end-begun, 0))
			begun = max(begun, end)
		}
	}
}

// named returns the checkpoint with a name.
func (t *timeline) named(name string) *ingest.CheckpointSpread {
	c := t.byName[name]
	if c == nil {
		if t.byName == nil {
			t.byName = map[string]*ingest.CheckpointSpread{}
		}
		c = &ingest.CheckpointSpread{Name: strings.Clone(name)}
		t.byName[c.Name] = c
	}
	return c
}

// merge adds the checkpoints of o.
func (t *timeline) merge(o *timeline) {
	t.whole += o.whole
	t.err = cmp.Or(t.err, o.err)
	for name, from := range o.byName {
		c := t.named(name)
		c.Offsets.Merge(&from.Offsets)
		c.Share += from.Share
	}
}

// indexedRun is the checkpoints and messages of a run: in their stored form, or
// those of the run in memory.
type indexedRun struct {
	first, last  int64
	marks, fails []byte
	tail         *run
}

// readMarks returns the checkpoints, at least those of rows. It decodes them into space,
// unless they are in memory already.
func (r *indexedRun) readMarks(space *marks, rows []timedRow) (*marks, error) {
	if r.tail != nil {
		return &r.tail.marks, nil
	}
	return space, space.decode(r.marks, r.first, rows)
}

func (r *indexedRun) readFails() (fails, error) {
	if r.tail != nil {
		return r.tail.fails, nil
	}
	return decodeFails(r.fails)
}

// eachRun calls fn with an iterator over the runs that cover events from first to
// last, in order. A run is valid until fn returns.
func (x *index) eachRun(ctx context.Context, first, last int64, fn func(each func(fn func(indexedRun)) error) error) error {
	if err := x.catchUp(ctx); err != nil {
		return err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.blocks.world.Read(ctx, func(tx *store.Tx) error {
		return fn(func(fn func(indexedRun)) error {
			err := eachIndexed(tx, first, min(last, x.tail.first-1), fn)
			if err == nil && x.tail.last >= first {
				fn(indexedRun{first: x.tail.first, last: x.tail.last, tail: &x.tail})
			}
			return err
		})
	})
}

// failedRow is a failure with the fields by which it is grouped.
type failedRow struct {
	number, time  int64
	tool, session string
}

// Failures returns the failures that match by tool and message, in no order:
// of the latest million.
func (s *blocks) Failures(ctx context.Context, m ingest.Match) ([]ingest.Failure, error) {
	var rows []failedRow
	texts := map[string]string{} // makes equal texts share memory
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
	var out []ingest.Failure
	err = s.index.mended(ctx, func() (err error) {
		out, err = s.index.failures(ctx, rows)
		return err
	})
	return out, err
}

type failureKey struct{ tool, message string }

// failures groups failures, which ascend by their numbers.
func (x *index) failures(ctx context.Context, rows []failedRow) (out []ingest.Failure, err error) {
	groups := map[failureKey]*ingest.Failure{}
	sessions := map[failureKey]map[string]bool{}
	add := func(run indexedRun) {
		f, e := run.readFails()
		err = cmp.Or(err, damaged(run.first, e))
		at := 0
		for len(rows) > 0 && rows[0].number <= run.last {
			r := rows[0]
			rows = rows[1:]
			if r.number < run.first {
				continue
			}
			for at < len(f.rows) && int64(f.rows[at]) < r.number-run.first {
				at++
			}
			k := failureKey{tool: r.tool}
			if at < len(f.rows) && int64(f.rows[at]) == r.number-run.first {
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
	}
	read := x.eachRun(ctx, rows[0].number, rows[len(rows)-1].number, func(each func(fn func(indexedRun)) error) error { return each(add) })
	err = cmp.Or(read, err)
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
