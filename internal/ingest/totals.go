package ingest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"understudy/internal/platform/background"
	db "understudy/internal/platform/store"
)

// Total is what the events with one key add up to: the calls of a tool, the
// turns of an agent, the events of a model or a customer.
type Total struct {
	Key string
	Sums
}

// Totals sums up the events in the period by tool, agent, model or customer,
// the most frequent first. Events without a model or customer are left out of
// those. Percentiles are within 1 % of the exact ones.
func (in *Ingest) Totals(ctx context.Context, project string, f Filter, by Dimension, kind Kind) (out []Total, err error) {
	groups, err := in.sum(ctx, project, f, Sum{By: by, Kind: kind, Latency: true})
	if err != nil {
		return nil, err
	}
	for i := range groups {
		if g := &groups[i]; g.Key != "" || by == ByName {
			out = append(out, Total{g.Key, g.Sums})
		}
	}
	slices.SortFunc(out, func(a, b Total) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), cmp.Compare(a.Key, b.Key))
	})
	return out, nil
}

// sum adds up a project's events. Where the roll-ups can answer it reads them for
// the whole hours of a period, and the events for the parts of an hour at both
// ends; otherwise it reads the events. Groups come in no order.
func (in *Ingest) sum(ctx context.Context, project string, f Filter, q Sum) (groups []Group, err error) {
	if q.Match, err = in.match(ctx, project, f); err != nil {
		return nil, err
	}
	if q.Prices, err = in.Prices(ctx, project); err != nil {
		return nil, err
	}
	if q.By == ByUser || q.By == ByLabel || slices.Contains(q.Distinct, ByUser) {
		if q.Owner, err = in.owner(ctx, project); err != nil {
			return nil, err
		}
	}
	first, last := (f.From+hour-1)/hour*hour, cmp.Or(f.To, 1<<52)/hour*hour
	if !f.rolled() || q.None || first >= last || !in.rolls(ctx, &q) {
		return in.d.Store.Sum(ctx, q)
	}
	if current, err := refresh(ctx, in); err != nil {
		return nil, err
	} else if !current {
		return in.d.Store.Sum(ctx, q)
	}
	t := tally{q: &q, at: map[tallyKey]*Sums{}}
	for _, part := range [][2]int64{{f.From, first}, {last, cmp.Or(f.To, 1<<52)}} {
		if part[0] >= part[1] || part[0] >= 1<<51 {
			continue
		}
		edge := q
		edge.From, edge.To = part[0], part[1]
		groups, err := in.d.Store.Sum(ctx, edge)
		if err != nil {
			return nil, err
		}
		for i := range groups {
			g := &groups[i]
			t.sums(g.Key, g.Rest, g.Period).Merge(&g.Sums)
		}
	}
	err = t.merging(func() error {
		return in.d.Events.Read(ctx, func(tx *db.Tx) error { return t.roll(tx, first, last) })
	})
	if errors.Is(err, errDamagedSums) {
		return sumDamaged(ctx, in, q, err)
	}
	return t.groups(), err
}

// sumDamaged answers a sum from the events, and has the sums by hour and day built
// anew.
func sumDamaged(ctx context.Context, in *Ingest, q Sum, reason error) ([]Group, error) {
	in.rollMu.Lock()
	err := rebuildSums(ctx, in, reason)
	in.rollMu.Unlock()
	if err != nil && !errors.Is(err, db.Unavailable) {
		return nil, err
	}
	in.follow()
	return in.d.Store.Sum(ctx, q)
}

// manyEvents is the number of events from which the roll-ups of hours are faster
// than the events.
const manyEvents = 5_000_000

// rolls reports whether the roll-ups can answer a sum, and are the faster way.
func (in *Ingest) rolls(ctx context.Context, q *Sum) bool {
	switch q.By {
	case ByNothing, ByName, ByModel, BySuccess:
	default:
		return false
	}
	width := int64(1 << 62)
	for i, at := range q.Bounds {
		if at%hour != 0 && i > 0 {
			return false
		}
		if i > 1 {
			width = min(width, at-q.Bounds[i-1])
		}
	}
	if len(q.Distinct) > 0 {
		return false
	}
	if width >= day {
		return true
	}
	n := int64(0)
	err := in.d.Events.Read(ctx, func(tx *db.Tx) (err error) {
		n, err = in.d.Store.CountIn(tx)
		return err
	})
	return err == nil && n > manyEvents
}

// tally gathers groups.
type tally struct {
	q     *Sum
	at    map[tallyKey]*Sums
	held  []storedSketch       // that are not handed over yet
	room  []byte               // for the bytes of held
	merge func([]storedSketch) // hands over sketches
}

// storedSketch is a stored sketch that is to be merged.
type storedSketch struct {
	to    *Latencies
	bytes []byte
}

// heldSketches is how many sketches are handed over together, and sketchRoom about how
// many bytes they have.
const (
	heldSketches = 64
	sketchRoom   = 16 << 10
)

type tallyKey struct {
	key    string
	rest   bool
	period int
}

func (t *tally) sums(key string, rest bool, period int) *Sums {
	k := tallyKey{key, rest, period}
	s := t.at[k]
	if s == nil {
		s = &Sums{}
		k.key = strings.Clone(key)
		t.at[k] = s
	}
	return s
}

// roll adds the roll-ups of whole hours: days where they lie within one period.
func (t *tally) roll(tx *db.Tx, first, last int64) error {
	d1, d2 := (first+day-1)/day*day, last/day*day
	days := d1 < d2
	for i, at := range t.q.Bounds {
		days = days && (i == 0 || at%day == 0)
	}
	add := func(k rollupKey, row *sums, sketch []byte) error { return t.add(k, row, sketch) }
	if !days {
		return eachRollup(tx, t.q.Project, 1, first, last, t.q.Latency, add)
	}
	if err := eachRollup(tx, t.q.Project, 1, first, d1, t.q.Latency, add); err != nil {
		return err
	}
	if err := eachRollup(tx, t.q.Project, 24, d1, d2, t.q.Latency, add); err != nil {
		return err
	}
	return eachRollup(tx, t.q.Project, 1, d2, last, t.q.Latency, add)
}

// add adds a row of the roll-ups.
func (t *tally) add(k rollupKey, row *sums, sketch []byte) error {
	q := t.q
	if len(q.Names) > 0 && !slices.Contains(q.Names, k.tool) || len(q.Models) > 0 && !slices.Contains(q.Models, k.model) ||
		q.Success != nil && *q.Success != k.success || q.Kind != Everything && q.Kind != k.kind {
		return nil
	}
	key := ""
	switch q.By {
	case ByName:
		key = k.tool
	case ByModel:
		key = k.model
	case BySuccess:
		key = map[bool]string{true: "true", false: "false"}[k.success]
	}
	rest := q.Keys != nil && !slices.Contains(q.Keys, key)
	if rest {
		key = ""
	}
	period := 0
	if q.Bounds != nil {
		at, exact := slices.BinarySearch(q.Bounds, k.at)
		if period = at; !exact {
			period = max(at-1, 0) // the first period may begin within the hour or day, before its first event
		}
	}
	s := t.sums(key, rest, period)
	s.Events += row.events
	s.Errors += row.errors
	switch k.kind {
	case Turns:
		s.Turns += row.events
	case Calls:
		s.Calls += row.events
	}
	s.InputTokens += row.input
	s.OutputTokens += row.output
	if cost, ok := q.Prices.Cost(k.model, row.input, row.output); ok {
		s.Cost += cost
	}
	if len(sketch) == 0 {
		return nil
	}
	if t.held == nil {
		t.held, t.room = make([]storedSketch, 0, heldSketches), make([]byte, 0, sketchRoom)
	}
	begin := len(t.room)
	t.room = append(t.room, sketch...)
	if t.held = append(t.held, storedSketch{&s.Latencies, t.room[begin:]}); len(t.held) == heldSketches {
		t.merge(t.held)
		t.held = nil
	}
	return nil
}

// merging calls roll, and merges the sketches of the rows that it adds in a goroutine
// of its own: that takes about as long as reading the rows.
func (t *tally) merging(roll func() error) error {
	var damaged error
	work := func(_ int, parts <-chan []storedSketch) {
		for part := range parts {
			for _, s := range part {
				damaged = cmp.Or(damaged, damagedSums(s.to.mergeStored(s.bytes)))
			}
		}
	}
	err := background.Share(1, work, func(do func([]storedSketch)) error {
		t.merge = do
		err := roll()
		do(t.held)
		return err
	})
	return cmp.Or(err, damaged)
}

func (t *tally) groups() []Group {
	out := make([]Group, 0, len(t.at))
	for k, s := range t.at {
		out = append(out, Group{Key: k.key, Rest: k.rest, Period: k.period, Sums: *s})
	}
	return out
}
