package search

import (
	"errors"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

// page reads the records of the page, given all matches in order. It ends the
// page early when its records fill a reply.
func (pl *plan) page(tx *store.Tx, ids []int64, total int) (Page, error) {
	out := Page{Total: total}
	ids = ids[min(pl.offset, len(ids)):min(pl.offset+pl.limit, len(ids))]
	end := pl.offset + pl.limit
	records, err := readRecordsWith(tx, pl.fields, ids, pl.addRecord)
	if errors.Is(err, errFull) { // read in another order than that of the page
		records = map[int64]*schema.Record{}
		pl.room = pl.room.Again()
		for i, id := range ids {
			if pl.room.Full() {
				ids, end = ids[:i], pl.offset+i
				break
			}
			one, err := readRecordsWith(tx, pl.fields, []int64{id}, func(r *schema.Record) error { return pl.room.Add(len(r.Bag)) })
			if err != nil {
				return out, err
			}
			records[id] = one[id]
		}
	} else if err != nil {
		return out, err
	}
	for _, id := range ids {
		if r := records[id]; r != nil {
			out.Records = append(out.Records, r)
		}
	}
	if pl.limit > 0 && end < total && end < Window {
		out.Next = end
	}
	return out, nil
}

// errFull stops reading when the records fill a reply.
var errFull = errors.New("the page is full")

// addRecord adds a record to the size of the page. It returns errFull when the
// page was already full, and budget.Exhausted.
func (pl *plan) addRecord(r *schema.Record) error {
	if pl.room.Full() {
		return errFull
	}
	return pl.room.Add(len(r.Bag))
}
