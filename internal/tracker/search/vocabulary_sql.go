package search

import (
	"strconv"
	"strings"

	"understudy/internal/platform/cache"
	"understudy/internal/platform/store"
)

const (
	// maxForms is the greatest number of words by which a prefix is replaced. A
	// prefix of more words is left to the index.
	maxForms = 48
	// maxKnown bounds the words that are cached as stored.
	maxKnown = 1 << 16
)

// vocabulary is the table of the indexed words on SQLite, with a cache of words
// that are in it.
type vocabulary struct {
	known *cache.Rows[string, struct{}]
}

func newVocabulary() vocabulary {
	return vocabulary{cache.NewRows[string, struct{}](nil, "", maxKnown)}
}

// add stores the words of a document that are new.
func (v vocabulary) add(tx *store.Tx, d *document) error {
	var added []string
	for _, text := range []string{d.title, d.description, d.comments} {
		for word := range strings.FieldsSeq(text) {
			if _, ok, _ := v.known.Get(word); ok {
				continue
			}
			if _, err := tx.Exec(`INSERT INTO tracker_search_word (word) VALUES (?) ON CONFLICT DO NOTHING`, word); err != nil {
				return err
			}
			added = append(added, strings.Clone(word))
		}
	}
	if len(added) > 0 {
		tx.AfterCommit(func() { v.remember(added) })
	}
	return nil
}

func (v vocabulary) remember(words []string) {
	for _, w := range words {
		_, _, epoch := v.known.Get(w) // words are never removed
		v.known.Put(w, struct{}{}, epoch)
	}
}

// Expand looks up the words that begin with the prefixes of a search. Otherwise
// the index would merge all their postings at each call, before it finds the
// first match.
func Expand(tx *store.Tx, pieces []Piece) error {
	if tx.Dialect().Name != "sqlite" {
		return nil // the index expands prefixes efficiently by itself
	}
	for i := range pieces {
		p := &pieces[i]
		if !p.Prefix {
			continue
		}
		begin := p.Words[len(p.Words)-1]
		var forms []string
		err := tx.Each(`SELECT word FROM tracker_search_word WHERE word >= ? AND word < ? ORDER BY word LIMIT `+strconv.Itoa(maxForms+1),
			[]any{begin, begin + "\U0010FFFF"}, func(row store.Row) error {
				var word string
				err := row.Scan(&word)
				forms = append(forms, word)
				return err
			})
		if err != nil {
			return err
		}
		switch {
		case len(forms) > maxForms:
		case len(forms) == 0: // no document has such a word, so nothing matches
			p.Prefix = false
		default:
			p.Prefix, p.forms = false, forms
		}
	}
	return nil
}
