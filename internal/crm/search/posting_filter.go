package search

import "slices"

// of returns the set of records that pass a predicate. If not exact, the set (nil
// for all records) contains others too, and each record must be tested.
func (ps *postings) of(pl *plan, p *predicate) (out set, exact bool, err error) {
	switch {
	case p.test == isLinked:
		return ps.linked(p)
	case p.asksWords() && (p.test != isOneOf || !p.negated):
		return ps.withWords(pl, p)
	case p.property.Column() != "":
		return ps.ofColumn(pl, p)
	case !p.indexed():
		return nil, false, nil
	}
	has := func() (set, error) { return ps.read(withValue(ps.f, p.property)) }
	switch p.test {
	case hasValue:
		if out, err = has(); err != nil || !p.negated {
			return out, true, err
		}
		return ps.complement(out)
	case isOneOf:
		out = ps.empty()
		for _, k := range p.keys {
			if k == "" { // an invalid value has no posting
				return nil, false, nil
			}
			of, err := ps.read(posting{ps.f.Portal, p.property.Number, k})
			if err != nil {
				return nil, false, err
			}
			out.union(of)
		}
	case hasAllOf:
		for _, k := range p.keys {
			if k == "" {
				return nil, false, nil
			}
			of, err := ps.read(posting{ps.f.Portal, p.property.Number, k})
			if err != nil {
				return nil, false, err
			}
			if out == nil {
				out = of
			}
			out.intersect(of)
		}
	case inRange:
		return ps.inRange(pl, p, has)
	default:
		return nil, false, nil
	}
	if !p.negated {
		return out, true, nil
	}
	all, err := has() // a negated comparison requires a value
	if err != nil {
		return nil, false, err
	}
	return all.minus(out), true, nil
}

// complement returns the live records that are not in a set.
func (ps *postings) complement(of set) (set, bool, error) {
	live, err := ps.read(liveRecords(ps.f))
	if err != nil {
		return nil, false, err
	}
	return live.minus(of), true, nil
}

func (ps *postings) linked(p *predicate) (set, bool, error) {
	out := ps.empty()
	for id := range p.ids {
		out.add(id)
	}
	if p.negated {
		return ps.complement(out)
	}
	return out, true, nil
}

// ofColumn is of for ids and times, which every record has.
func (ps *postings) ofColumn(pl *plan, p *predicate) (set, bool, error) {
	live := func() (set, error) { return ps.read(liveRecords(ps.f)) }
	switch {
	case p.test == hasValue:
		out, err := live()
		if err != nil || !p.negated {
			return out, true, err
		}
		return ps.empty(), true, nil
	case p.test == inRange && p.property.Column() == "id":
		return ps.idsInRange(p), true, nil
	case p.test == inRange:
		return ps.inRange(pl, p, live)
	case p.test == isOneOf:
		positive := *p
		positive.negated = false
		s, err := pl.source(ps.tx, &positive)
		if err != nil || s == nil {
			return nil, false, err
		}
		out, err := ps.all(s)
		if err != nil || !p.negated {
			return out, true, err
		}
		return ps.complement(out)
	}
	return nil, false, nil
}

// inRange returns the records in a range. If few values are inside or outside of
// it, it reads those from the index; otherwise it compares ranks, for values that
// have them.
func (ps *postings) inRange(pl *plan, p *predicate, has func() (set, error)) (set, bool, error) {
	inside, err := pl.source(ps.tx, p)
	if err != nil || inside == nil {
		return nil, false, err
	}
	most := ps.most
	if p.ranked() {
		most = min(most, fewCandidates*2)
	}
	out, few, err := ps.listed(inside, most)
	if err != nil || few {
		return out, true, err
	}
	if !p.property.Many() {
		without, few := ps.empty(), true
		for _, s := range pl.outside(p) {
			var of set
			if of, few, err = ps.listed(s, most); err != nil || !few {
				break
			}
			without.union(of)
		}
		if err != nil {
			return nil, false, err
		}
		if few {
			all, err := has()
			if err != nil {
				return nil, false, err
			}
			return all.minus(without), true, nil
		}
	}
	if p.ranked() {
		out, err = ps.ranked(pl, p, has)
	} else {
		out, err = ps.all(inside)
	}
	return out, true, err
}

const (
	// maxTerms is the most words with a common prefix whose sets are read one by one.
	maxTerms = 20
	// maxTermsFirst is the same for sets that are read before the records are listed.
	maxTermsFirst = 4
)

// withWords is of for tests of words.
func (ps *postings) withWords(pl *plan, p *predicate) (set, bool, error) {
	positive := *p
	positive.negated = false
	words, exact := pl.impliedWords(&positive)
	if len(words) == 0 {
		return nil, false, nil
	}
	var out set
	for _, w := range words {
		of, err := ps.ofWord(pl, w)
		if err != nil {
			return nil, false, err
		}
		if out == nil {
			out = of
		}
		out.intersect(of)
	}
	if !p.negated {
		return out, exact, nil
	}
	if !exact {
		// The words may occur without a match, so test each record before taking the
		// complement.
		var err error
		if out, err = ps.passing(pl, out, []*predicate{&positive}); err != nil {
			return nil, false, err
		}
	}
	return ps.complement(out)
}

// ofWord returns the records with a word, or with any of the words that begin with it.
func (ps *postings) ofWord(pl *plan, w scopedWord) (set, error) {
	if !w.prefix {
		return ps.read(posting{ps.f.Portal, 0, w.text()})
	}
	if isBeside(ps.tx) { // it reads a row for each record that it lists; a few sets are shorter
		terms, few, err := ps.terms(w, maxTermsFirst)
		if err != nil {
			return nil, err
		}
		if few {
			return ps.ofTerms(terms)
		}
	}
	s, err := pl.wordsSource(ps.tx, []scopedWord{w}, false)
	if err != nil {
		return nil, err
	}
	if out, few, err := ps.listed(s, ps.most); err != nil || few {
		return out, err
	}
	terms, few, err := ps.terms(w, maxTerms)
	if err != nil {
		return nil, err
	}
	if !few {
		return ps.all(s)
	}
	return ps.ofTerms(terms)
}

// ofTerms returns the records with any of some words of the index.
func (ps *postings) ofTerms(terms []string) (set, error) {
	out := ps.empty()
	for _, term := range slices.Compact(terms) {
		of, err := ps.read(posting{ps.f.Portal, 0, term})
		if err != nil {
			return nil, err
		}
		out.union(of)
	}
	return out, nil
}
