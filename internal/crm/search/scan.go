package search

import (
	"math"
	"slices"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// runMany scans records in the requested order.
func (pl *plan) runMany(tx *store.Tx) (Page, error) {
	out := Page{}
	total, err := pl.countMany(tx)
	if err != nil || pl.limit == 0 {
		return Page{Total: total}, err
	}
	if !pl.sortIndexed() && total <= Window {
		return pl.sortMatches(tx)
	}
	var skipped int
	var refused error // error of the budget
	seen := map[int64]bool{}
	take := func(r *schema.Record) (full bool) {
		if seen[r.ID] {
			return false
		}
		seen[r.ID] = true
		if skipped < pl.offset {
			skipped++
			return false
		}
		if len(out.Records) == pl.limit || pl.room.Full() {
			out.Next = pl.offset + len(out.Records)
			return true
		}
		out.Records = append(out.Records, r)
		refused = pl.room.Add(len(r.Bag))
		return refused != nil
	}
	full, err := pl.scan(tx, pl.scanner(pl.sortRange(), true), take, func(*schema.Record) bool { return true })
	if err == nil && !full && pl.sort != nil && pl.sortRange() == nil {
		// Records without a value come last, in the order of ids.
		byID := &scanner{pl: pl, records: true}
		_, err = pl.scan(tx, byID, take, func(r *schema.Record) bool { return pl.sort.Column() == "" && r.Value(pl.sort) == "" })
	}
	if refused != nil {
		return out, refused
	}
	if out.Next >= Window {
		out.Next = 0
	}
	out.Total = max(total, skipped+len(out.Records))
	return out, err
}

// sortMatches reads all matches, which must be few, and sorts them by a property
// without an index.
func (pl *plan) sortMatches(tx *store.Tx) (Page, error) {
	var ids []int64
	w := &scanner{pl: pl, records: true}
	_, err := pl.scan(tx, w, func(r *schema.Record) bool { ids = append(ids, r.ID); return false }, func(*schema.Record) bool { return true })
	if err != nil {
		return Page{}, err
	}
	if ids, err = pl.orderInMemory(tx, ids); err != nil {
		return Page{}, err
	}
	return pl.page(tx, ids, len(ids))
}

// scan calls take with each match that wanted accepts until it returns true.
func (pl *plan) scan(tx *store.Tx, w *scanner, take func(*schema.Record) bool, wanted func(*schema.Record) bool) (full bool, err error) {
	for n := 64; ; n = min(n*4, 1024) {
		rows, err := w.next(tx, n)
		if err != nil || len(rows) == 0 {
			return false, err
		}
		for _, r := range rows {
			if pl.matches(r) && wanted(r) && take(r) {
				return true, nil
			}
		}
	}
}

// sortRange returns the range of the sort property if the only group has one: all
// matches are in it, and have a value.
func (pl *plan) sortRange() *predicate {
	if pl.sort == nil || len(pl.groups) != 1 || !pl.sortIndexed() {
		return nil
	}
	for _, p := range pl.groups[0].all {
		if p.property == pl.sort && p.test == inRange && !p.negated {
			return p
		}
	}
	return nil
}

// sortIndexed reports whether there is an index in the requested order.
func (pl *plan) sortIndexed() bool {
	return pl.sort == nil || pl.sort.Column() != "" || !pl.sort.IsDerived()
}

// countMany counts matches when there are many: from the index if that suffices,
// otherwise by testing each candidate.
func (pl *plan) countMany(tx *store.Tx) (int, error) {
	if len(pl.groups) == 0 {
		return countAll(tx, pl.fields)
	}
	if len(pl.groups) == 1 && pl.groups[0].driver != nil {
		return pl.countGroup(tx, pl.groups[0])
	}
	n := 0
	w := &scanner{pl: pl, records: true}
	_, err := pl.scan(tx, w, func(*schema.Record) bool { n++; return false }, func(*schema.Record) bool { return true })
	return n, err
}

func (pl *plan) countGroup(tx *store.Tx, g *group) (int, error) {
	if len(g.rest) > 0 {
		return pl.countCandidates(tx, g)
	}
	return countSource(tx, g.driver, math.MaxInt32)
}

// countCandidates counts the candidates of a group's driver that pass its rest.
func (pl *plan) countCandidates(tx *store.Tx, g *group) (n int, err error) {
	ids, err := sourceIDs(tx, g.driver, math.MaxInt32)
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(ids, 1000) {
		kept, err := pl.filterIDs(tx, g, chunk)
		if err != nil {
			return 0, err
		}
		n += len(kept)
	}
	return n, nil
}

// scanner reads records in batches in an order; without records it reads only
// their ids. Each batch begins after the last row of the one before.
type scanner struct {
	pl      *plan
	sort    *schema.Property
	desc    bool
	within  *predicate
	records bool
	driver  *source // read its candidates by id instead of all records

	started bool
	key     string // of the last row: the value, or the time in its column
	at      int64
	id      int64
}

func (pl *plan) scanner(within *predicate, records bool) *scanner {
	w := &scanner{pl: pl, within: within, records: records, desc: pl.desc}
	if pl.sort != nil && pl.sortIndexed() {
		w.sort = pl.sort
	}
	if w.sort == nil && len(pl.groups) == 1 && pl.groups[0].driver != nil && pl.groups[0].driver.byID {
		w.driver = pl.groups[0].driver
	}
	return w
}

// next returns the next records, at most n; none at the end.
func (w *scanner) next(tx *store.Tx, n int) ([]*schema.Record, error) {
	switch {
	case w.driver != nil:
		return w.nextOfDriver(tx, n)
	case w.sort == nil:
		return w.nextByID(tx, n, false)
	case w.sort.Column() == "id":
		return w.nextByID(tx, n, w.desc)
	case w.sort.Column() != "":
		return w.nextByTime(tx, n)
	}
	return w.nextByValue(tx, n)
}
