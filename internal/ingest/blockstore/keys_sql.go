package blockstore

import (
	"encoding/binary"
	"slices"

	"understudy/internal/platform/store"
)

// selectKeys looks up hashes in lists of one length, so that the statement stays
// the same.
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

func deleteKeys(tx *store.Tx, rows [][]any) error {
	return tx.ExecBatch(`DELETE FROM event_key WHERE hash = ? AND seq = ?`, rows)
}

func listRuns(tx *store.Tx) (out []keyRun, err error) {
	err = tx.Each(`SELECT upto, pages, keys, filter FROM event_key_run ORDER BY upto`, nil, func(r store.Row) error {
		var run keyRun
		var stored []byte
		err := r.Scan(&run.upto, &run.pages, &run.keys, &stored)
		if run.filter, run.damaged = filterFrom(stored); run.keys == 0 {
			run.keys = int64(len(run.filter)) * 8 / 16 // written by an earlier version
		}
		out = append(out, run)
		return err
	})
	return out, err
}

func insertRun(tx *store.Tx, run keyRun) error {
	_, err := tx.Exec(`INSERT INTO event_key_run (upto, pages, keys, filter) VALUES (?, ?, ?, ?)`, run.upto, run.pages, run.keys, store.Blob(appendSum(slices.Clone(run.filter))))
	return err
}

func insertPages(tx *store.Tx, pages [][]any) error {
	return tx.CopyFrom("event_key_page", []string{"upto", "least", "pairs"}, pages)
}

// deleteRuns deletes runs. Maintenance deletes their pages.
func deleteRuns(tx *store.Tx, runs ...keyRun) error {
	for _, r := range runs {
		if _, err := tx.Exec(`DELETE FROM event_key_run WHERE upto = ?`, r.upto); err != nil {
			return err
		}
	}
	return nil
}

// mergeNumbers returns a number that no pages have, for those of a merged run,
// and the number of the oldest event.
func mergeNumbers(tx *store.Tx) (pages, oldest int64, err error) {
	if _, err := tx.Get(`SELECT COALESCE(MIN(upto), 0) FROM event_key_page`, nil, &pages); err != nil {
		return 0, 0, err
	}
	_, err = tx.Get(`SELECT COALESCE(MIN(seq), 0) FROM event_block`, nil, &oldest)
	return min(pages, 0) - 1, oldest, err
}

// pageAfter returns the page of a run after the page that begins with a hash; the
// first page unless begun is set.
func pageAfter(tx *store.Tx, number, least int64, begun bool) (next int64, pairs []pair, found bool, err error) {
	sql, args := `SELECT least, pairs FROM event_key_page WHERE upto = ? ORDER BY least LIMIT 1`, []any{number}
	if begun {
		sql, args = `SELECT least, pairs FROM event_key_page WHERE upto = ? AND least > ? ORDER BY least LIMIT 1`, []any{number, least}
	}
	var b []byte
	if found, err = tx.Get(sql, args, &next, &b); err != nil || !found {
		return least, nil, false, err
	}
	if b, err = pairsOf(b); err != nil {
		return least, nil, false, err
	}
	for ; len(b) > 0; b = b[pairBytes:] {
		pairs = append(pairs, pair{binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))})
	}
	return next, pairs, true, nil
}

const unusedPages = ` FROM event_key_page WHERE upto NOT IN (SELECT CASE pages WHEN 0 THEN upto ELSE pages END FROM event_key_run)`

// hasUnusedPages reports whether there are pages that belong to no run.
func hasUnusedPages(tx *store.Tx) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1`+unusedPages+` LIMIT 1`, nil, &one)
}

// deleteUnusedPages removes some pages that belong to no run.
func deleteUnusedPages(tx *store.Tx) error {
	_, err := tx.Exec(`DELETE FROM event_key_page WHERE rowid IN (SELECT rowid`+unusedPages+` LIMIT ?)`, mergePages)
	return err
}

func findInRun(tx *store.Tx, upto int64, h uint64) (seq int64, ok bool, err error) {
	var page []byte
	found, err := tx.Get(`SELECT pairs FROM event_key_page WHERE upto = ? AND least <= ? ORDER BY least DESC LIMIT 1`,
		[]any{upto, int64(h)}, &page)
	if err != nil || !found {
		return 0, false, err
	}
	if page, err = pairsOf(page); err != nil {
		return 0, false, err
	}
	seq, ok = searchPage(page, h)
	return seq, ok, nil
}

// insertWhole inserts a run with its pages. Pages that a run of earlier times left
// under their number are deleted.
func insertWhole(tx *store.Tx, run keyRun, pages [][]any) error {
	if _, err := tx.Exec(`DELETE FROM event_key_page WHERE upto = ?`, run.number()); err != nil {
		return err
	}
	if err := insertRun(tx, run); err != nil {
		return err
	}
	return insertPages(tx, pages)
}
