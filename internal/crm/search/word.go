package search

import (
	"slices"
	"strconv"
	"strings"
	"understudy/internal/crm/schema"
	"unicode"
)

// tokens splits a text into words: runs of letters and digits, in lower case.
// NUL is left out, as it is of keys.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(text), "\x00", ""), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

const (
	// maxToken bounds an indexed word; longer ones are cut, and searches look at the record again.
	maxToken = 60
	// maxTokens bounds the words of one value that are indexed.
	maxTokens = 2_000
	// maxDocument bounds the indexed words of a record, in bytes: PostgreSQL keeps no more of one.
	maxDocument = 1_000_000
)

func cutToken(t string) string {
	if len(t) <= maxToken {
		return t
	}
	return strings.ToValidUTF8(t[:maxToken], "")
}

// distinctTerms leaves out the terms of a query that others begin with: a
// record with a word that begins with the longer term has one that begins with
// the shorter.
func distinctTerms(terms []string) []string {
	slices.Sort(terms)
	out := terms[:0]
	for i, t := range terms {
		if i == len(terms)-1 || !strings.HasPrefix(terms[i+1], t) {
			out = append(out, t)
		}
	}
	return out
}

// Words of the index carry their scope, so that one index serves all portals
// and properties: "<portal>p<property>_<word>" for the words of one property,
// "<portal>t<type>_<word>" for those of the searchable properties.
func propertyScope(portal int64, p *schema.Property) string {
	return strconv.FormatInt(portal, 10) + "p" + strconv.FormatInt(p.Number, 10) + "_"
}

func searchScope(portal int64, t schema.Type) string {
	return strconv.FormatInt(portal, 10) + "t" + strconv.FormatInt(int64(t), 10) + "_"
}

// document returns the scoped words of a record, separated by blanks.
func (f *Fields) document(r *schema.Record) string {
	var b strings.Builder
	common := searchScope(f.Portal, r.Type)
	r.Bag.Each(func(name, quoted string) bool {
		p := f.Property(name)
		if p == nil {
			return true
		}
		own, shared := "", ""
		if p.HasWords() {
			own = propertyScope(f.Portal, p)
		}
		if slices.ContainsFunc(f.Searchable, func(s *schema.Property) bool { return s.Name == p.Name }) {
			shared = common
		}
		if own != "" || shared != "" {
			writeWords(&b, schema.Unquote(quoted), own, shared)
		}
		return true
	})
	for _, p := range f.Searchable {
		if p.IsDerived() { // the bag has none of it
			writeWords(&b, r.Value(p), common)
		}
	}
	return b.String()
}

// writeWords writes the words of a value in each of the scopes that are not "".
func writeWords(b *strings.Builder, value string, scopes ...string) {
	for i, t := range tokens(value) {
		if i == maxTokens || b.Len() > maxDocument {
			break
		}
		t = cutToken(t)
		for _, scope := range scopes {
			if scope != "" {
				b.WriteString(scope)
				b.WriteString(t)
				b.WriteByte(' ')
			}
		}
	}
}
