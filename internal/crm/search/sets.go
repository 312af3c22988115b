package search

import (
	"slices"

	"understudy/internal/platform/store"
)

// runSets computes the set of all matches from postings, counts it, and reads the
// page.
func (pl *plan) runSets(tx *store.Tx, ps *postings) (Page, error) {
	all := ps.empty()
	loose := map[int64]bool{} // loose matches
	for _, g := range pl.groups {
		of, more, err := ps.matching(pl, g)
		if err != nil {
			return Page{}, err
		}
		all.union(of)
		for _, id := range more {
			loose[id] = true
		}
	}
	total := all.count() + len(loose)
	if pl.limit == 0 || pl.offset >= total {
		return Page{Total: total}, nil
	}
	has := func(id int64) bool { return all.has(id) || loose[id] }
	ids := merged(all, loose, Window+1)
	switch {
	case pl.sort == nil:
	case pl.sortIndexed() || total <= Window:
		if total > Window {
			return pl.scanSets(tx, has, ids, total)
		}
		var err error
		if ids, err = pl.order(tx, ids, has); err != nil {
			return Page{}, err
		}
	}
	return pl.page(tx, ids, total)
}

// scanSets reads a page of very many matches by scanning the index of the sort
// property. ids are the first Window+1 matches by id.
func (pl *plan) scanSets(tx *store.Tx, has func(id int64) bool, ids []int64, total int) (Page, error) {
	var out []int64
	seen := map[int64]bool{}
	w := pl.scanner(pl.sortRange(), false)
	for n := 64; len(out) < pl.offset+pl.limit; n = min(n*4, 1024) {
		rows, err := w.next(tx, n)
		if err != nil {
			return Page{}, err
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
	for _, id := range ids { // matches without a value come last, in the order of ids
		if len(out) >= pl.offset+pl.limit {
			break
		}
		if !seen[id] {
			out = append(out, id)
		}
	}
	return pl.page(tx, out, total)
}

// merged returns the first n matches in the order of ids.
func merged(all set, loose map[int64]bool, n int) []int64 {
	ids := all.ids(0, n)
	for id := range loose {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids[:min(n, len(ids))]
}
