package ingest

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"understudy/internal/platform/background"
	db "understudy/internal/platform/store"
)

// tally sums rows of the roll-ups in groups.
type tally struct {
	q      *Sum
	at     map[tallyKey]*Sums
	models map[string]string // caches texts: few models, in many parts
}

func newTally(q *Sum) tally {
	return tally{q: q, at: map[tallyKey]*Sums{}, models: map[string]string{}}
}

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

// roll calls row for the roll-ups of whole hours, or of days that are within one
// period.
func (t *tally) roll(tx *db.Tx, first, last int64, row func(storedRow)) error {
	d1, d2 := (first+day-1)/day*day, last/day*day
	days := d1 < d2
	for i, at := range t.q.Bounds {
		days = days && (i == 0 || at%day == 0)
	}
	if !days {
		return eachRollup(tx, t.q.Project, 1, first, last, row)
	}
	if err := eachRollup(tx, t.q.Project, 1, first, d1, row); err != nil {
		return err
	}
	if err := eachRollup(tx, t.q.Project, 24, d1, d2, row); err != nil {
		return err
	}
	return eachRollup(tx, t.q.Project, 1, d2, last, row)
}

// heldRows is the number of rows that are passed on together, heldRoom their
// approximate size in bytes.
const (
	heldRows = 64
	heldRoom = 32 << 10
)

// gather sums the rows that read passes to a function. Other goroutines sum them,
// because summing a row takes longer than reading it. It returns the error of
// read, and errDamagedSums for a row that does not match its checksum.
func (t *tally) gather(read func(row func(storedRow)) error) error {
	parts := []tally{*t, newTally(t.q)}
	parts = parts[:min(len(parts), runtime.GOMAXPROCS(0))]
	damaged := make([]error, len(parts))
	work := func(worker int, some <-chan []storedRow) {
		for rows := range some {
			for i := range rows {
				damaged[worker] = cmp.Or(damaged[worker], parts[worker].add(&rows[i]))
			}
		}
	}
	err := background.Share(len(parts), work, func(do func([]storedRow)) error {
		var held []storedRow
		var room []byte
		err := read(func(r storedRow) {
			if held == nil {
				held, room = make([]storedRow, 0, heldRows), make([]byte, 0, heldRoom)
			}
			begin := len(room)
			room = append(room, r.parts...)
			r.parts = room[begin:len(room):len(room)]
			if held = append(held, r); len(held) == heldRows {
				do(held)
				held = nil
			}
		})
		do(held)
		return err
	})
	for i := range parts[1:] {
		t.merge(&parts[i+1])
	}
	return cmp.Or(err, cmp.Or(damaged...))
}

// merge adds the groups of o, which is not used any more.
func (t *tally) merge(o *tally) {
	for k, s := range o.at {
		if own := t.at[k]; own != nil {
			own.Merge(s)
		} else {
			t.at[k] = s
		}
	}
}

// add adds a row. It returns errDamagedSums.
func (t *tally) add(row *storedRow) error {
	q := t.q
	parts, err := row.cutSum(row.events, row.parts)
	if err != nil || len(q.Names) > 0 && !slices.Contains(q.Names, row.tool) {
		return err
	}
	period := 0
	if q.Bounds != nil {
		at, exact := slices.BinarySearch(q.Bounds, row.at)
		if period = at; !exact {
			period = max(at-1, 0) // the first period may begin within the hour or day, before its first event
		}
	}
	byModel := q.By == ByModel || len(q.Models) > 0 || q.Prices != nil
	var group *Sums // of all parts, unless they are in groups of their own
	for len(parts) > 0 {
		var p storedPart
		if p, parts, err = cutPart(parts); err != nil {
			return err
		}
		model := ""
		if byModel {
			model = t.model(p.model)
		}
		if len(q.Models) > 0 && !slices.Contains(q.Models, model) || q.Success != nil && *q.Success != p.success || q.Kind != Everything && q.Kind != p.kind {
			continue
		}
		s := group
		if s == nil {
			s = t.group(row.tool, model, p.success, period)
			if q.By != ByModel && q.By != BySuccess {
				group = s
			}
		}
		s.addPart(&p, q.Prices, model)
		if !q.Latency {
			continue
		}
		if err := s.Latencies.mergeStored(p.latencies); err != nil {
			return err
		}
	}
	return nil
}

// model returns a model as a text that stays valid after the row.
func (t *tally) model(name []byte) string {
	own, ok := t.models[string(name)]
	if !ok {
		own = string(name)
		t.models[own] = own
	}
	return own
}

// group returns the sums of the group that a part belongs to.
func (t *tally) group(tool, model string, success bool, period int) *Sums {
	key := ""
	switch t.q.By {
	case ByName:
		key = tool
	case ByModel:
		key = model
	case BySuccess:
		key = map[bool]string{true: "true", false: "false"}[success]
	}
	if t.q.Keys != nil && !slices.Contains(t.q.Keys, key) {
		return t.sums("", true, period)
	}
	return t.sums(key, false, period)
}

// addPart adds a part without its latencies.
func (s *Sums) addPart(p *storedPart, prices Prices, model string) {
	s.Events += p.events
	if !p.success {
		s.Errors += p.events
	}
	switch p.kind {
	case Turns:
		s.Turns += p.events
	case Calls:
		s.Calls += p.events
	}
	s.InputTokens += p.input
	s.OutputTokens += p.output
	if cost, ok := prices.Cost(model, p.input, p.output); ok {
		s.Cost += cost
	}
}

func (t *tally) groups() []Group {
	out := make([]Group, 0, len(t.at))
	for k, s := range t.at {
		out = append(out, Group{Key: k.key, Rest: k.rest, Period: k.period, Sums: *s})
	}
	return out
}
