package search

import (
	"strconv"

	"understudy/internal/platform/store"
)

// On PostgreSQL the beginning of a word is asked for as the words that begin with
// it: those of crm_fts_word, a row for each, and those of crm_fts_late, where
// writes leave theirs in a few rows. A row for each word, in no order, would take
// a quarter of what PostgreSQL does for a contact while all writers wait. Background work
// moves the words beside the writers.

// wordsOf is the transaction key of the words that its writes have added to a
// portal.
type wordsOf int64

// lateBytes is about how long the words of one row of crm_fts_late are: shorter
// than what PostgreSQL compresses and stores elsewhere.
const lateBytes = 1500

// lateWords collects words of a portal for crm_fts_late.
type lateWords struct {
	portal int64
	rows   [][]any
	row    []byte
}

func (l *lateWords) add(word string) {
	l.row = append(append(l.row, ' '), word...)
	if len(l.row) >= lateBytes {
		l.end()
	}
}

func (l *lateWords) end() {
	if len(l.row) > 0 {
		l.rows, l.row = append(l.rows, []any{l.portal, string(l.row)}), l.row[:0]
	}
}

func (l *lateWords) save(tx *store.Tx) error {
	l.end()
	return tx.ExecBatch(`INSERT INTO crm_fts_late (portal, words) VALUES (?, ?)`, l.rows)
}

// mergeLate moves the committed words of crm_fts_late to crm_fts_word, in their
// order, so that neighbours are stored together.
func mergeLate(tx *store.Tx) error {
	_, err := tx.Exec(`WITH late AS (DELETE FROM crm_fts_late RETURNING portal, words)
		INSERT INTO crm_fts_word (portal, word)
		SELECT DISTINCT portal, w FROM late, unnest(string_to_array(substr(words, 2), ' ')) w ORDER BY 1, 2
		ON CONFLICT DO NOTHING`)
	return err
}

// merge merges the pending list of PostgreSQL's index if many records were written
// since the last time, and reports whether there are late words. It runs beside the
// writers: one that fills the list meanwhile does not merge it. Searches find the
// words before and after.
func (x *Index) merge(tx *store.Tx) (late bool, err error) {
	if n := x.unmerged.Load(); n >= mergeEvery {
		x.unmerged.Add(-n)
		var pages int64
		if _, err := tx.Get(`SELECT gin_clean_pending_list('crm_fts_words')`, nil, &pages); err != nil {
			return false, err
		}
	}
	_, err = tx.Get(`SELECT EXISTS (SELECT 1 FROM crm_fts_late)`, nil, &late)
	return late, err
}

// firstLonger returns a query for the first n words of a portal that begin with a
// text, except the text itself, and its arguments. Few of the late rows contain
// such a word, and only these are split.
func firstLonger(portal int64, text string, n int) (sql string, args []any) {
	limit := ` ORDER BY word LIMIT ` + strconv.Itoa(n)
	beyond := text + "\U0010FFFF"
	return `SELECT word FROM (
			(SELECT word FROM crm_fts_word WHERE portal = ? AND word > ? AND word < ?` + limit + `)
			UNION
			(SELECT w AS word FROM crm_fts_late, unnest(string_to_array(words, ' ')) w
				WHERE portal = ? AND strpos(words, ?) > 0 AND w > ? AND w < ?` + limit + `)) words` + limit,
		[]any{portal, text, beyond, portal, " " + text, text, beyond}
}

// longerWords returns the first n words of a portal that begin with a text,
// except the text itself.
func longerWords(tx *store.Tx, portal int64, text string, n int) (out []string, err error) {
	sql, args := firstLonger(portal, text, n)
	err = tx.Each(sql, args, func(r store.Row) error {
		var word string
		err := r.Scan(&word)
		out = append(out, word)
		return err
	})
	return out, err
}

// countLongerWords counts what longerWords returns.
func countLongerWords(tx *store.Tx, portal int64, text string, most int) (n int, err error) {
	sql, args := firstLonger(portal, text, most)
	_, err = tx.Get(`SELECT COUNT(*) FROM (`+sql+`) c`, args, &n)
	return n, err
}
