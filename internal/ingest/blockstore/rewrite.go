package blockstore

import (
	"context"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// maxOpen bounds the blocks that one rewriting holds in memory.
const maxOpen = 64

// rewriting changes stored events. It rewrites only their columns: ids, numbers,
// payloads and blocks stay.
type rewriting struct {
	ctx     context.Context
	s       *Store
	tx      *store.Tx
	project string
	mask    *mask // of events that are being erased, which stay as they are; nil for none
	read    bool  // mask was read
	open    map[int64]*openBlock
	order   []int64 // in the order in which they were opened
}

// openBlock is a block whose events may be changed.
type openBlock struct {
	ingest.Columns
	events  []ingest.Event // without payloads; nil when the block is damaged
	places  map[string]int // rows by id, of events that are not being erased
	idents  []byte
	changed bool
}

// ChangeIn returns an ingest.Changes for the stored events of a project. It is
// used only in AppendWith.
func (s *Store) ChangeIn(ctx context.Context, tx *store.Tx, project string) ingest.Changes {
	return &rewriting{ctx: ctx, s: s, tx: tx, project: project, open: map[int64]*openBlock{}}
}

// Known returns which of ids the project has, by their index in ids.
func (r *rewriting) Known(ids []string) (map[int]bool, error) {
	b := batch{project: r.project, events: make([]ingest.Event, len(ids)), hashes: make([]uint64, len(ids))}
	for i, id := range ids {
		b.events[i].ID, b.hashes[i] = id, hashID(r.project, id)
	}
	return r.s.known(r.tx, &b)
}

// Event returns an event without its payloads, and its number.
func (r *rewriting) Event(id string) (e *ingest.Event, number int64, err error) {
	hash := hashID(r.project, id)
	candidates, err := r.s.keys.find(r.tx, []uint64{hash})
	if err != nil {
		return nil, 0, err
	}
	for _, number := range candidates[hash] {
		first, err := blockOf(r.tx, r.project, number)
		if err != nil || first == 0 {
			return nil, 0, err
		}
		b, err := r.block(first)
		if err != nil {
			return nil, 0, err
		}
		if at, ok := b.places[id]; ok {
			return &b.events[at], b.Number(at), nil
		}
	}
	return nil, 0, nil
}

// Changed marks the event with a number as changed.
func (r *rewriting) Changed(number int64) error {
	first, err := blockOf(r.tx, r.project, number)
	if err == nil {
		r.open[first].changed = true
		store.Note(r.ctx, r.tx, Table, store.Updated, number)
	}
	return err
}

// MoveSession moves all events of a session to another one.
func (r *rewriting) MoveSession(from, to string) (moved bool, err error) {
	c, err := lockCounter(r.tx)
	if err != nil {
		return false, err
	}
	if err := r.s.sessions.link(r.tx, c); err != nil {
		return false, err
	}
	old, err := sessionNumber(r.tx, r.project, from, false)
	if err != nil || old == 0 {
		return false, err
	}
	blocks, err := blocksOfSession(r.tx, old)
	if err != nil {
		return false, err
	}
	for _, first := range blocks {
		b, err := r.block(first)
		if err != nil {
			return false, err
		}
		for _, i := range b.places {
			if b.events[i].Session == from {
				b.events[i].Session, b.changed, moved = to, true, true
				store.Note(r.ctx, r.tx, Table, store.Updated, b.Number(i))
			}
		}
	}
	if !moved {
		return false, nil
	}
	no, err := sessionNumber(r.tx, r.project, to, true)
	if err != nil {
		return false, err
	}
	if err := shareSessionBlocks(r.tx, old, no); err != nil || r.mask != nil {
		return true, err // events that are being erased are found by their session
	}
	return true, deleteSessionBlocks(r.tx, old)
}

// Save stores the changes.
func (r *rewriting) Save() error {
	for len(r.order) > 0 {
		if err := r.close(); err != nil {
			return err
		}
	}
	return nil
}

// block opens a block. If too many are open, it closes the first one.
func (r *rewriting) block(first int64) (*openBlock, error) {
	if b := r.open[first]; b != nil {
		return b, nil
	}
	if !r.read {
		masks, err := readMasks(r.tx)
		if err != nil {
			return nil, err
		}
		r.mask, r.read = masks[r.project], true
	}
	if len(r.order) == maxOpen {
		if err := r.close(); err != nil {
			return nil, err
		}
	}
	b := &openBlock{places: map[string]int{}}
	b.First = first
	columns, idents, err := columnsAt(r.tx, first)
	if err != nil {
		return nil, err
	}
	if b.idents = idents; decodeColumns(columns, &b.Columns, allColumns) == nil && checkSums(columns, idents) {
		b.events, _ = decodeEvents(&b.Columns, idents, nil)
	}
	for i := range b.events {
		if r.mask == nil || !r.mask.hides(&b.Columns, i) {
			b.places[b.events[i].ID] = i
		}
	}
	r.open[first], r.order = b, append(r.order, first)
	return b, nil
}

// close closes the first open block, and writes it if it was changed.
func (r *rewriting) close() error {
	first := r.order[0]
	b := r.open[first]
	delete(r.open, first)
	r.order = r.order[1:]
	if !b.changed {
		return nil
	}
	return setColumns(r.tx, first, encodeColumns(b.events, first, b.Numbers, b.idents))
}
