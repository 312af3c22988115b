package search

import (
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// plan is a compiled search. A record matches when all predicates of one group
// hold; without groups every record matches.
type plan struct {
	fields *Fields
	index  *Index
	groups []*group
	sort   *schema.Property // nil for the order of ids
	desc   bool
	offset int
	limit  int
	gather int // up to how many candidates are collected
	// sampleMany is how many candidates in an even sample mean that there are more
	// than Window.
	sampleMany int
	room       *budget.Page // of the resulting page
	// behind are the records that the index of words lacks; nil if it lacks none, or is
	// not asked.
	behind *loose
}

// group is a conjunction of predicates. Its candidates come from the index of
// driver; rest are the predicates that must be tested on each record.
type group struct {
	all    []*predicate
	driver *source
	rest   []*predicate
	measure
}

// measure is the number of candidates, up to Window+1.
type measure struct {
	count int
	ids   []int64 // the candidates, if counting read them
}

func compile(f *Fields, in Request) (*plan, error) {
	pl := &plan{fields: f, offset: in.Offset, limit: in.Limit}
	if len(in.Sorts) > 0 {
		pl.sort, pl.desc = f.live(in.Sorts[0].Property), in.Sorts[0].Descending
	}
	for _, fg := range in.Groups {
		g := &group{}
		for _, one := range fg {
			ps, err := f.predicates(one)
			if err != nil {
				return nil, err
			}
			for _, p := range ps {
				g.add(p)
			}
		}
		if len(g.all) > 0 {
			pl.groups = append(pl.groups, g)
		}
	}
	terms := tokens(in.Query)
	if in.Query == "" || len(terms) == 0 {
		return pl, nil
	}
	if len(pl.groups) == 0 {
		pl.groups = []*group{{}}
	}
	for _, g := range pl.groups {
		g.add(&predicate{test: matchesText, terms: distinctTerms(terms), searchable: f.Searchable})
	}
	return pl, nil
}

// add adds a predicate, merging ranges of one property.
func (g *group) add(p *predicate) {
	if p.test == inRange && !p.property.Many() {
		for _, o := range g.all {
			if o.test == inRange && o.property == p.property {
				o.narrow(p)
				return
			}
		}
	}
	g.all = append(g.all, p)
}

// needsWords reports whether the index of words has to be current.
func (pl *plan) needsWords() bool {
	return slices.ContainsFunc(pl.groups, func(g *group) bool {
		return slices.ContainsFunc(g.all, func(f *predicate) bool {
			return f.asksWords() && !f.negated // a set is complete with the records that it lacks
		})
	})
}

// asksWords reports whether the index of words is the best one for the predicate.
func (f *predicate) asksWords() bool {
	return f.test == hasToken || f.test == matchesText || f.test == isOneOf && f.property.IsDerived()
}

func (pl *plan) matches(r *schema.Record) bool {
	if len(pl.groups) == 0 {
		return true
	}
	return slices.ContainsFunc(pl.groups, func(g *group) bool { return g.matches(r) })
}

func (g *group) matches(r *schema.Record) bool {
	return !slices.ContainsFunc(g.all, func(p *predicate) bool { return !p.matches(r) })
}

// run returns the page and the total. It collects few candidates, so that the
// count is exact and sorting is cheap. With many it scans records in the
// requested order until the page is full: when many match, the next match is
// near.
func (pl *plan) run(tx *store.Tx) (Page, error) {
	few := len(pl.groups) > 0
	for _, g := range pl.groups {
		ps, err := pl.chooseDriver(tx, g)
		if err != nil {
			return Page{}, err
		}
		if ps != nil {
			return pl.runSets(tx, ps)
		}
		few = few && g.driver != nil && g.count <= pl.gather
	}
	if few {
		return pl.runFew(tx)
	}
	return pl.runMany(tx)
}
