package blockstore

import (
	"cmp"
	"context"
	"errors"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

const (
	// smallBlock is the number of events below which a block is merged with its
	// neighbours. The index event_block_small has the same number.
	smallBlock = 256
	// mergedEvents and mergedBytes bound a merged block; bytes are compressed.
	mergedEvents = 1024
	mergedBytes  = 512 << 10
	// mergeFew is the number of small blocks from which the newest blocks are
	// merged, although more may follow them.
	mergeFew = 8
)

// stored is what a merge reads of a block before its content.
type stored struct {
	first  int64
	events int
	bytes  int64
	sum    uint64 // hash of its columns, once it has been read
}

func (b stored) small() bool { return b.events < smallBlock && b.bytes < mergedBytes/2 }

// window is neighbouring blocks of a project that are merged into one.
type window struct {
	project string
	blocks  []stored
}

// errChanged ends a merge of blocks that another transaction has changed
// meanwhile.
var errChanged = errors.New("a block was changed by somebody else")

// Merge merges some small blocks whose First is at most upTo. It reports whether
// there may be more to merge. An event is rewritten about four times at most
// before its block is large enough to stay. Numbers, order and content of events
// do not change. While events are being erased it does nothing: FinishErasures
// checks each block once, and would miss an event that moves to a block which it
// has checked already.
func (u *Upkeep) Merge(ctx context.Context, upTo int64) (more bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var w window
	err = u.store.world.Read(ctx, func(tx *store.Tx) error {
		if erasing, err := isErasing(tx); err != nil || erasing {
			return err
		}
		w, err = u.nextWindow(tx, upTo)
		return err
	})
	if err != nil || w.blocks == nil {
		return false, err
	}
	return true, u.mergeWindow(ctx, w)
}

// MergeKeys shrinks the index of event ids by a step. It reports whether there
// may be more to do.
func (u *Upkeep) MergeKeys(ctx context.Context) (more bool, err error) {
	if u.store.world.Absent(ctx) {
		return false, nil
	}
	if err := u.store.start(ctx); err != nil {
		return false, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.store.keys.merge(ctx)
}

// nextWindow returns blocks to merge; none if all are merged. Listing a project's
// blocks once results in the windows of many steps.
func (u *Upkeep) nextWindow(tx *store.Tx, upTo int64) (w window, err error) {
	if len(u.planned) == 0 {
		if err := u.plan(tx, upTo); err != nil || len(u.planned) == 0 {
			return w, err
		}
	}
	w, u.planned = u.planned[0], u.planned[1:]
	return w, nil
}

// plan chooses windows in one project.
func (u *Upkeep) plan(tx *store.Tx, upTo int64) error {
	projects, err := listProjects(tx)
	if err != nil {
		return err
	}
	for _, p := range projects {
		for {
			from := u.merged[p]
			list, err := smallAndBetween(tx, p, from, upTo)
			if err != nil {
				return err
			}
			for i := range list {
				if u.store.quarantine.has(list[i].first) {
					list[i].bytes = mergedBytes // which is not small
				}
			}
			windows, done := choose(list)
			u.merged[p] = max(from, done)
			for _, blocks := range windows {
				u.planned = append(u.planned, window{p, blocks})
			}
			if len(windows) > 0 {
				return nil
			}
			if done <= from || len(list) < listedBlocks {
				break
			}
		}
	}
	return nil
}

// replan makes the next plan check the blocks of a window again.
func (u *Upkeep) replan(w window) { u.merged[w.project] = min(u.merged[w.project], w.first()) }

// choose returns the neighbours in a list that are to be merged, and the number
// from which the list must be checked again.
func choose(list []stored) (windows [][]stored, done int64) {
	for i := 0; i < len(list); {
		if done = list[i].first; !list[i].small() {
			i++
			continue
		}
		end, events, bytes := i, 0, int64(0)
		for end < len(list) && list[end].small() && events+list[end].events <= mergedEvents && bytes+list[end].bytes <= mergedBytes {
			events, bytes = events+list[end].events, bytes+list[end].bytes
			end++
		}
		if end == len(list) {
			if blocks := newest(list[i:end]); blocks != nil {
				windows = append(windows, blocks)
			}
			return windows, list[i].first
		}
		if end-i > 1 { // no block will be added to it
			windows = append(windows, list[i:end])
		}
		i = end
	}
	return windows, done
}

// newest returns the last blocks of a list if they should be merged: at least
// mergeFew of them, the first of which has no more events than the others
// together. Otherwise it returns nil. So an event is rewritten only when its
// block doubles.
func newest(list []stored) []stored {
	begin, events := len(list), 0
	for begin > 0 && (len(list)-begin < mergeFew || list[begin-1].events <= events) {
		begin--
		events += list[begin].events
	}
	if len(list)-begin < mergeFew || list[begin].events > events-list[begin].events {
		return nil
	}
	return list[begin:]
}

// mergeWindow replaces blocks by one that holds their events.
func (u *Upkeep) mergeWindow(ctx context.Context, w window) error {
	var all []ingest.Event
	var numbers []int64
	raw := 0
	err := u.store.world.Read(ctx, func(tx *store.Tx) error {
		all, numbers, raw = nil, nil, 0
		n := 0
		return eachStored(tx, w.project, w.first(), w.last(), func(b wholeBlock) error {
			events, err := b.decode()
			if err != nil {
				u.store.quarantine.add(b.First, err)
				return errDamaged
			}
			if n >= len(w.blocks) || b.First != w.blocks[n].first || b.N != w.blocks[n].events {
				return errChanged
			}
			w.blocks[n].sum = xxhash.Sum64(b.columns)
			n++
			for i := range events {
				numbers = append(numbers, b.Number(i))
			}
			raw += bytesOf(events)
			all = append(all, events...)
			return nil
		})
	})
	switch {
	case errors.Is(err, errDamaged) || errors.Is(err, errChanged): // the next plan merges the blocks around them
		u.replan(w)
		return nil
	case err == nil && raw > 2*blockBytes: // these stay as they are
		u.merged[w.project] = max(u.merged[w.project], w.last()+1)
		return nil
	case err != nil:
		u.replan(w)
		return err
	}
	block := encode(all, w.first(), gaps(w.first(), numbers))
	err = u.store.world.Write(ctx, func(tx *store.Tx) error {
		c, err := lockCounter(tx) // every change of blocks locks it
		if err != nil {
			return err
		}
		if err := w.lock(tx); err != nil {
			return err
		}
		if erasing, err := isErasing(tx); err != nil || erasing {
			return cmp.Or(err, errChanged)
		}
		if w.first() < c.linked {
			if err := w.replaceSessions(tx, all); err != nil {
				return err
			}
		}
		if err := deleteBlocks(tx, w.project, w.first(), w.last()); err != nil {
			return err
		}
		return insertBlock(tx, w.first(), &batch{project: w.project, events: all, block: block})
	})
	if err != nil { // also on a full disk: the blocks are merged later
		u.replan(w)
	}
	if errors.Is(err, errChanged) {
		return nil
	}
	return err
}

// errDamaged ends a merge with a block that cannot be read.
var errDamaged = errors.New("a block is damaged")

func (w window) first() int64 { return w.blocks[0].first }
func (w window) last() int64  { return w.blocks[len(w.blocks)-1].first }

// gaps returns numbers when there are gaps between them, and nil otherwise, as
// encodeColumns expects.
func gaps(first int64, numbers []int64) []int64 {
	for i, n := range numbers {
		if n != first+int64(i) {
			return numbers
		}
	}
	return nil
}

// lock locks the blocks of a window. It returns errChanged if they have changed
// since they were read.
func (w window) lock(tx *store.Tx) error {
	i := 0
	err := lockBlocks(tx, w.project, w.first(), w.last(), func(first int64, columns []byte) error {
		if i >= len(w.blocks) || w.blocks[i].first != first || w.blocks[i].sum != xxhash.Sum64(columns) {
			return errChanged
		}
		i++
		return nil
	})
	if err == nil && i < len(w.blocks) {
		err = errChanged
	}
	return err
}

// replaceSessions makes the sessions of merged blocks refer to the block that
// replaces them.
func (w window) replaceSessions(tx *store.Tx, events []ingest.Event) error {
	numbers, err := numbersOfSessions(tx, w.project, events)
	if err != nil {
		return err
	}
	rows := make([][]any, 0, len(numbers))
	for _, no := range numbers {
		if err := unlinkSession(tx, no, w.first(), w.last()); err != nil {
			return err
		}
		rows = append(rows, []any{no, w.first()})
	}
	return tx.CopyFrom("event_session_block", []string{"session", "block"}, rows)
}

// numbersOfSessions returns the numbers of the sessions of events, by id.
func numbersOfSessions(tx *store.Tx, project string, events []ingest.Event) (map[string]int64, error) {
	numbers := map[string]int64{}
	for i := range events {
		id := events[i].Session
		if _, ok := numbers[id]; ok {
			continue
		}
		no, err := sessionNumber(tx, project, id, true)
		if err != nil {
			return nil, err
		}
		numbers[id] = no
	}
	return numbers, nil
}
