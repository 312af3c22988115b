package blockstore

import (
	"context"
	"errors"
	"slices"

	"understudy/internal/platform/store"
)

const (
	// mergeRuns is the least number of runs that are merged. It bounds the number
	// of runs to a few for each doubling of the number of keys.
	mergeRuns = 4
	// mergePages is the number of pages that one step of a merge writes, or removes.
	mergePages = 64
)

// runMerge is a merge of runs in progress. Its pages belong to no run until it
// ends; after a crash they are removed.
type runMerge struct {
	runs   []keyRun // the oldest first
	pages  int64    // the number under which its pages are stored
	oldest int64    // keys of events with lower numbers are left out: the events were removed
	inputs []*runReader
	filter filter
	keys   int64
	page   []pair // the next page, while it grows
}

// runReader reads the pairs of a run in order.
type runReader struct {
	run   keyRun
	least int64 // of the last page that was read
	begun bool
	pairs []pair
	ended bool
}

// next returns the next pair; false at the end.
func (r *runReader) next(tx *store.Tx) (pair, bool, error) {
	for len(r.pairs) == 0 && !r.ended {
		least, pairs, found, err := pageAfter(tx, r.run.number(), r.least, r.begun)
		if err != nil {
			return pair{}, false, r.run.damage(err)
		}
		r.least, r.begun, r.pairs, r.ended = least, true, pairs, !found
	}
	if len(r.pairs) == 0 {
		return pair{}, false, nil
	}
	return r.pairs[0], true, nil
}

// merge continues a merge of runs, or begins one if there are enough runs of
// about one size. It builds damaged runs anew first. It reports whether there is
// more to do.
func (k *keyRuns) merge(ctx context.Context) (more bool, err error) {
	if run, ok := damagedFilter(k); ok {
		return true, k.mend(ctx, damagedKeys{run.upto, errFilter})
	}
	if k.merging == nil {
		more, err := k.removeUnused(ctx)
		if more || err != nil {
			return more, err
		}
		runs := k.chooseRuns()
		if runs == nil {
			return false, nil
		}
		if err := k.beginMerge(ctx, runs); err != nil {
			return false, err
		}
	}
	m := *k.merging // a step that fails is repeated
	m.inputs = slices.Clone(m.inputs)
	for i, r := range m.inputs {
		input := *r
		m.inputs[i] = &input
	}
	var ended bool
	err = k.world.Read(ctx, func(tx *store.Tx) error { return m.fill(tx, mergePages*pagePairs) })
	var bad damagedKeys
	if errors.As(err, &bad) {
		return true, k.mend(ctx, bad)
	}
	if err != nil {
		return false, err
	}
	ended = len(m.page) < mergePages*pagePairs
	rows := pageRows(m.pages, m.page)
	m.keys += int64(len(m.page))
	for _, p := range m.page {
		m.filter.add(p.hash) // harmless if it is added again
	}
	run := keyRun{upto: m.runs[len(m.runs)-1].upto, pages: m.pages, keys: m.keys, filter: m.filter}
	m.page = nil
	err = k.world.Write(ctx, func(tx *store.Tx) error {
		if err := insertPages(tx, rows); err != nil || !ended {
			return err
		}
		tx.AfterCommit(func() { k.replace(m.runs, run) })
		if err := deleteRuns(tx, m.runs...); err != nil {
			return err
		}
		return insertRun(tx, run)
	})
	if err != nil {
		return false, err
	}
	if k.merging = &m; ended {
		k.merging = nil
	}
	return true, nil
}

// chooseRuns returns the newest runs if they should be merged: at least mergeRuns
// of them, the first of which has no more keys than the others together.
// Otherwise it returns nil.
func (k *keyRuns) chooseRuns() []keyRun {
	k.mu.Lock()
	defer k.mu.Unlock()
	begin, keys := len(k.runs), int64(0)
	for begin > 0 && (len(k.runs)-begin < mergeRuns || k.runs[begin-1].keys <= keys) {
		begin--
		keys += k.runs[begin].keys
	}
	if len(k.runs)-begin < mergeRuns || k.runs[begin].keys > keys-k.runs[begin].keys {
		return nil
	}
	return slices.Clone(k.runs[begin:])
}

func (k *keyRuns) beginMerge(ctx context.Context, runs []keyRun) error {
	m := &runMerge{runs: runs}
	keys := int64(0)
	for _, r := range runs {
		m.inputs = append(m.inputs, &runReader{run: r})
		keys += r.keys
	}
	m.filter = newFilter(int(keys))
	err := k.world.Read(ctx, func(tx *store.Tx) (err error) {
		m.pages, m.oldest, err = mergeNumbers(tx)
		return err
	})
	if err == nil {
		k.merging = m
	}
	return err
}

// fill collects pairs until there are n or the runs end. Of two pairs with one
// hash it takes the later: the earlier event was erased before the later one
// arrived.
func (m *runMerge) fill(tx *store.Tx, n int) error {
	for len(m.page) < n {
		var least pair
		var from *runReader
		for _, r := range m.inputs {
			p, ok, err := r.next(tx)
			if err != nil {
				return err
			}
			if ok && (from == nil || int64(p.hash) < int64(least.hash)) {
				least, from = p, r
			}
		}
		if from == nil {
			return nil
		}
		from.pairs = from.pairs[1:]
		last := len(m.page) - 1
		switch {
		case least.seq < m.oldest:
		case last >= 0 && m.page[last].hash == least.hash:
			m.page[last].seq = max(m.page[last].seq, least.seq)
		default:
			m.page = append(m.page, least)
		}
	}
	return nil
}

// replace replaces merged runs by the result of the merge.
func (k *keyRuns) replace(merged []keyRun, by keyRun) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slices.IndexFunc(k.runs, func(r keyRun) bool { return r.upto == merged[0].upto })
	k.runs = slices.Concat(k.runs[:at], []keyRun{by}, k.runs[at+len(merged):])
}

// removeUnused removes some pages that belong to no run. It reports whether there
// may be more.
func (k *keyRuns) removeUnused(ctx context.Context) (more bool, err error) {
	err = k.world.Read(ctx, func(tx *store.Tx) error {
		more, err = hasUnusedPages(tx)
		return err
	})
	if err != nil || !more {
		return false, err
	}
	return true, k.world.Write(ctx, deleteUnusedPages)
}
