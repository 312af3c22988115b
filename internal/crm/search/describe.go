package search

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/crm/schema"
)

// describer extracts from records of one type their words, postings and ranks. It
// caches what it needs of each property. It is not safe for concurrent use.
type describer struct {
	f      *Fields
	common string                // the scope of the searchable properties
	known  map[string]*described // properties by name
	times  []*schema.Property    // ranked properties that are columns of a record
	text   []byte                // the words of the last record
}

// described is what a describer caches of a property; p is nil for an unknown
// name.
type described struct {
	p           *schema.Property
	own, shared string // the scopes of its words, "" for none
	ranked      bool
}

func newDescriber(f *Fields) *describer {
	d := &describer{f: f, common: searchScope(f.Portal, f.Type), known: map[string]*described{}}
	for _, name := range []string{"createdate", f.Type.ModifiedName()} {
		if p := f.Property(name); p != nil && isRanked(p) {
			d.times = append(d.times, p)
		}
	}
	return d
}

func isRanked(p *schema.Property) bool { return p.Ranked() && !p.Many() }

func (d *describer) property(name string) *described {
	if of := d.known[name]; of != nil {
		return of
	}
	of := &described{p: d.f.Property(name)}
	if p := of.p; p != nil {
		if of.ranked = isRanked(p); p.HasWords() {
			of.own = propertyScope(d.f.Portal, p)
		}
		if slices.ContainsFunc(d.f.Searchable, func(s *schema.Property) bool { return s.Name == p.Name }) {
			of.shared = d.common
		}
	}
	d.known[name] = of
	return of
}

// document returns the scoped words of a record, separated by blanks. It adds the
// record's postings and ranks to e unless that is nil.
func (d *describer) document(r *schema.Record, e *entry) string {
	d.text = d.text[:0]
	r.Bag.Each(func(name, quoted string) bool {
		of := d.property(name)
		if of.p == nil {
			return true
		}
		value := schema.Unquote(quoted)
		if of.own != "" || of.shared != "" {
			d.text = appendWords(d.text, value, of.own, of.shared)
		}
		if e != nil {
			d.values(e, of, value)
		}
		return true
	})
	for _, p := range d.f.Searchable {
		if p.IsDerived() { // not stored in the bag
			d.text = appendWords(d.text, r.Value(p), d.common, "")
		}
	}
	document := string(d.text)
	if e == nil {
		return document
	}
	e.add(liveRecords(d.f))
	for _, p := range d.times {
		n, ok := p.RankIn(r)
		e.ranks = append(e.ranks, ranked{ranking{d.f.Portal, p.Number}, rank{n, !ok}})
	}
	for w := range strings.FieldsSeq(document) {
		e.add(posting{d.f.Portal, 0, w})
	}
	return document
}

// values adds the postings and the rank of a value.
func (d *describer) values(e *entry, of *described, value string) {
	e.add(withValue(d.f, of.p))
	if of.p.Many() {
		for _, k := range of.p.Keys(value) {
			if k != "" {
				e.add(posting{d.f.Portal, of.p.Number, k})
			}
		}
		return
	}
	k := of.p.Key(value)
	if k == "" {
		return
	}
	e.add(posting{d.f.Portal, of.p.Number, k})
	if of.ranked {
		n, ok := of.p.Rank(k)
		e.ranks = append(e.ranks, ranked{ranking{d.f.Portal, of.p.Number}, rank{n, !ok}})
	}
}

// propertyScope returns the scope of the words of one property. Words of the
// index have a scope as prefix, so that one index serves all portals and
// properties: "<portal>p<property>_<word>" for one property,
// "<portal>t<type>_<word>" for all searchable properties.
func propertyScope(portal int64, p *schema.Property) string {
	return strconv.FormatInt(portal, 10) + "p" + strconv.FormatInt(p.Number, 10) + "_"
}

func searchScope(portal int64, t schema.Type) string {
	return strconv.FormatInt(portal, 10) + "t" + strconv.FormatInt(int64(t), 10) + "_"
}

// appendWords appends the words of a value in each scope that is not "".
func appendWords(b []byte, value, own, shared string) []byte {
	n := 0
	eachToken(value, func(t string) bool {
		if n == maxTokens || len(b) > maxDocument {
			return false
		}
		n++
		t = cutToken(t)
		if own != "" {
			b = append(append(append(b, own...), t...), ' ')
		}
		if shared != "" {
			b = append(append(append(b, shared...), t...), ' ')
		}
		return true
	})
	return b
}

// eachToken calls f with each word of tokens until it returns false.
func eachToken(text string, f func(string) bool) {
	lower := strings.ToLower(text)
	if !isPlain(lower) {
		for _, t := range tokens(text) {
			if !f(t) {
				return
			}
		}
		return
	}
	start := -1
	for i := range len(lower) {
		switch c := lower[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			if start < 0 {
				start = i
			}
		case start >= 0:
			if !f(lower[start:i]) {
				return
			}
			start = -1
		}
	}
	if start >= 0 {
		f(lower[start:])
	}
}

// isPlain reports whether a text is ASCII without NUL.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c == 0 {
			return false
		}
	}
	return true
}
