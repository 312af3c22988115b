package search

import (
	"slices"

	"understudy/internal/platform/store"
)

// sortInMemory is up to how many matches are read and sorted in memory.
const sortInMemory = 1_000

// order sorts matches by the requested property. For many matches it scans the
// index of that property until the page is full.
func (pl *plan) order(tx *store.Tx, ids []int64, has func(id int64) bool) ([]int64, error) {
	if len(ids) <= sortInMemory || !pl.sortIndexed() {
		return pl.orderInMemory(tx, ids)
	}
	var out []int64
	seen := map[int64]bool{}
	w := pl.scanner(nil, false)
	for len(out) < pl.offset+pl.limit {
		rows, err := w.next(tx, 1000)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			if has(r.ID) && !seen[r.ID] {
				out, seen[r.ID] = append(out, r.ID), true
			}
		}
	}
	for _, id := range ids { // the matches without a value, or after the page
		if len(out) >= pl.offset+pl.limit {
			break
		}
		if !seen[id] {
			out = append(out, id)
		}
	}
	return out, nil
}

func (pl *plan) orderInMemory(tx *store.Tx, ids []int64) ([]int64, error) {
	type entry struct {
		key string
		id  int64
	}
	var with []entry
	var without []int64
	for chunk := range slices.Chunk(ids, 500) {
		records, err := readRecords(tx, pl.fields, chunk)
		if err != nil {
			return nil, err
		}
		for _, id := range chunk {
			v := ""
			if r := records[id]; r != nil {
				v = r.Value(pl.sort)
			}
			if v == "" {
				without = append(without, id)
				continue
			}
			keys := pl.sort.Keys(v)
			key := slices.Min(keys)
			if pl.desc {
				key = slices.Max(keys)
			}
			with = append(with, entry{key, id})
		}
	}
	slices.SortFunc(with, func(a, b entry) int {
		n := 0
		switch {
		case a.key < b.key:
			n = -1
		case a.key > b.key:
			n = 1
		default:
			n = int(a.id - b.id)
		}
		if pl.desc {
			return -n
		}
		return n
	})
	out := make([]int64, 0, len(ids))
	for _, e := range with {
		out = append(out, e.id)
	}
	return append(out, without...), nil
}
