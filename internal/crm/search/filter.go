package search

import (
	"slices"
	"strconv"
	"strings"
	"understudy/internal/crm/schema"
	"unicode/utf8"
)

// test is the kind of comparison that a predicate makes.
type test int

const (
	isOneOf     test = iota // a key of the value is in keys
	hasAllOf                // every key is a key of the value, which is a set
	inRange                 // a key is between the bounds
	hasValue                // there is a value
	hasToken                // the value contains the phrase
	matchesText             // every term is a prefix of a word in a searchable property
	isLinked                // the record is in ids
)

// predicate is a compiled filter. negated inverts the test; with needsValue the
// record must still have a value.
type predicate struct {
	test       test
	property   *schema.Property
	keys       []string
	low, high  bound
	phrase     phrase
	terms      []string
	searchable []*schema.Property
	linkedTo   schema.Type // isLinked: to records of this type
	linkIDs    []int64
	anyLink    bool
	ids        map[int64]bool
	negated    bool
	needsValue bool
}

// bound is an end of a range; unbounded unless set.
type bound struct {
	key    string
	strict bool
	set    bool
}

// matches reports whether a record passes.
func (f *predicate) matches(r *schema.Record) bool {
	switch f.test {
	case isLinked:
		return f.ids[r.ID] != f.negated
	case matchesText:
		return f.matchesText(r)
	}
	v := r.Value(f.property)
	if v == "" {
		return f.negated && !f.needsValue
	}
	return f.holds(v) != f.negated
}

func (f *predicate) holds(v string) bool {
	switch f.test {
	case hasValue:
		return true
	case hasToken:
		return f.phrase.in(v)
	case isOneOf:
		return slices.ContainsFunc(f.property.Keys(v), func(k string) bool { return slices.Contains(f.keys, k) })
	case hasAllOf:
		has := f.property.Keys(v)
		return !slices.ContainsFunc(f.keys, func(k string) bool { return !slices.Contains(has, k) })
	case inRange:
		return slices.ContainsFunc(f.property.Keys(v), f.contains)
	}
	return false
}

// contains reports whether a key is between the bounds.
func (f *predicate) contains(k string) bool {
	if f.low.set && (k < f.low.key || f.low.strict && k == f.low.key) {
		return false
	}
	return !f.high.set || k < f.high.key || !f.high.strict && k == f.high.key
}

func (f *predicate) matchesText(r *schema.Record) bool {
	var words []string
	for _, p := range f.searchable {
		words = append(words, tokens(r.Value(p))...)
	}
	for _, t := range f.terms {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, t) }) {
			return false
		}
	}
	return true
}

// phrase is a sequence of words; a "*" at an end allows a longer word there.
type phrase struct {
	words                   []string
	openStart, openEnd, any bool
}

func parsePhrase(v string) phrase {
	p := phrase{words: tokens(v)}
	inner := strings.Trim(v, "*")
	alnum := func(s string) bool { return len(tokens(s)) > 0 }
	if inner != "" {
		first, last := []rune(inner)[0], []rune(inner)[len([]rune(inner))-1]
		p.openStart = strings.HasPrefix(v, "*") && alnum(string(first))
		p.openEnd = strings.HasSuffix(v, "*") && alnum(string(last))
	}
	p.any = len(p.words) == 0 && strings.Contains(v, "*")
	return p
}

// in reports whether a text contains the phrase.
func (p phrase) in(text string) bool {
	if p.any {
		return true
	}
	n := len(p.words)
	if n == 0 {
		return false
	}
	words := tokens(text)
	for i := 0; i+n <= len(words); i++ {
		if p.at(words[i : i+n]) {
			return true
		}
	}
	return false
}

func (p phrase) at(words []string) bool {
	for i, want := range p.words {
		first, last := i == 0 && p.openStart, i == len(p.words)-1 && p.openEnd
		w := words[i]
		switch {
		case first && last && strings.Contains(w, want):
		case first && !last && strings.HasSuffix(w, want):
		case last && !first && strings.HasPrefix(w, want):
		case !first && !last && w == want:
		default:
			return false
		}
	}
	return true
}

// predicates compiles a filter; a filter on a set may need several.
func (fields *Fields) predicates(f Filter) ([]*predicate, error) {
	if name, ok := strings.CutPrefix(f.Property, "associations."); ok {
		p, err := linkPredicate(name, f)
		return []*predicate{p}, err
	}
	p := fields.live(f.Property)
	if p == nil {
		if f.Property == "" {
			return nil, schema.Invalid("A filter needs a propertyName.")
		}
		return nil, schema.UnknownProperty(f.Property)
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	out := &predicate{property: p}
	var err error
	switch f.Operator {
	case "EQ", "NEQ":
		out.test, out.negated, out.needsValue = isOneOf, f.Operator == "NEQ", true
		if p.Many() {
			return setPredicates(p, f.Operator, *f.Value)
		}
		out.keys, err = filterKeys(p, []string{*f.Value})
	case "IN", "NOT_IN":
		out.test, out.negated, out.needsValue = isOneOf, f.Operator == "NOT_IN", true
		out.keys, err = filterKeys(p, f.Values)
	case "LT", "LTE", "GT", "GTE", "BETWEEN":
		out.test = inRange
		err = out.setBounds(f)
	case "HAS_PROPERTY", "NOT_HAS_PROPERTY":
		out.test, out.negated = hasValue, f.Operator == "NOT_HAS_PROPERTY"
	case "CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN":
		out.test, out.negated = hasToken, f.Operator == "NOT_CONTAINS_TOKEN"
		out.phrase = parsePhrase(*f.Value)
	}
	return []*predicate{out}, err
}

// setPredicates returns the predicates for a set that contains each of the
// elements, or for NEQ lacks one of them.
func setPredicates(p *schema.Property, operator, v string) (out []*predicate, err error) {
	parts := schema.Split(v)
	if len(parts) > maxValues {
		return nil, schema.Invalid("Operator %s on %s can have at most %d values; this one has %d.", operator, p.Name, maxValues, len(parts))
	}
	if len(parts) == 0 {
		parts = []string{""}
	}
	if operator == "NEQ" {
		keys, err := filterKeys(p, parts)
		return []*predicate{{test: hasAllOf, property: p, keys: keys, negated: true, needsValue: true}}, err
	}
	for _, part := range parts {
		keys, err := filterKeys(p, []string{part})
		if err != nil {
			return nil, err
		}
		out = append(out, &predicate{test: isOneOf, property: p, keys: keys})
	}
	return out, nil
}

var operators = []string{"EQ", "NEQ", "LT", "LTE", "GT", "GTE", "BETWEEN", "IN", "NOT_IN", "HAS_PROPERTY", "NOT_HAS_PROPERTY",
	"CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN"}

// complete checks that a filter has the values that its operator needs.
func (f Filter) complete() error {
	switch {
	case !slices.Contains(operators, f.Operator):
		return schema.Invalid("Operator %q is not valid; it must be one of [%s]", f.Operator, strings.Join(operators, ", "))
	case f.Operator == "HAS_PROPERTY" || f.Operator == "NOT_HAS_PROPERTY":
		return nil
	case f.Operator == "IN" || f.Operator == "NOT_IN":
		if len(f.Values) == 0 {
			return schema.Invalid("Operator %s on %s needs values.", f.Operator, f.Property)
		}
		if len(f.Values) > maxValues {
			return schema.Invalid("Operator %s on %s can have at most %d values; this one has %d.", f.Operator, f.Property, maxValues, len(f.Values))
		}
	case f.Value == nil:
		return schema.Invalid("Operator %s on %s needs a value.", f.Operator, f.Property)
	case f.Operator == "BETWEEN" && f.HighValue == nil:
		return schema.Invalid("Operator BETWEEN on %s needs a value and a highValue.", f.Property)
	case strings.HasSuffix(f.Operator, "CONTAINS_TOKEN") && utf8.RuneCountInString(*f.Value) > maxQuery:
		return schema.Invalid("Operator %s on %s can have at most %d characters.", f.Operator, f.Property, maxQuery)
	}
	return nil
}

// filterKeys returns the keys of the values in a filter.
func filterKeys(p *schema.Property, values []string) ([]string, error) {
	out := make([]string, len(values))
	for i, v := range values {
		switch p.Type {
		case "number":
			if !schema.IsNumber(v) {
				return nil, schema.Invalid("%s was not a valid number, which a filter on %s needs.", v, p.Name)
			}
		case "date", "datetime":
			t, ok := schema.ParseTime(v)
			if !ok {
				return nil, schema.Invalid("%s was not a valid date, which a filter on %s needs.", v, p.Name)
			}
			if v = t.Format(schema.ISOMillis); p.Type == "date" && schema.IsMidnight(t) {
				v = t.Format(schema.DateOnly)
			}
		case "bool":
			v = strings.ToLower(v)
		}
		out[i] = p.Key(v)
	}
	return out, nil
}

func (f *predicate) setBounds(in Filter) error {
	keys, err := filterKeys(f.property, []string{*in.Value})
	if err != nil {
		return err
	}
	b := bound{key: keys[0], set: true, strict: in.Operator == "LT" || in.Operator == "GT"}
	switch in.Operator {
	case "LT", "LTE":
		if f.high = b; f.indexed() {
			f.low = bound{strict: true, set: true} // an invalid value has the key ""
		}
		return nil
	case "BETWEEN":
		high, err := filterKeys(f.property, []string{*in.HighValue})
		if err != nil {
			return err
		}
		f.high = bound{key: high[0], set: true}
	}
	f.low = b
	return nil
}

// narrow intersects this range with another of the same property.
func (f *predicate) narrow(o *predicate) {
	if o.low.set && (!f.low.set || o.low.key > f.low.key || o.low.key == f.low.key && o.low.strict) {
		f.low = o.low
	}
	if o.high.set && (!f.high.set || o.high.key < f.high.key || o.high.key == f.high.key && o.high.strict) {
		f.high = o.high
	}
}

// linkPredicate compiles a filter on the pseudo-property associations.<type>.
func linkPredicate(name string, f Filter) (*predicate, error) {
	to, err := schema.ParseType(name)
	if err != nil {
		return nil, err
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	out := &predicate{test: isLinked, linkedTo: to, negated: f.Operator == "NEQ" || strings.HasPrefix(f.Operator, "NOT_")}
	values := f.Values
	switch f.Operator {
	case "EQ", "NEQ":
		values = []string{*f.Value}
	case "IN", "NOT_IN":
	case "HAS_PROPERTY", "NOT_HAS_PROPERTY":
		out.anyLink, values = true, nil
	default:
		return nil, schema.Invalid("Operator %s cannot be used on %s.", f.Operator, f.Property)
	}
	for _, v := range values {
		id, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return nil, schema.Invalid("%s was not a valid record id, which a filter on %s needs.", v, f.Property)
		}
		out.linkIDs = append(out.linkIDs, id)
	}
	return out, nil
}
