package search

import (
	"errors"
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

// fewCandidates is how many candidates are read rather than put together as sets, where there are sets.
const fewCandidates = 1_000

// chooseDriver picks the index that leaves the fewest candidates. Where all
// leave very many it returns the postings, if there are any: they answer then.
func (pl *plan) chooseDriver(tx *store.Tx, g *group) (*postings, error) {
	most := Window + 1
	if behindWrites(tx) {
		most = min(pl.gather, fewCandidates) + 1
	}
	driver, err := pl.narrowest(tx, g, most)
	if err != nil {
		return nil, err
	}
	if g.driver == nil || g.count >= most {
		if ps, err := pl.index.open(tx, pl.fields); ps != nil || err != nil {
			return ps, err
		}
		if driver, err = pl.narrowest(tx, g, Window+1); err != nil {
			return nil, err
		}
	}
	var sure []*predicate // every candidate passes them
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

// narrowest makes the index that leaves the fewest candidates, counted up to
// most, the driver of a group, and returns its predicate; nil when none has an index.
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

// maxProbes bounds what one statement asks besides: a set of many elements
// would have the database think about it for longer than reading the records takes.
const maxProbes = maxGroupFilters

// divide has the driver's statement ask what it can of the predicates that not
// every candidate passes; the others have to look at the record.
func (pl *plan) divide(tx *store.Tx, g *group, driver *predicate, sure []*predicate) error {
	probes := g.driver != nil && g.ids == nil && (driver != nil || g.count <= pl.gather)
	probed := 0
	for _, p := range g.all {
		switch {
		case slices.Contains(sure, p):
		case probes && probed < maxProbes && p != driver && p.test == isOneOf && !p.negated && p.indexed():
			g.driver.probe(pl.fields.Portal, p)
			probed++
		default:
			g.rest = append(g.rest, p)
		}
	}
	if probed == 0 || g.count <= pl.gather {
		return nil
	}
	// The probes may leave few of many candidates.
	ids, err := sourceIDs(tx, g.driver, pl.gather+1)
	if g.count = len(ids); g.count <= pl.gather {
		g.ids = ids
	}
	return err
}

// byPromise puts the predicates first that are likely to leave few candidates.
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

// indexed reports whether the value table has the property.
func (f *predicate) indexed() bool {
	return f.property != nil && f.property.Column() == "" && !f.property.IsDerived()
}

// runFew gathers all matches.
func (pl *plan) runFew(tx *store.Tx) (Page, error) {
	set := map[int64]bool{}
	for _, g := range pl.groups {
		ids := g.ids
		if ids == nil {
			var err error
			if ids, err = sourceIDs(tx, g.driver, Window+1); err != nil {
				return Page{}, err
			}
		}
		if len(g.rest) > 0 {
			var err error
			if ids, err = pl.filterIDs(tx, g, ids); err != nil {
				return Page{}, err
			}
		}
		for _, id := range ids {
			set[id] = true
		}
	}
	ids := make([]int64, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	total := len(ids)
	var err error
	if pl.sort != nil && pl.limit > 0 && pl.offset < total {
		if ids, err = pl.order(tx, ids, func(id int64) bool { return set[id] }); err != nil {
			return Page{}, err
		}
	}
	return pl.page(tx, ids, total)
}

// page reads the records of the page from all matches in order. It ends the
// page earlier when its records fill a reply.
func (pl *plan) page(tx *store.Tx, ids []int64, total int) (Page, error) {
	out := Page{Total: total}
	ids = ids[min(pl.offset, len(ids)):min(pl.offset+pl.limit, len(ids))]
	end := pl.offset + pl.limit
	records, err := readRecordsWith(tx, pl.fields, ids, pl.addRecord)
	if errors.Is(err, errFull) { // they were not read in the order that is wanted
		records = map[int64]*schema.Record{}
		pl.room = pl.room.Again()
		for i, id := range ids {
			if pl.room.Full() {
				ids, end = ids[:i], pl.offset+i
				break
			}
			one, err := readRecordsWith(tx, pl.fields, []int64{id}, func(r *schema.Record) error { return pl.room.Add(len(r.Bag)) })
			if err != nil {
				return out, err
			}
			records[id] = one[id]
		}
	} else if err != nil {
		return out, err
	}
	for _, id := range ids {
		if r := records[id]; r != nil {
			out.Records = append(out.Records, r)
		}
	}
	if pl.limit > 0 && end < total && end < Window {
		out.Next = end
	}
	return out, nil
}

// errFull ends the reading of records that fill a reply.
var errFull = errors.New("the page is full")

// addRecord counts a record of the page. It returns errFull when the page was
// full without it, and budget.Exhausted.
func (pl *plan) addRecord(r *schema.Record) error {
	if pl.room.Full() {
		return errFull
	}
	return pl.room.Add(len(r.Bag))
}

// filterIDs keeps the candidates that pass what no index could ask.
func (pl *plan) filterIDs(tx *store.Tx, g *group, ids []int64) (out []int64, err error) {
	for chunk := range slices.Chunk(ids, 500) {
		records, err := readRecords(tx, pl.fields, chunk)
		if err != nil {
			return nil, err
		}
		for _, id := range chunk {
			if r := records[id]; r != nil && r.Archived == 0 && !slices.ContainsFunc(g.rest, func(p *predicate) bool { return !p.matches(r) }) {
				out = append(out, id)
			}
		}
	}
	return out, nil
}

// sortInMemory is up to how many matches are read to be sorted.
const sortInMemory = 1_000

// order sorts matches by the property that is wanted. For many matches it
// reads along the index of that property until the page is reached.
func (pl *plan) order(tx *store.Tx, ids []int64, has func(id int64) bool) ([]int64, error) {
	if len(ids) <= sortInMemory || !pl.walkable() {
		return pl.orderInMemory(tx, ids)
	}
	var out []int64
	seen := map[int64]bool{}
	w := pl.walker(nil, false)
	for len(out) < pl.offset+pl.limit {
		rows, err := w.next(tx, 1000)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			if has(r.ID) && !seen[r.ID] {
				out, seen[r.ID] = append(out, r.ID), true
			}
		}
	}
	for _, id := range ids { // without a value, or after the page
		if len(out) >= pl.offset+pl.limit {
			break
		}
		if !seen[id] {
			out = append(out, id)
		}
	}
	return out, nil
}

func (pl *plan) orderInMemory(tx *store.Tx, ids []int64) ([]int64, error) {
	type entry struct {
		key string
		id  int64
	}
	var with []entry
	var without []int64
	for chunk := range slices.Chunk(ids, 500) {
		records, err := readRecords(tx, pl.fields, chunk)
		if err != nil {
			return nil, err
		}
		for _, id := range chunk {
			v := ""
			if r := records[id]; r != nil {
				v = r.Value(pl.sort)
			}
			if v == "" {
				without = append(without, id)
				continue
			}
			keys := pl.sort.Keys(v)
			key := slices.Min(keys)
			if pl.desc {
				key = slices.Max(keys)
			}
			with = append(with, entry{key, id})
		}
	}
	slices.SortFunc(with, func(a, b entry) int {
		n := 0
		switch {
		case a.key < b.key:
			n = -1
		case a.key > b.key:
			n = 1
		default:
			n = int(a.id - b.id)
		}
		if pl.desc {
			return -n
		}
		return n
	})
	out := make([]int64, 0, len(ids))
	for _, e := range with {
		out = append(out, e.id)
	}
	return append(out, without...), nil
}
