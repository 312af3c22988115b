package blockstore

import (
	"slices"

	"understudy/internal/platform/store"
)

// selectKeys asks in lists of one length, so that the statement stays the same.
func selectKeys(tx *store.Tx, hashes []uint64) (map[uint64][]int64, error) {
	const most = 512
	var out map[uint64][]int64
	for part := range slices.Chunk(hashes, most) {
		args := make([]any, most)
		for i := range args {
			args[i] = int64(part[min(i, len(part)-1)])
		}
		err := tx.Each(`SELECT hash, seq FROM event_key WHERE hash IN `+store.In(most), args, func(r store.Row) error {
			var h, seq int64
			if err := r.Scan(&h, &seq); err != nil {
				return err
			}
			if out == nil {
				out = map[uint64][]int64{}
			}
			out[uint64(h)] = append(out[uint64(h)], seq)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func listRuns(tx *store.Tx) (out []keyRun, err error) {
	err = tx.Each(`SELECT upto, filter FROM event_key_run ORDER BY upto`, nil, func(r store.Row) error {
		var run keyRun
		err := r.Scan(&run.upto, (*[]byte)(&run.filter))
		out = append(out, run)
		return err
	})
	return out, err
}

func insertRun(tx *store.Tx, run keyRun, pages [][]any) error {
	if _, err := tx.Exec(`INSERT INTO event_key_run (upto, filter) VALUES (?, ?)`, run.upto, store.Blob(run.filter)); err != nil {
		return err
	}
	return tx.CopyFrom("event_key_page", []string{"upto", "least", "pairs"}, pages)
}

func findInRun(tx *store.Tx, upto int64, h uint64) (seq int64, ok bool, err error) {
	var page []byte
	found, err := tx.Get(`SELECT pairs FROM event_key_page WHERE upto = ? AND least <= ? ORDER BY least DESC LIMIT 1`,
		[]any{upto, int64(h)}, &page)
	if err != nil || !found {
		return 0, false, err
	}
	seq, ok = searchPage(page, h)
	return seq, ok, nil
}
