package blockstore

import (
	"understudy/internal/ingest"
)

// rawBlock is a stored block, with ids and payloads only if they were read.
type rawBlock struct {
	first   int64
	project string

	columns, idents, payload []byte
}

// decoding decodes the blocks of one query. Several goroutines may use it at
// once.
type decoding struct {
	want       columnSet
	after      int64 // only events with greater numbers
	detail     bool
	masks      masks
	quarantine *quarantine
}

// reads returns the columns that shown decodes: all of them where it looks for what is
// being erased.
func (d *decoding) reads() columnSet {
	if len(d.masks) > 0 {
		return allColumns
	}
	return d.want
}

// shown decodes a block into c. It returns c and no rows, or only the events that are not
// being erased and their rows in c. It returns nil when none is left, or when the block is
// damaged.
func (d *decoding) shown(b *rawBlock, c *ingest.Columns) (*ingest.Columns, []int) {
	if d.quarantine.has(b.first) {
		return nil, nil
	}
	want := d.want
	if d.masks[b.project] != nil {
		want = allColumns
	}
	c.First, c.Project, c.Detail, c.Some = b.first, b.project, nil, nil
	if err := decodeColumns(b.columns, c, want); err != nil {
		d.quarantine.add(b.first, err)
		return nil, nil
	}
	rows := d.masks.keep(c, d.after)
	if rows == nil {
		return c, nil
	}
	if len(rows) == 0 || want != allColumns && decodeColumns(b.columns, c, allColumns) != nil {
		return nil, nil
	}
	return pick(c, rows), rows
}

// columns is shown, with the functions of a query for details.
func (d *decoding) columns(b *rawBlock, c *ingest.Columns) *ingest.Columns {
	shown, rows := d.shown(b, c)
	if shown != nil && d.detail {
		shown.Bytes = payloadBytes(b.payload)
		shown.Detail = func() ([]ingest.Event, error) { return d.events(b, c, rows), nil }
		shown.Some = func(some []int) ([]ingest.Event, error) {
			if rows != nil {
				all := make([]int, len(some))
				for i, row := range some {
					all[i] = rows[row]
				}
				some = all
			}
			return d.events(b, c, some), nil
		}
	}
	return shown
}

// events decodes the events of a block, or only some rows unless rows is nil. A
// damaged block has none.
func (d *decoding) events(b *rawBlock, c *ingest.Columns, rows []int) []ingest.Event {
	if !checkSums(b.columns, b.idents) {
		d.quarantine.add(b.first, errBlock)
		return nil
	}
	events, err := decodeRows(c, b.idents, b.payload, rows)
	if err != nil {
		d.quarantine.add(b.first, err)
		return nil
	}
	return events
}
