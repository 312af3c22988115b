package search

import (
	"strconv"

	"understudy/internal/platform/store"
)

// firstLonger returns a query for the first n words of a portal that begin with a
// text, except the text itself, and its arguments. On PostgreSQL a search for the
// beginning of a word searches for the words that begin with it.
func firstLonger(portal int64, text string, n int) (sql string, args []any) {
	return `SELECT word FROM crm_fts_word WHERE portal = ? AND word > ? AND word < ? ORDER BY word LIMIT ` + strconv.Itoa(n),
		[]any{portal, text, text + "\U0010FFFF"}
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
