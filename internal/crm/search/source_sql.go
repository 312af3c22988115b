package search

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// source is an index that yields ids of candidates.
type source struct {
	table    string // with its alias
	id       string // the column of ids
	where    string
	args     []any
	distinct bool // an id may occur more than once
	byID     bool // cheap to read in the order of ids
	exact    bool // every candidate passes the predicate
	costly   bool // counting costs as much as reading, so both are done at once
	sample   *sample
}

// sample is an even sample of a source. many of its candidates mean that the
// source has more than Window.
type sample struct {
	*source
	many  int
	quick bool // fast enough to read before the source itself
}

// source returns the index for a predicate, or nil.
func (pl *plan) source(tx *store.Tx, p *predicate) (*source, error) {
	portal := pl.fields.Portal
	switch {
	case p.test == isLinked:
		return pl.linkSource(p), nil
	case p.asksWords():
		if words, exact := pl.impliedWords(p); len(words) > 0 {
			return pl.wordsSource(tx, words, exact)
		}
	}
	if p.negated && !p.needsValue {
		return nil, nil
	}
	switch p.property.Column() {
	case "id":
		return pl.idSource(p), nil
	case "created", "updated":
		return pl.timeSource(p), nil
	}
	if !p.indexed() {
		return nil, nil
	}
	if p.test == isOneOf && p.negated && !p.property.Many() && len(p.keys) <= maxGaps {
		return pl.othersSource(p), nil
	}
	s := &source{table: "crm_value v", id: "v.record", where: "v.portal = ? AND v.property = ?", args: []any{portal, p.property.Number},
		distinct: p.property.Many(), exact: !p.negated}
	switch {
	case p.negated || p.test == hasValue || p.test == hasToken:
		s.exact = p.test == hasValue && !p.negated
	case p.test == isOneOf && len(p.keys) == 1:
		s.where, s.byID, s.distinct = s.where+" AND v.value = ?", true, false
		s.args = append(s.args, p.keys[0])
	case p.test == isOneOf:
		s.where += " AND v.value IN " + store.In(len(p.keys))
		for _, k := range p.keys {
			s.args = append(s.args, k)
		}
	case p.test == inRange:
		where, args := rangeSQL(p, "v.value", func(k string) any { return k })
		s.where, s.args = s.where+where, append(s.args, args...)
	}
	return s, nil
}

// maxGaps bounds the keys between which othersSource reads the gaps.
const maxGaps = 20

// othersSource returns the records whose value is none of the keys: those before,
// between and after the keys in the index.
func (pl *plan) othersSource(p *predicate) *source {
	keys := slices.Compact(slices.Sorted(slices.Values(p.keys)))
	s := &source{id: "v.record", where: "1 = 1", exact: true}
	var gaps []string
	for i := range len(keys) + 1 {
		gap := "SELECT record FROM crm_value WHERE portal = ? AND property = ?"
		s.args = append(s.args, pl.fields.Portal, p.property.Number)
		if i > 0 {
			gap, s.args = gap+" AND value > ?", append(s.args, keys[i-1])
		}
		if i < len(keys) {
			gap, s.args = gap+" AND value < ?", append(s.args, keys[i])
		}
		gaps = append(gaps, gap)
	}
	s.table = "(" + strings.Join(gaps, " UNION ALL ") + ") v"
	return s
}

// rangeSQL returns the condition of a range on a column.
func rangeSQL(p *predicate, column string, convert func(string) any) (where string, args []any) {
	if p.low.set {
		where += " AND " + column + map[bool]string{false: " >= ?", true: " > ?"}[p.low.strict]
		args = append(args, convert(p.low.key))
	}
	if p.high.set {
		where += " AND " + column + map[bool]string{false: " <= ?", true: " < ?"}[p.high.strict]
		args = append(args, convert(p.high.key))
	}
	return where, args
}

// microsOf returns the microseconds of the key of a time.
func microsOf(key string) any {
	t, _ := time.Parse(schema.ISOMillis, key)
	return t.UnixMicro()
}

func (pl *plan) timeSource(p *predicate) *source {
	column := "r." + p.property.Column()
	s := &source{table: "crm_record r", id: "r.id", where: "r.portal = ? AND r.type = ? AND r.archived = 0", args: []any{pl.fields.Portal, pl.fields.Type}, exact: !p.negated}
	switch {
	case p.negated || p.test == hasValue || p.test == hasToken:
		return nil
	case p.test == isOneOf:
		s.where += " AND " + column + " IN " + store.In(len(p.keys))
		for _, k := range p.keys {
			s.args = append(s.args, microsOf(k))
		}
	default:
		where, args := rangeSQL(p, column, microsOf)
		s.where, s.args = s.where+where, append(s.args, args...)
	}
	return s
}

// idSource returns a source for equality of ids; ranges of ids are scanned.
func (pl *plan) idSource(p *predicate) *source {
	if p.negated || p.test != isOneOf {
		return nil
	}
	s := &source{table: "crm_record r", id: "r.id", where: "r.portal = ? AND r.type = ? AND r.archived = 0 AND r.id IN " + store.In(len(p.keys)),
		args: []any{pl.fields.Portal, pl.fields.Type}, exact: true}
	for _, k := range p.keys {
		id := int64(-1) // of no record, for fractions and other invalid ids
		if f := schema.NumberOfKey(k); f == math.Trunc(f) && f > 0 && f < 1<<53 {
			id = int64(f)
		}
		s.args = append(s.args, id)
	}
	return s
}

func (pl *plan) linkSource(p *predicate) *source {
	if p.negated || p.anyLink || len(p.linkIDs) == 0 {
		return nil
	}
	s := &source{table: "crm_association a", id: "a.to_record", where: "a.portal = ? AND a.from_type = ? AND a.to_type = ? AND a.from_record IN " +
		store.In(len(p.linkIDs)), args: []any{pl.fields.Portal, p.linkedTo, pl.fields.Type}, distinct: true, exact: true}
	for _, id := range p.linkIDs {
		s.args = append(s.args, id)
	}
	return s
}

// loadLinks reads the linked records of link predicates.
func (pl *plan) loadLinks(tx *store.Tx) error {
	for _, g := range pl.groups {
		for _, p := range g.all {
			if p.test != isLinked {
				continue
			}
			if err := pl.followMerges(tx, p); err != nil {
				return err
			}
			s := pl.linkSource(&predicate{linkedTo: p.linkedTo, linkIDs: p.linkIDs})
			if p.anyLink {
				s = &source{table: "crm_association a", id: "a.from_record", where: "a.portal = ? AND a.from_type = ? AND a.to_type = ?",
					args: []any{pl.fields.Portal, pl.fields.Type, p.linkedTo}, distinct: true}
			}
			p.ids = map[int64]bool{}
			ids, err := sourceIDs(tx, s, 1<<31)
			if err != nil {
				return err
			}
			for _, id := range ids {
				p.ids[id] = true
			}
		}
	}
	return nil
}

// followMerges replaces the ids of merged records by those of their survivors.
func (pl *plan) followMerges(tx *store.Tx, p *predicate) error {
	for i, id := range p.linkIDs {
		survivor, err := survivorOf(tx, pl.fields.Portal, p.linkedTo, id)
		if err != nil {
			return err
		}
		p.linkIDs[i] = survivor
	}
	return nil
}

// probe adds a test of another predicate, in the value table, to the source's
// statement. On PostgreSQL each candidate is looked up: of a table that grew since the
// last ANALYZE the planner expects so few rows with the value that it reads them all
// for each candidate.
func (s *source) probe(d *store.Dialect, portal int64, p *predicate) {
	s.where += " AND EXISTS (SELECT 1 FROM crm_value x WHERE x.portal = ? AND x.property = ? AND x.value IN " + store.In(len(p.keys)) +
		" AND x.record = " + s.id
	if d == store.PostgreSQL {
		s.where += " OFFSET 0"
	}
	s.where += ")"
	s.args = append(s.args, portal, p.property.Number)
	for _, k := range p.keys {
		s.args = append(s.args, k)
	}
}

func (s *source) selectIDs() string {
	if s.distinct {
		return "SELECT DISTINCT " + s.id + " AS id FROM " + s.table + " WHERE " + s.where
	}
	return "SELECT " + s.id + " AS id FROM " + s.table + " WHERE " + s.where
}

// measure counts the candidates up to most. If a sample shows that there are
// many, it returns Window+1 without counting.
func (s *source) measure(tx *store.Tx, most int) (m measure, err error) {
	if s.sample != nil && s.sample.quick {
		n, err := countSource(tx, s.sample.source, s.sample.many)
		if err != nil {
			return m, err
		}
		if n == s.sample.many {
			s.byID = false // reading so many is not cheap before the first candidate
			return measure{count: Window + 1}, nil
		}
	}
	if s.costly {
		m.ids, err = sourceIDs(tx, s, most)
		m.count = len(m.ids)
		return m, err
	}
	m.count, err = countSource(tx, s, most)
	return m, err
}

// countSource counts the candidates up to most.
func countSource(tx *store.Tx, s *source, most int) (n int, err error) {
	_, err = tx.Get("SELECT COUNT(*) FROM ("+s.selectIDs()+" LIMIT "+strconv.Itoa(most)+") c", s.args, &n)
	return n, err
}

// sourceIDs returns at most n ids, in no order.
func sourceIDs(tx *store.Tx, s *source, n int) ([]int64, error) {
	out := []int64{} // not nil, which would mean that the candidates are unknown
	err := tx.Each(s.selectIDs()+" LIMIT "+strconv.Itoa(n), s.args, func(r store.Row) error {
		var id int64
		err := r.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}
