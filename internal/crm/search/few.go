package search

import (
	"slices"

	"understudy/internal/platform/store"
)

// runFew collects and sorts all matches.
func (pl *plan) runFew(tx *store.Tx) (Page, error) {
	set := map[int64]bool{}
	for _, g := range pl.groups {
		ids := g.ids
		if ids == nil {
			var err error
			if ids, err = sourceIDs(tx, g.driver, Window+1); err != nil {
				return Page{}, err
			}
		}
		if pl.behind != nil {
			ids = pl.behind.known(ids)
		}
		if len(g.rest) > 0 {
			var err error
			if ids, err = pl.filterIDs(tx, g, ids); err != nil {
				return Page{}, err
			}
		}
		for _, id := range ids {
			set[id] = true
		}
	}
	if pl.behind != nil {
		for id, r := range pl.behind.live {
			if pl.matches(r) {
				set[id] = true
			}
		}
	}
	ids := make([]int64, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	total := len(ids)
	var err error
	if pl.sort != nil && pl.limit > 0 && pl.offset < total {
		if ids, err = pl.order(tx, ids, func(id int64) bool { return set[id] }); err != nil {
			return Page{}, err
		}
	}
	return pl.page(tx, ids, total)
}

// filterIDs returns the ids of the candidates that pass the rest of a group.
func (pl *plan) filterIDs(tx *store.Tx, g *group, ids []int64) (out []int64, err error) {
	for chunk := range slices.Chunk(ids, 500) {
		records, err := readRecords(tx, pl.fields, chunk)
		if err != nil {
			return nil, err
		}
		for _, id := range chunk {
			if r := records[id]; r != nil && r.Archived == 0 && !slices.ContainsFunc(g.rest, func(p *predicate) bool { return !p.matches(r) }) {
				out = append(out, id)
			}
		}
	}
	return out, nil
}
