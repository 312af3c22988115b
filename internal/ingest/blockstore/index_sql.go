package blockstore

import "understudy/internal/platform/store"

// lastIndexed returns the number of the last event that a stored run covers.
func lastIndexed(tx *store.Tx) (last int64, err error) {
	_, err = tx.Get(`SELECT last FROM event_run ORDER BY first DESC LIMIT 1`, nil, &last)
	return last, err
}

// listIndexed returns the ranges of the runs below a number, in their order.
func listIndexed(tx *store.Tx, below int64) (out []foundRange, err error) {
	err = tx.Each(`SELECT first, last FROM event_run WHERE first < ? ORDER BY first`, []any{below}, func(r store.Row) error {
		var f foundRange
		err := r.Scan(&f.first, &f.last)
		out = append(out, f)
		return err
	})
	return out, err
}

func insertIndexRun(tx *store.Tx, r *run, marks, fails []byte, pages [][]byte, least []uint64) error {
	if _, err := tx.Exec(`INSERT INTO event_run (first, last, marks, fails) VALUES (?, ?, ?, ?)`,
		r.first, r.last, store.Blob(marks), store.Blob(fails)); err != nil {
		return err
	}
	rows := make([][]any, len(pages))
	for i := range pages {
		rows[i] = []any{r.first, int64(least[i]), store.Blob(pages[i])}
	}
	return tx.CopyFrom("event_run_term", []string{"run", "least", "terms"}, rows)
}

// eachTermPage calls fn for the page of each run that would contain a term.
func eachTermPage(tx *store.Tx, term uint64, fn func(run int64, page []byte) error) error {
	return tx.Each(`SELECT r.first, t.terms FROM event_run r JOIN event_run_term t ON t.run = r.first
		AND t.least = (SELECT MAX(l.least) FROM event_run_term l WHERE l.run = r.first AND l.least <= ?)`,
		[]any{int64(term)}, func(r store.Row) error {
			var run int64
			var page []byte
			if err := r.Scan(&run, &page); err != nil {
				return err
			}
			return fn(run, page)
		})
}

// eachIndexed calls fn for the checkpoints and messages of the runs that cover
// events from first to last, in order.
func eachIndexed(tx *store.Tx, first, last int64, fn func(indexedRun)) error {
	return tx.Each(`SELECT first, last, marks, fails FROM event_run WHERE last >= ? AND first <= ? ORDER BY first`, []any{first, last}, func(r store.Row) error {
		var run indexedRun
		if err := r.Scan(&run.first, &run.last, &run.marks, &run.fails); err != nil {
			return err
		}
		fn(run)
		return nil
	})
}
