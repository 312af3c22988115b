package search

import (
	"slices"

	"understudy/internal/platform/store"
)

// readRanks reads the stored cells of chunks.
func readRanks(tx *store.Tx, numbers []int64, chunks map[int64]*chunk) error {
	return eachInChunks(tx, `SELECT chunk, portal, property, cells FROM crm_rank`, numbers, func(r store.Row) error {
		var n int64
		var p ranking
		var b []byte
		if err := r.Scan(&n, &p.portal, &p.property, &b); err != nil {
			return err
		}
		chunks[n].ranks[p] = storedCells(b)
		return nil
	})
}

// saveRanks stores the changed cells of chunks.
func saveRanks(tx *store.Tx, chunks ...*chunk) error {
	var rows, gone [][]any
	for _, c := range chunks {
		for p, of := range c.ranks {
			switch {
			case of.unknown:
				gone = append(gone, []any{p.portal, p.property, c.number})
			case of.changed:
				rows = append(rows, []any{p.portal, p.property, c.number, store.Blob(of.encode())})
			}
		}
	}
	slices.SortFunc(rows, func(a, b []any) int { return int(a[1].(int64) - b[1].(int64)) })
	if err := tx.ExecBatch(`DELETE FROM crm_rank WHERE portal = ? AND property = ? AND chunk = ?`, gone); err != nil {
		return err
	}
	return tx.ExecBatch(`INSERT INTO crm_rank (portal, property, chunk, cells) VALUES (?, ?, ?, ?)
		ON CONFLICT (portal, property, chunk) DO UPDATE SET cells = excluded.cells`, rows)
}

// readRanked adds the records between two ranks to a set and returns the chunks
// without cells.
func (ps *postings) readRanked(p ranking, low, high uint64, into set) (missing []int64, err error) {
	next := int64(0)
	err = ps.tx.Each(`SELECT chunk, cells FROM crm_rank WHERE portal = ? AND property = ? AND chunk < ? ORDER BY chunk`,
		[]any{p.portal, p.property, ps.built}, func(r store.Row) error {
			var number int64
			var b []byte
			if err := r.Scan(&number, &b); err != nil {
				return err
			}
			for ; next < number; next++ {
				missing = append(missing, next)
			}
			next = number + 1
			addInRange(into, number*ps.size, b, low, high)
			return nil
		})
	for ; next < ps.built; next++ {
		missing = append(missing, next)
	}
	return missing, err
}
