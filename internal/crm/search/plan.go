package search

import (
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// plan is a search made ready. Records match when one of the groups holds
// whole; no group stands for every record.
type plan struct {
	fields *Fields
	index  *Index
	groups []*group
	sort   *schema.Property // nil is the order of ids
	desc   bool
	offset int
	limit  int
	gather int // up to how many candidates are gathered
	// sampleMany is how many candidates of an even sample show that there are more than Window.
	sampleMany int
	room       *budget.Page // of the page that is found
}

// group is predicates that must all hold. driver is the one whose index leads
// to the candidates, probes are those that the same statement asks, rest are
// those that have to look at the record.
type group struct {
	all    []*predicate
	driver *source
	rest   []*predicate
	measure
}

// measure is how many candidates there are, up to Window+1.
type measure struct {
	count int
	ids   []int64 // the candidates, where finding out how many there are meant to read them
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

// add adds a predicate; ranges of one property become one.
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

func (pl *plan) needsWords() bool {
	return slices.ContainsFunc(pl.groups, func(g *group) bool {
		return slices.ContainsFunc(g.all, (*predicate).asksWords)
	})
}

// asksWords reports whether the index of words is the one to ask first.
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

// run finds the page and counts. Few candidates are gathered, which makes the
// count exact and any order cheap. Many are not: then records are walked
// through in the order that is wanted until the page is full, since when many
// match, the next match is never far.
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
