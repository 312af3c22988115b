package blockstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/internal/platform/store"
)

// errKeys is the error of a damaged page of keys, errFilter that of a damaged
// filter.
var (
	errKeys   = errors.New("a page of keys is damaged")
	errFilter = errors.New("a filter of keys is damaged")
)

// damagedKeys is the error of reading a run whose bytes are damaged.
type damagedKeys struct {
	upto int64 // of the run
	err  error
}

func (e damagedKeys) Error() string { return fmt.Sprintf("keys of events below %d: %v", e.upto, e.err) }

// damage returns an error of reading the run's pages as damagedKeys if the pages
// are damaged.
func (r keyRun) damage(err error) error {
	if errors.Is(err, errKeys) {
		return damagedKeys{r.upto, err}
	}
	return err
}

// pairsOf returns the pairs of a stored page, which ends with its checksum unless
// an earlier version wrote it. It returns errKeys.
func pairsOf(stored []byte) ([]byte, error) {
	if len(stored)%pairBytes == 0 && len(stored) > 0 {
		return stored, nil
	}
	pairs, ok := cutSum(stored)
	if !ok || len(pairs)%pairBytes != 0 {
		return nil, errKeys
	}
	return pairs, nil
}

// mended calls ask, which finds events by their ids. If ask finds a damaged run
// of keys, mended rebuilds that run from the blocks and calls ask again.
func mended(ctx context.Context, s *Store, ask func() error) error {
	for seen := map[int64]bool{}; ; {
		err := ask()
		var bad damagedKeys
		if !errors.As(err, &bad) || seen[bad.upto] {
			return err
		}
		seen[bad.upto] = true
		s.Upkeep.mu.Lock() // no merge of runs is in progress
		err = s.keys.mend(context.WithoutCancel(ctx), bad)
		s.Upkeep.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// mend rebuilds a damaged run. Its caller holds the lock of maintenance.
func (k *keyRuns) mend(ctx context.Context, bad damagedKeys) error {
	if _, found := k.beginOf(bad.upto); !found { // another goroutine has rebuilt it
		return nil
	}
	k.log.Error("keys of events are damaged and are built anew", "upto", bad.upto, "error", bad.err)
	if *k.rebuilt != nil {
		(*k.rebuilt)()
	}
	return rebuildKeys(ctx, k, bad.upto, runKeys)
}

// damagedFilter returns a run whose filter is damaged.
func damagedFilter(k *keyRuns) (run keyRun, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slices.IndexFunc(k.runs, func(r keyRun) bool { return r.damaged })
	if at < 0 {
		return run, false
	}
	return k.runs[at], true
}

// rebuildKeys replaces a run by runs of about most keys each, which it makes from the
// blocks. A crash leaves what is replaced so far; the rest is still damaged, and
// is found again. Maintenance deletes the pages that belong to no run then.
func rebuildKeys(ctx context.Context, k *keyRuns, upto int64, most int) error {
	k.merging = nil
	for {
		begin, found := k.beginOf(upto)
		if !found {
			return nil
		}
		keys, end, err := readKeys(ctx, k.world, begin, upto, most)
		if err != nil {
			return err
		}
		run, pages := newRun(keys, end)
		err = k.world.Write(ctx, func(tx *store.Tx) error {
			if end == upto {
				if err := deleteRuns(tx, keyRun{upto: upto}); err != nil {
					return err
				}
			}
			tx.AfterCommit(func() { k.insert(run) })
			return insertWhole(tx, run, pages)
		})
		if err != nil || end == upto {
			return err
		}
	}
}

// beginOf returns the number of the first event that a run may have a key of.
func (k *keyRuns) beginOf(upto int64) (begin int64, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	begin = 1
	for _, r := range k.runs {
		if r.upto == upto {
			return begin, true
		}
		begin = r.upto
	}
	return 0, false
}

// readKeys returns the keys of the events from begin on and below end, which is at
// most upto: about most of them.
func readKeys(ctx context.Context, w *store.World, begin, upto int64, most int) (keys map[uint64]int64, end int64, err error) {
	err = w.Read(ctx, func(tx *store.Tx) error {
		keys, end = map[uint64]int64{}, begin
		whole := true
		err := eachIdents(tx, begin, func(c blockIDs) error {
			if c.first >= upto {
				return store.Stop()
			}
			if len(keys) >= most && c.first >= end { // blocks of different projects may overlap
				whole = false
				return store.Stop()
			}
			for i, id := range c.ids {
				if n := c.number(i); n >= begin && n < upto {
					h := hashID(c.project, id)
					keys[h], end = max(keys[h], n), max(end, n+1)
				}
			}
			return nil
		})
		if whole {
			end = upto
		}
		return err
	})
	return keys, end, err
}

// insert adds a run to those in memory, in the place of one with the same end.
func (k *keyRuns) insert(run keyRun) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := 0
	for at < len(k.runs) && k.runs[at].upto < run.upto {
		at++
	}
	rest := k.runs[at:]
	if len(rest) > 0 && rest[0].upto == run.upto {
		rest = rest[1:]
	}
	k.runs = append(append(k.runs[:at:at], run), rest...)
}
