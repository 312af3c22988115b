package blockstore

import (
	"understudy/internal/ingest"
)

// rawBlock is a block as it is stored; ids and payloads only when they were asked
// for.
type rawBlock struct {
	first   int64
	project string

	columns, idents, payload []byte
}

// decoding decodes the blocks of one question. Several goroutines may use it at
// once.
type decoding struct {
	want       columnSet
	after      int64 // only events with greater numbers
	detail     bool
	masks      masks
	quarantine *quarantine
}

// columns decodes a block into c, without the events that are being erased. It
// returns nil when none is left, or when the block is damaged.
func (d *decoding) columns(b *rawBlock, c *ingest.Columns) *ingest.Columns {
	if d.quarantine.has(b.first) {
		return nil
	}
	want := d.want
	if d.masks[b.project] != nil {
		want = allColumns
	}
	c.First, c.Project, c.Detail, c.Some = b.first, b.project, nil, nil
	if err := decodeColumns(b.columns, c, want); err != nil {
		d.quarantine.add(b.first, err)
		return nil
	}
	shown, rows := c, d.masks.keep(c, d.after)
	if rows != nil {
		if len(rows) == 0 {
			return nil
		}
		if want != allColumns && decodeColumns(b.columns, c, allColumns) != nil {
			return nil
		}
		shown = pick(c, rows)
	}
	if d.detail {
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
