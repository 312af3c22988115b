package blockstore

import (
	"context"
	"sync"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// textBlock is a block decoded for the index: names, times and payloads, without
// ids, which are most of the cost of decoding, and without other columns.
type textBlock struct {
	raw     rawBlock
	columns ingest.Columns
	shown   *ingest.Columns // columns, or a copy without excluded events
	rows    []int           // the rows of columns that are shown; nil for all
	texts   []byte          // the payloads
	events  []ingest.Event
	part    *run // where the events are indexed, if not in the tail
}

// textBlocks is a pool of textBlocks, for their memory.
var textBlocks = sync.Pool{New: func() any { return &textBlock{} }}

// eachText calls fn for the blocks with events whose numbers are greater than
// after, in the order of the blocks, until it returns false. fn, or a later owner
// of the block, may put it into textBlocks.
func eachText(ctx context.Context, s *blocks, after int64, fn func(b *textBlock) (bool, error)) error {
	return s.world.Read(ctx, func(tx *store.Tx) error {
		q := ingest.Query{After: after}
		d, err := decodingOf(tx, q, nameColumn|latencyColumn, &s.quarantine)
		if err != nil {
			return err
		}
		return eachPayload(tx, q, func(first int64, project string, columns, payload []byte) (bool, error) {
			b := textBlocks.Get().(*textBlock)
			b.raw = rawBlock{first: first, project: project, columns: append(b.raw.columns[:0], columns...), payload: append(b.raw.payload[:0], payload...)}
			if b.shown, b.rows = d.shown(&b.raw, &b.columns); b.shown == nil {
				textBlocks.Put(b)
				return true, ctx.Err()
			}
			return fn(b)
		})
	})
}

// decode returns the shown events, with the fields that the index reads. They are
// valid as long as the block. A damaged block has none.
func (b *textBlock) decode(bad *quarantine) []ingest.Event {
	var err error
	if b.texts, err = decoder.DecodeAll(b.raw.payload, b.texts[:0]); err != nil {
		bad.add(b.raw.first, err)
		return nil
	}
	c, r, rows := &b.columns, readerOf(b.texts), b.rows
	b.events = b.events[:0]
	for i := range c.N {
		if b.rows != nil {
			if len(rows) == 0 || rows[0] != i {
				r.skipTexts(4)
				continue
			}
			rows = rows[1:]
		}
		b.events = append(b.events, ingest.Event{Name: c.Name.At(i), Time: c.Time[i], Latency: c.Latency[i],
			Untimed: c.Flags[i]&ingest.FlagUntimed != 0, Success: c.Flags[i]&ingest.FlagSuccess != 0,
			Args: r.text(), Result: r.text(), Metadata: r.text(), Checkpoints: r.text()})
	}
	if r.Bad {
		bad.add(b.raw.first, errBlock)
		return nil
	}
	return b.events
}

// addBlock indexes the events of a block, and puts it into the pool.
func (r *run) addBlock(b *textBlock, bad *quarantine) {
	r.addAll(b.decode(bad), b.shown)
	b.part = nil
	textBlocks.Put(b)
}
