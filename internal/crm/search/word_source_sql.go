package search

import (
	"slices"
	"strconv"
	"strings"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// scopedWord is a word of the index, or a prefix of one.
type scopedWord struct {
	scope, word string
	prefix      bool
}

func (w scopedWord) text() string { return w.scope + w.word }

func scoped(scope string, words []string, prefix bool) []scopedWord {
	out := make([]scopedWord, len(words))
	for i, w := range words {
		out[i] = scopedWord{scope, cutToken(w), prefix || len(w) > maxToken}
	}
	return out
}

// longest reports whether a word is as long as an indexed word can be, so that it
// may have been cut.
func longest(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return len(w) >= maxToken })
}

// impliedWords returns words that every record has that passes a predicate. If
// exact, every record with the words passes.
func (pl *plan) impliedWords(p *predicate) (words []scopedWord, exact bool) {
	portal := pl.fields.Portal
	if p.test == matchesText {
		return scoped(searchScope(portal, pl.fields.Type), p.terms, true), !longest(p.terms)
	}
	if p.negated || p.property == nil {
		return nil, false
	}
	scope, own := pl.wordScope(p.property)
	if scope == "" {
		return nil, false
	}
	switch p.test {
	case hasToken:
		plain := p.phrase.words
		if len(plain) > 0 && p.phrase.openStart {
			plain = plain[1:]
		}
		if words = scoped(scope, plain, false); len(words) > 0 {
			words[len(words)-1].prefix = words[len(words)-1].prefix || p.phrase.openEnd
		}
		return words, own && len(p.phrase.words) == 1 && !longest(plain)
	case isOneOf:
		// Not all words of a set or a long text are indexed.
		if len(p.keys) == 1 && len(p.keys[0]) < schema.MaxKey/2 && !p.property.Many() {
			return scoped(scope, tokens(p.keys[0]), false), false
		}
	}
	return nil, false
}

// wordScope returns the scope in which the words of a property's values are
// indexed, "" when they are not. own is false for a derived property: its scope
// also contains other words.
func (pl *plan) wordScope(p *schema.Property) (scope string, own bool) {
	td := pl.fields
	switch {
	case p.HasWords() && p.Column() == "" && !p.IsDerived():
		return propertyScope(pl.fields.Portal, p), true
	case p.Name == "hs_email_domain":
		return propertyScope(pl.fields.Portal, td.Property("email")), false
	case p.Name == "hs_full_name_or_email":
		for _, part := range []string{"firstname", "lastname", "email"} {
			if !slices.Contains(td.Searchable, td.Property(part)) {
				return "", false
			}
		}
		return searchScope(pl.fields.Portal, pl.fields.Type), false
	}
	return "", false
}

// allWords returns a source that combines all predicates of a group that the
// index of words can test, and the predicates that need no further test. It
// returns nil for fewer than two such predicates, and if the index is behind the
// writes.
func (pl *plan) allWords(tx *store.Tx, g *group) (s *source, sure []*predicate, err error) {
	var all []scopedWord
	n := 0
	for _, p := range g.all {
		words, exact := pl.impliedWords(p)
		if len(words) == 0 {
			continue
		}
		n++
		all = append(all, words...)
		if exact {
			sure = append(sure, p)
		}
	}
	if n < 2 {
		return nil, nil, nil
	}
	if !pl.needsWords() { // otherwise Find has waited for the index
		if current, err := wordsAreCurrent(tx); err != nil || !current {
			return nil, nil, err
		}
	}
	s, err = pl.wordsSource(tx, all, len(sure) == len(g.all))
	if err == nil && !s.exact {
		sure = nil
	}
	return s, sure, err
}

// sampleMany is how many candidates in an even sample, one of 64, mean that there
// are more than Window: a sample of Window candidates has 156, and never half as
// many again.
const sampleMany = 240

func (pl *plan) wordsSource(tx *store.Tx, words []scopedWord, exact bool) (*source, error) {
	if isBeside(tx) {
		return pl.tsvectorSource(tx, words, exact)
	}
	return pl.fts5Source(tx, words, exact)
}

func (pl *plan) fts5Source(tx *store.Tx, words []scopedWord, exact bool) (*source, error) {
	parts := make([]string, len(words))
	var some string
	for i, w := range words {
		if parts[i] = `"` + w.text() + `"`; w.prefix {
			var err error
			if parts[i], some, err = beginning(tx, w.text()); err != nil {
				return nil, err
			}
		}
	}
	s := &source{table: "crm_fts", id: "crm_fts.rowid", where: "crm_fts MATCH ?", args: []any{strings.Join(parts, " AND ")}, byID: true, exact: exact}
	part := *s
	if some != "" && len(words) == 1 && exact {
		part.args = []any{some}
		s.sample = &sample{source: &part, many: Window + 1, quick: true}
	}
	return s, nil
}

// maxBeginnings is the most words into which a prefix is expanded.
const maxBeginnings = 200

// beginning returns the full-text expression for the words with a prefix. It
// lists them if they are few: FTS5 streams the records of whole words, but
// collects those of a prefix before it returns the first. If they are many, some
// lists the first.
func beginning(tx *store.Tx, text string) (all, some string, err error) {
	words := []string{`"` + text + `"`}
	err = tx.Each("SELECT term FROM crm_fts_vocab WHERE term >= ? AND term < ? LIMIT "+strconv.Itoa(maxBeginnings),
		[]any{text + "0", text + "\U0010FFFF"}, func(r store.Row) error { // "0" is the first character that can follow in a word
			var term string
			err := r.Scan(&term)
			words = append(words, `"`+term+`"`)
			return err
		})
	all = "(" + strings.Join(words, " OR ") + ")"
	if len(words) > maxBeginnings {
		return words[0] + " *", all, err
	}
	return all, "", err
}

const (
	// maxSpelled is the most words into which a prefix is expanded on PostgreSQL.
	maxSpelled = 32
	// maxBeginningWords is the most words that a prefix may stand for when there are
	// other words.
	maxBeginningWords = 1_000
)

// tsvectorSource returns a source on PostgreSQL's index. The index builds a
// bitmap of all matches before it returns the first, so a sample is read first to
// detect very many; and it collects all matches of a prefix before it tests other
// words, so that a prefix of very many words is left to be tested on the records.
func (pl *plan) tsvectorSource(tx *store.Tx, words []scopedWord, exact bool) (*source, error) {
	var parts, broad []string
	for _, w := range words {
		part := "'" + w.text() + "'"
		if !w.prefix {
			parts = append(parts, part)
			continue
		}
		longer, err := longerWords(tx, pl.fields.Portal, w.word, maxSpelled+1)
		if err != nil {
			return nil, err
		}
		switch {
		case len(longer) <= maxSpelled:
			for _, l := range longer {
				part += " | '" + w.scope + l + "'"
			}
			parts = append(parts, "("+part+")")
		case len(words) == 1:
			parts = append(parts, part+":*")
		default:
			n, err := countLongerWords(tx, pl.fields.Portal, w.word, maxBeginningWords+1)
			if err != nil {
				return nil, err
			}
			if n > maxBeginningWords {
				broad = append(broad, part+":*")
			} else {
				parts = append(parts, part+":*")
			}
		}
	}
	if len(parts) == 0 {
		parts, broad = broad, nil
	}
	s := &source{table: "crm_fts w", id: "w.id", where: "w.words @@ CAST(? AS tsquery)", args: []any{strings.Join(parts, " & ")},
		exact: exact && len(broad) == 0, costly: true}
	part := *s
	part.where += " AND (hashint8(w.id) & 63) = 0"
	s.sample = &sample{source: &part, many: pl.sampleMany, quick: true}
	return s, nil
}
