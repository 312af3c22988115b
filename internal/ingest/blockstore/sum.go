package blockstore

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
)

// workers returns how many goroutines answer one question: at most two, so that
// other processors stay free for others.
func workers() int { return min(2, runtime.GOMAXPROCS(0)) }

// Sum adds up the events that q asks for. Groups come in no order; those
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

// adder adds up events, block after block.
type adder struct {
	q     *ingest.Sum
	keys  map[string]int // indexes in cells; those of Sum.Keys come first
	names []string
	rest  int       // index of the group for all other keys, -1 without one
	cells [][]*cell // by key and period

	numbers []numbering
	prices  []ingest.Price // of a block's models
	tools   []bool         // whether a block's types of primitive are tools
	choices [][]int        // keys, by index in Sum.Labels.Choices
	users   filter         // of the users with labels

	column  *ingest.Dict // by which a block's rows are grouped
	outcome ingest.Dict  // that column, when they are grouped by success
	nobody  int          // place of "" in column when that is users, else -1
	own     []int        // keys of the texts of column, unknown where not asked for yet
	places  []*cell      // groups of the texts of column in one period, nil where not asked for yet
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
		a.users, a.choices = filterOf(q.Labels.Of), make([][]int, len(q.Labels.Choices))
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

// at returns where the sums of a group in a period stand, nil there while it has
// none.
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

// add adds up the rows of a block.
func (a *adder) add(c *ingest.Columns, rows []int32) {
	a.begin(c)
	period, from, to := 0, int64(0), int64(1<<62)
	if a.q.Bounds != nil {
		to = 0
	}
	for _, r := range rows {
		i := int(r)
		kind := a.kind(c, i)
		if a.q.Kind != ingest.Everything && a.q.Kind != kind {
			continue
		}
		if t := c.Time[i]; t < from || t >= to {
			period, from, to = periodOf(a.q.Bounds, t)
			clear(a.places)
		}
		place := a.column.Of(i)
		group := a.places[place]
		if group == nil {
			key := a.keyOf(c, i)
			if key <= several {
				for _, k := range a.choices[several-key] {
					a.count(a.cell(k, period), c, i, kind)
				}
				continue
			}
			if group = a.cell(key, period); len(a.places) <= fewPlaces && place != a.nobody { // nobody may be another user in the next event
				a.places[place] = group
			}
		}
		a.count(group, c, i, kind)
	}
}

// begin gets ready for the rows of a block.
func (a *adder) begin(c *ingest.Columns) {
	a.tools = a.tools[:0]
	for _, primitive := range c.Type.Values {
		a.tools = append(a.tools, ingest.IsTool(primitive))
	}
	a.group(c)
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

// kind returns the ingest.KindOf of an event. It looks at each type once.
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

// together is a column of one empty text: all rows are one group.
var together = ingest.Dict{Values: []string{""}}

// group notes by which column the rows of a block are grouped.
func (a *adder) group(c *ingest.Columns) {
	a.nobody = -1
	switch a.q.By {
	case ingest.ByNothing:
		a.column = &together
	case ingest.BySuccess:
		a.outcome.Values = append(a.outcome.Values[:0], "false", "true")
		a.outcome.Index = sized(a.outcome.Index, c.N)
		for i, flags := range c.Flags {
			a.outcome.Index[i] = uint16(flags & ingest.FlagSuccess / ingest.FlagSuccess)
		}
		a.column = &a.outcome
	case ingest.ByUser, ingest.ByLabel:
		a.column, a.nobody = &c.User, slices.Index(c.User.Values, "")
		a.session = allUnknown(a.session, len(c.Session.Values))
	default:
		a.column = columnOf(c, a.q.By)
	}
	a.own = allUnknown(a.own, len(a.column.Values))
	a.places = slices.Grow(a.places[:0], len(a.own))[:len(a.own)]
	clear(a.places)
}

// fewPlaces is up to how many texts of a column their groups are noted: of more, most
// come once in a block.
const fewPlaces = 256

// keyOf returns the key of a row, or several minus the place of a choice of
// labels that has no key or more than one.
func (a *adder) keyOf(c *ingest.Columns, i int) int {
	at := a.column.Of(i)
	key := a.own[at]
	if key == unknown {
		key = a.findKey(c, i, at)
	}
	return key
}

// findKey is keyOf for a text that is asked for for the first time, or for an
// event that names no user: then its session's counts.
func (a *adder) findKey(c *ingest.Columns, i, at int) int {
	if at != a.nobody {
		a.own[at] = a.keyOfText(a.column.Values[at])
		return a.own[at]
	}
	s := c.Session.Of(i)
	if a.session[s] == unknown {
		a.session[s] = a.keyOfText(a.q.Owner(c.Session.Values[s]))
	}
	return a.session[s]
}

// keyOfText returns the key of a text of the column by which rows are grouped.
func (a *adder) keyOfText(text string) int {
	if a.q.By != ingest.ByLabel {
		return a.key(text)
	}
	choice := 0
	if a.users.has(xxhash.Sum64String(text)) {
		choice = a.q.Labels.Of[text]
	}
	if keys := a.labelled(choice); len(keys) == 1 {
		return keys[0]
	}
	return several - choice
}

// labelled returns the keys of a list of labels. It finds them once.
func (a *adder) labelled(choice int) []int {
	out := a.choices[choice]
	if out != nil {
		return out
	}
	for _, l := range a.q.Labels.Choices[choice] {
		if k := a.key(l); !slices.Contains(out, k) { // several may belong to the group for all others
			out = append(out, k)
		}
	}
	a.choices[choice] = out
	return out
}

func columnOf(c *ingest.Columns, by ingest.Dimension) *ingest.Dict {
	switch by {
	case ingest.ByName:
		return &c.Name
	case ingest.ByType:
		return &c.Type
	case ingest.ByModel:
		return &c.Model
	case ingest.ByCustomer:
		return &c.Customer
	case ingest.BySession:
		return &c.Session
	}
	return &c.User
}

// merge adds what another adder for the same question has added up.
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

// groups returns what was added up.
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
