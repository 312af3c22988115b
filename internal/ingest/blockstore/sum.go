package blockstore

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"

	"understudy/internal/ingest"
)

// workers returns how many goroutines run one query: at most two, so that other
// processors stay free for others.
func workers() int { return min(2, runtime.GOMAXPROCS(0)) }

// Sum returns the sums of the events that match q. Groups come in no order; those
// without an event are left out.
func (s *blocks) Sum(ctx context.Context, q ingest.Sum) ([]ingest.Group, error) {
	m := q.Match
	if len(q.Bounds) > 0 {
		m.From = max(m.From, q.Bounds[0])
	}
	var adders []*adder
	var fns []func(*ingest.Columns, []int32)
	for range workers() {
		a := newAdder(&q)
		adders, fns = append(adders, a), append(fns, a.add)
	}
	if err := scanApart(ctx, s, &m, columnsOf(&q), fns); err != nil {
		return nil, err
	}
	for _, a := range adders[1:] {
		adders[0].merge(a)
	}
	return adders[0].groups(), nil
}

// columnsOf returns the columns that an adder reads.
func columnsOf(q *ingest.Sum) columnSet {
	want := typeColumn | tokenColumns
	if q.Prices != nil {
		want |= modelColumn
	}
	for _, by := range append([]ingest.Dimension{q.By}, q.Distinct...) {
		want |= map[ingest.Dimension]columnSet{ingest.ByName: nameColumn, ingest.ByModel: modelColumn, ingest.ByCustomer: customerColumn,
			ingest.BySession: sessionColumn, ingest.ByUser: ownerColumns, ingest.ByLabel: ownerColumns}[by]
	}
	return want
}

// adder sums events, block after block.
type adder struct {
	q      *ingest.Sum
	keys   map[string]int // indexes in cells; those of Sum.Keys come first
	names  []string
	rest   int       // index of the group for all other keys, -1 without one
	cells  [][]*cell // by key and period
	now    []*cell   // those of a period by key, nil until first used
	period int       // of now

	numbers  []numbering
	prices   []ingest.Price // of a block's models
	tools    []bool         // whether a block's types of primitive are tools
	choices  [][]int        // keys, by index in Sum.Labels.Choices
	users    *textTable     // of the users with labels
	chosen   []int          // the indexes in Sum.Labels.Choices of users
	byChoice []int          // results of keyOfText, by index in Sum.Labels.Choices; unknown until computed

	column  *ingest.Dict // by which a block's rows are grouped
	outcome ingest.Dict  // that column, if they are grouped by success
	nobody  int          // index of "" in column if that is users, else -1
	own     []int        // keys of the texts of column, unknown until computed
	session []int        // keys of the users of a block's sessions
}

// cell is a group in one period.
type cell struct {
	ingest.Sums
	distinct []bitset
}

func newAdder(q *ingest.Sum) *adder {
	a := &adder{q: q, keys: map[string]int{}, rest: -1, numbers: make([]numbering, len(q.Distinct))}
	if q.By == ingest.ByLabel {
		users := slices.Collect(maps.Keys(q.Labels.Of))
		for _, u := range users {
			a.chosen = append(a.chosen, q.Labels.Of[u])
		}
		a.users, a.choices, a.byChoice = newTextTable(users), make([][]int, len(q.Labels.Choices)), allUnknown(nil, len(q.Labels.Choices))
	}
	for _, k := range q.Keys {
		a.key(k)
	}
	if q.Keys != nil {
		a.rest = len(a.names)
		a.names, a.cells = append(a.names, ""), append(a.cells, nil)
	}
	return a
}

// key returns the index of a group, or that of the group for all others.
func (a *adder) key(name string) int {
	at, ok := a.keys[name]
	if !ok {
		if a.rest >= 0 {
			return a.rest
		}
		name = strings.Clone(name)
		at = len(a.names)
		a.keys[name] = at
		a.names, a.cells = append(a.names, name), append(a.cells, nil)
	}
	return at
}

// at returns a pointer to the sums of a group in a period, which are nil until it
// has any.
func (a *adder) at(key, period int) **cell {
	for len(a.cells[key]) <= period {
		a.cells[key] = append(a.cells[key], nil)
	}
	return &a.cells[key][period]
}

// cell returns the sums of a group in a period.
func (a *adder) cell(key, period int) *cell {
	at := a.at(key, period)
	if *at == nil {
		*at = &cell{distinct: make([]bitset, len(a.numbers))}
	}
	return *at
}

// add adds the rows of a block.
func (a *adder) add(c *ingest.Columns, rows []int32) {
	a.begin(c, len(rows))
	if a.q.Bounds == nil {
		a.addIn(0, c, rows)
		return
	}
	for len(rows) > 0 {
		period, from, to := periodOf(a.q.Bounds, c.Time[rows[0]])
		n := len(rows)
		if c.Min < from || c.Max >= to { // the block spans several periods
			n = 1
			for n < len(rows) && c.Time[rows[n]] >= from && c.Time[rows[n]] < to {
				n++
			}
		}
		a.addIn(period, c, rows[:n])
		rows = rows[n:]
	}
}

// addIn adds rows of one period.
func (a *adder) addIn(period int, c *ingest.Columns, rows []int32) {
	if period != a.period {
		clear(a.now)
		a.period = period
	}
	for _, r := range rows {
		i := int(r)
		kind := a.kind(c, i)
		if a.q.Kind != ingest.Everything && a.q.Kind != kind {
			continue
		}
		at := a.column.Of(i)
		key := a.own[at]
		if key == unknown {
			key = a.findKey(c, i, at)
		}
		if key <= several {
			for _, k := range a.choices[several-key] {
				a.count(a.cell(k, period), c, i, kind)
			}
			continue
		}
		if key < len(a.now) && a.now[key] != nil {
			a.count(a.now[key], c, i, kind)
			continue
		}
		group := a.cell(key, period)
		if key >= len(a.now) {
			a.now = append(a.now, make([]*cell, len(a.names)-len(a.now))...)
		}
		a.now[key] = group
		a.count(group, c, i, kind)
	}
}

// begin prepares for some rows of a block.
func (a *adder) begin(c *ingest.Columns, rows int) {
	a.tools = a.tools[:0]
	for _, primitive := range c.Type.Values {
		a.tools = append(a.tools, ingest.IsTool(primitive))
	}
	a.group(c, rows)
	for i := range a.numbers {
		a.numbers[i].begin(a.q, a.q.Distinct[i], c)
	}
	if a.q.Prices != nil {
		a.prices = a.prices[:0]
		for _, m := range c.Model.Values {
			price, _ := a.q.Prices.Of(m)
			a.prices = append(a.prices, price)
		}
	}
}

// count adds an event of a kind to a group.
func (a *adder) count(to *cell, c *ingest.Columns, i int, kind ingest.Kind) {
	to.Events++
	if c.Flags[i]&ingest.FlagSuccess == 0 {
		to.Errors++
	}
	switch kind {
	case ingest.Turns:
		to.Turns++
	case ingest.Calls:
		to.Calls++
	}
	in, out := max(c.InputTokens[i], 0), max(c.OutputTokens[i], 0)
	to.InputTokens += in
	to.OutputTokens += out
	if a.q.Prices != nil {
		p := a.prices[c.Model.Of(i)]
		to.Cost += float64(in)*p.Input + float64(out)*p.Output
	}
	if a.q.Latency && c.Latency[i] >= 0 {
		to.Latencies.Add(c.Latency[i])
	}
	for d := range a.numbers {
		if n := a.numbers[d].of(c, i); n >= 0 {
			to.distinct[d] = to.distinct[d].with(n)
		}
	}
}

// kind returns the ingest.KindOf of an event. It computes each type once.
func (a *adder) kind(c *ingest.Columns, i int) ingest.Kind {
	switch {
	case c.Flags[i]&ingest.FlagTurn != 0:
		return ingest.Turns
	case a.tools[c.Type.Of(i)]:
		return ingest.Calls
	}
	return ingest.Steps
}

// periodOf returns the period of a time, and its bounds.
func periodOf(bounds []int64, t int64) (period int, from, to int64) {
	at, exact := slices.BinarySearch(bounds, t)
	if !exact {
		at--
	}
	to = 1 << 62
	if at+1 < len(bounds) {
		to = bounds[at+1]
	}
	return at, bounds[at], to
}

// merge adds the sums of another adder for the same query.
func (a *adder) merge(o *adder) {
	numbers := make([][]int, len(o.numbers)) // the numbers in a, by those in o
	for d := range o.numbers {
		numbers[d] = make([]int, len(o.numbers[d].numbers))
		for text, n := range o.numbers[d].numbers {
			numbers[d][n] = a.numbers[d].number(text)
		}
	}
	for key, periods := range o.cells {
		to := a.rest
		if key != o.rest {
			to = a.key(o.names[key])
		}
		for period, from := range periods {
			if from == nil {
				continue
			}
			if at := a.at(to, period); *at == nil && len(o.numbers) == 0 {
				*at = from
				continue
			}
			own := a.cell(to, period)
			own.Sums.Merge(&from.Sums)
			for d, set := range from.distinct {
				for n := range set.all() {
					own.distinct[d] = own.distinct[d].with(numbers[d][n])
				}
			}
		}
	}
}

// groups returns the sums.
func (a *adder) groups() (out []ingest.Group) {
	n := 0
	for _, periods := range a.cells {
		n += len(periods)
	}
	out = make([]ingest.Group, 0, n)
	for key, periods := range a.cells {
		for period, c := range periods {
			if c == nil {
				continue
			}
			for _, set := range c.distinct {
				c.Sums.Distinct = append(c.Sums.Distinct, set.count())
			}
			out = append(out, ingest.Group{Key: a.names[key], Rest: key == a.rest, Period: period, Sums: c.Sums})
		}
	}
	return out
}
