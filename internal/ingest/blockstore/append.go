package blockstore

import (
	"context"
	"slices"

	"understudy/internal/ingest"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// ownBlock is the number of events from which an append has a block of its own.
// Smaller appends are gathered.
const ownBlock = 64

// Append stores events. It returns store.Unavailable when too many appends wait
// already. It does not return when its context ends, because the texts of the
// events are in use.
func (s *Store) Append(ctx context.Context, project string, events []ingest.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	for s.keys == nil || s.ended {
		s.mu.RUnlock()
		if err := s.start(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		s.mu.RLock()
	}
	if len(events) >= ownBlock {
		defer s.mu.RUnlock()
		return s.write(newBatches(project, events, []source{{0, ctx}}))
	}
	w := &waiting{ctx: ctx, project: project, events: events, done: make(chan error, 1)}
	taken := s.gathered.add(w)
	if taken {
		s.small.Wake()
	}
	s.mu.RUnlock()
	if !taken {
		return store.Unavailable
	}
	return <-w.done
}

// writeGathered writes small appends in groups.
func (s *Store) writeGathered() {
	for group := s.gathered.next(); len(group) > 0; group = s.gathered.next() {
		began := clock.Real()
		err := s.write(batches(group))
		s.gathered.wrote(len(group), began, clock.Real())
		for _, w := range group {
			w.done <- err
		}
	}
}

// write stores batches in one transaction.
func (s *Store) write(all []*batch) error {
	ctx := context.Background()
	err := mended(ctx, s, func() error {
		return s.world.Write(ctx, func(tx *store.Tx) error { return s.writeIn(tx, all) })
	})
	if err == nil {
		wrote(s, all)
	}
	return err
}

// wrote notifies the index of written batches.
func wrote(s *Store, all []*batch) {
	if s.Lazy {
		return
	}
	n := 0
	for _, b := range all {
		n += len(b.events)
	}
	s.index.follower.Wrote(context.Background(), n)
}

// AppendWith stores the events that make returns, in one transaction with the
// other changes of make in the store's database.
func (s *Store) AppendWith(ctx context.Context, project string, make func(tx *store.Tx) ([]ingest.Event, error)) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	var all []*batch
	err := mended(ctx, s, func() error {
		return s.world.Write(ctx, func(tx *store.Tx) error {
			all = nil
			if _, err := lockCounter(tx); err != nil {
				return err
			}
			events, err := make(tx)
			if err != nil || len(events) == 0 {
				return err
			}
			all = newBatches(project, events, []source{{0, ctx}})
			return s.writeIn(tx, all)
		})
	})
	if err == nil && all != nil {
		wrote(s, all)
	}
	return err
}

func (s *Store) writeIn(tx *store.Tx, all []*batch) error {
	c, err := lockCounter(tx)
	if err != nil {
		return err
	}
	first := c.next
	for _, b := range all {
		if c.next, err = s.writeBatch(tx, *b, c.next); err != nil {
			return err
		}
	}
	if c.next == first {
		return nil
	}
	if c.next-c.linked >= s.linkEvents {
		return s.sessions.link(tx, c)
	}
	return setCounter(tx, c)
}

// writeBatch stores a batch and returns the number of the next event after those of b.
func (s *Store) writeBatch(tx *store.Tx, b batch, next int64) (int64, error) {
	known, err := s.known(tx, &b)
	if err != nil {
		return 0, err
	}
	if len(known) > 0 {
		b.keep(func(i int) bool { return !known[i] })
		b.block = encode(b.events, 0, nil)
	}
	if len(b.events) == 0 {
		return next, nil
	}
	if err := insertBlock(tx, next, &b); err != nil {
		return 0, err
	}
	for _, from := range b.sources {
		store.Note(from.ctx, tx, Table, store.Inserted, next+int64(from.at))
	}
	return next + int64(len(b.events)), s.keys.add(tx, b.hashes, next)
}

// known returns which events of a batch are already stored, by their index.
func (s *Store) known(tx *store.Tx, b *batch) (map[int]bool, error) {
	candidates, err := s.keys.find(tx, b.hashes)
	if err != nil || len(candidates) == 0 {
		return nil, err
	}
	masks, err := readMasks(tx)
	if err != nil {
		return nil, err
	}
	known := map[int]bool{}
	ids := blockIDs{mask: masks[b.project]}
	for i, h := range b.hashes {
		for _, seq := range candidates[h] {
			same, err := ids.holds(tx, b.project, seq, b.events[i].ID)
			if err != nil {
				return nil, err
			}
			if same {
				known[i] = true
			}
		}
	}
	return known, nil
}

// blockIDs are the ids of one block, with the numbers of their events.
type blockIDs struct {
	project string
	first   int64
	numbers []int64 // nil for consecutive numbers from first
	ids     []string
	mask    *mask // events that are being erased and therefore do not count as known; nil for none
}

// number returns the number of the event in a row.
func (c *blockIDs) number(i int) int64 {
	if c.numbers == nil {
		return c.first + int64(i)
	}
	return c.numbers[i]
}

// find returns the row of the event with a number, if the block has it.
func (c *blockIDs) find(number int64) (place int, ok bool) {
	if c.numbers == nil {
		return int(number - c.first), number >= c.first && number < c.first+int64(len(c.ids))
	}
	return slices.BinarySearch(c.numbers, number)
}

// holds reports whether the event of a project with a number has an id. It reads
// the block unless it is the last one read.
func (c *blockIDs) holds(tx *store.Tx, project string, number int64, id string) (bool, error) {
	at, ok := c.find(number)
	if !ok || c.project != project {
		var err error
		if *c, err = idsAt(tx, project, number, c.mask); err != nil {
			return false, err
		}
		at, ok = c.find(number)
	}
	return ok && c.ids[at] == id, nil
}
