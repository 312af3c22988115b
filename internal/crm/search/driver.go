package search

import (
	"slices"

	"understudy/internal/platform/store"
)

// fewCandidates is up to how many candidates are read rather than combined as
// sets.
const fewCandidates = 1_000

// chooseDriver chooses the index that yields the fewest candidates as the driver
// of g. If all yield many, it returns the postings, unless too many records are
// newer, for the caller to use instead. It returns errLoose if the index of words is
// behind and there are no postings.
func (pl *plan) chooseDriver(tx *store.Tx, g *group) (*postings, error) {
	most := min(pl.gather, fewCandidates) + 1
	driver, err := pl.narrowest(tx, g, most)
	if err != nil {
		return nil, err
	}
	if g.driver == nil || g.count >= most {
		if ps, err := pl.index.open(tx, pl.fields); ps != nil || err != nil {
			return ps, err
		}
		if pl.behind != nil {
			return nil, errLoose
		}
		if driver, err = pl.narrowest(tx, g, Window+1); err != nil {
			return nil, err
		}
	}
	var sure []*predicate // predicates that every candidate passes
	if driver != nil && g.driver.exact {
		sure = []*predicate{driver}
	}
	if g.driver != nil && g.count > pl.gather {
		s, passed, err := pl.allWords(tx, g)
		if err != nil {
			return nil, err
		}
		if s != nil {
			m, err := s.measure(tx, Window+1)
			if err != nil {
				return nil, err
			}
			if m.count <= g.count {
				g.driver, g.measure, driver, sure = s, m, nil, passed
			}
		}
	}
	return nil, pl.divide(tx, g, driver, sure)
}

// narrowest sets the driver of a group to the index that yields the fewest
// candidates, counted up to most, and returns its predicate; nil when no
// predicate has an index.
func (pl *plan) narrowest(tx *store.Tx, g *group, most int) (driver *predicate, err error) {
	g.driver = nil
	for _, p := range byPromise(g.all) {
		s, err := pl.source(tx, p)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		m, err := s.measure(tx, most)
		if err != nil {
			return nil, err
		}
		if g.driver == nil || m.count < g.count {
			g.driver, g.measure, driver = s, m, p
		}
		if m.count <= 200 {
			break
		}
	}
	return driver, nil
}

// maxProbes bounds the probes of one statement: with very many elements, planning
// the statement would take longer than reading the records.
const maxProbes = maxGroupFilters

// divide adds predicates to the driver's statement where possible, and to g.rest
// otherwise. It skips those in sure.
func (pl *plan) divide(tx *store.Tx, g *group, driver *predicate, sure []*predicate) error {
	probes := g.driver != nil && g.ids == nil && (driver != nil || g.count <= pl.gather)
	probed := 0
	for _, p := range g.all {
		switch {
		case slices.Contains(sure, p):
		case probes && probed < maxProbes && p != driver && p.test == isOneOf && !p.negated && p.indexed():
			g.driver.probe(tx.Dialect(), pl.fields.Portal, p)
			probed++
		default:
			g.rest = append(g.rest, p)
		}
	}
	if probed == 0 || g.count <= pl.gather {
		return nil
	}
	// With the probes, few candidates may remain.
	ids, err := sourceIDs(tx, g.driver, pl.gather+1)
	if g.count = len(ids); g.count <= pl.gather {
		g.ids = ids
	}
	return err
}

// byPromise sorts predicates by how few candidates they are likely to yield.
func byPromise(all []*predicate) []*predicate {
	out := slices.Clone(all)
	rank := func(p *predicate) int {
		switch {
		case p.negated:
			return 9
		case p.test == isLinked:
			return 0
		case p.test == isOneOf && p.property.HasUniqueValue:
			return 1
		case p.test == isOneOf:
			return 2
		case p.test == matchesText, p.test == hasToken:
			return 3
		case p.test == inRange:
			return 4
		}
		return 5
	}
	slices.SortStableFunc(out, func(a, b *predicate) int { return rank(a) - rank(b) })
	return out
}

// indexed reports whether the value table contains the property.
func (f *predicate) indexed() bool {
	return f.property != nil && f.property.Column() == "" && !f.property.IsDerived()
}
