package blockstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"log/slog"
	"slices"
	"sort"
	"sync"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

const (
	runKeys    = 1 << 18 // keys in memory before they become a run
	pagePairs  = 1024    // keys in a page of a run
	pairBytes  = 16      // of a key with its number in a page
	filterHits = 6
)

// keyRuns is the index for a database that one process alone uses. The keys of
// the latest events are in memory, those of older ones in sorted runs, each with
// a Bloom filter. Everything can be derived from the blocks: what is in memory is
// read from them at the next start. A wrong entry does no harm, but one that is
// missing would store an event twice: a run whose bytes have changed is built
// anew.
type keyRuns struct {
	world   *store.World
	log     *slog.Logger
	rebuilt *func() // called once for each damaged run that is found; nil for nothing

	mu      sync.Mutex
	recent  map[uint64]int64
	storing map[uint64]int64 // being stored as a run
	end     int64            // number of the event after the last one in recent
	runs    []keyRun
	work    sync.WaitGroup

	merging *runMerge // a merge in progress, by maintenance, which runs one step at a time; nil for none
}

// keyRun is a run: the keys of the events with numbers below upto that are in no
// earlier run.
type keyRun struct {
	upto   int64
	pages  int64 // the number of its pages; 0 is upto
	keys   int64
	filter filter
	// damaged is true if the stored filter is damaged.
	damaged bool
}

// number returns the number under which the pages of a run are stored.
func (r keyRun) number() int64 {
	if r.pages != 0 {
		return r.pages
	}
	return r.upto
}

type pair struct {
	hash uint64
	seq  int64
}

func (k *keyRuns) load(tx *store.Tx) error {
	runs, err := listRuns(tx)
	if err != nil {
		return err
	}
	k.runs, k.end = runs, 1
	if len(runs) > 0 {
		k.end = runs[len(runs)-1].upto
	}
	return eachIdents(tx, k.end, func(c blockIDs) error {
		for i, id := range c.ids {
			k.recent[hashID(c.project, id)] = c.number(i)
		}
		if n := len(c.ids); n > 0 {
			k.end = max(k.end, c.number(n-1)+1)
		}
		return nil
	})
}

func (k *keyRuns) find(tx *store.Tx, hashes []uint64) (map[uint64][]int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out map[uint64][]int64
	note := func(h uint64, seq int64) {
		if out == nil {
			out = map[uint64][]int64{}
		}
		out[h] = append(out[h], seq)
	}
	for _, h := range hashes {
		if seq, ok := k.recent[h]; ok {
			note(h, seq)
		}
		if seq, ok := k.storing[h]; ok {
			note(h, seq)
		}
		for i := range k.runs {
			if !k.runs[i].filter.has(h) {
				continue
			}
			seq, ok, err := findInRun(tx, k.runs[i].number(), h)
			if err != nil {
				return nil, k.runs[i].damage(err)
			}
			if ok {
				note(h, seq)
			}
		}
	}
	return out, nil
}

func (k *keyRuns) add(tx *store.Tx, hashes []uint64, seq int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, h := range hashes {
		k.recent[h] = seq + int64(i)
	}
	k.end = seq + int64(len(hashes))
	if upto := k.end; len(k.recent) >= runKeys && k.storing == nil {
		tx.AfterCommit(func() { k.storeRun(upto) }) // everything below upto is durable then
	}
	return nil
}

// remove does nothing: the store compares the candidates of the index with the
// blocks in any case.
func (k *keyRuns) remove(*store.Tx, string, []ingest.Event, []int64) error { return nil }

// storeRun begins to store the keys in memory as a run. Those from upto on may
// belong to a write that failed: the next start reads the blocks from there.
func (k *keyRuns) storeRun(upto int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.storing != nil || len(k.recent) < runKeys {
		return
	}
	keys := k.recent
	k.storing, k.recent = keys, make(map[uint64]int64, runKeys)
	k.work.Go(func() {
		run, err := k.writeRun(keys, upto)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.storing = nil
		if err != nil {
			k.log.Error("the keys of events could not be written; they stay in memory", "error", err)
			for h, seq := range keys {
				if _, newer := k.recent[h]; !newer {
					k.recent[h] = seq
				}
			}
			return
		}
		k.runs = append(k.runs, run)
	})
}

func (k *keyRuns) writeRun(keys map[uint64]int64, upto int64) (keyRun, error) {
	run, pages := newRun(keys, upto)
	return run, k.world.Write(context.Background(), func(tx *store.Tx) error { return insertWhole(tx, run, pages) })
}

// newRun returns a run of keys, with its pages as rows.
func newRun(keys map[uint64]int64, upto int64) (run keyRun, pages [][]any) {
	run = keyRun{upto: upto, keys: int64(len(keys)), filter: newFilter(len(keys))}
	pairs := make([]pair, 0, len(keys))
	for h, seq := range keys {
		run.filter.add(h)
		pairs = append(pairs, pair{h, seq})
	}
	// In the order of signed numbers, by which the database compares pages.
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(int64(a.hash), int64(b.hash)) })
	return run, pageRows(upto, pairs)
}

// pageRows returns sorted pairs as rows of event_key_page.
func pageRows(number int64, pairs []pair) (rows [][]any) {
	for page := range slices.Chunk(pairs, pagePairs) {
		b := make([]byte, 0, len(page)*pairBytes+sumBytes)
		for _, p := range page {
			b = binary.LittleEndian.AppendUint64(b, p.hash)
			b = binary.LittleEndian.AppendUint64(b, uint64(p.seq))
		}
		rows = append(rows, []any{number, int64(page[0].hash), store.Blob(appendSum(b))})
	}
	return rows
}

func (k *keyRuns) close() { k.work.Wait() }

// searchPage finds a hash among the pairs of a page.
func searchPage(b []byte, h uint64) (int64, bool) {
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[pairBytes*i:]) }
	n := len(b) / pairBytes
	i := sort.Search(n, func(i int) bool { return int64(at(i)) >= int64(h) })
	if i == n || at(i) != h {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(b[pairBytes*i+8:])), true
}

// filter is a Bloom filter; its size is a power of two bytes.
type filter []byte

// leastFilter is the size of the smallest filter, in bytes.
const leastFilter = 64

// excludesNothing replaces a damaged filter: all keys are looked up.
var excludesNothing = filter(bytes.Repeat([]byte{0xff}, leastFilter))

// filterFrom returns a stored filter, which is followed by its checksum unless an
// earlier version wrote it. For a damaged one it returns excludesNothing.
func filterFrom(stored []byte) (f filter, damaged bool) {
	f = stored
	if content, ok := cutSum(stored); ok {
		f = content
	}
	if len(f) < leastFilter || len(f)&(len(f)-1) != 0 {
		return excludesNothing, true
	}
	return f, false
}

func newFilter(keys int) filter {
	size := leastFilter
	for size*8 < keys*filterBits(keys) {
		size *= 2
	}
	return make(filter, size)
}

// filterBits returns how many bits a filter has for each of its keys. With 16
// bits it is wrong for one key in a thousand. There are few runs of many keys, so
// more wrong answers cost little there, and their filters use most of the memory.
func filterBits(keys int) int {
	switch {
	case keys > 8*runKeys:
		return 8
	case keys > 2*runKeys:
		return 12
	}
	return 16
}

// bit returns the position of bit i of a key, by double hashing with the two
// halves of its hash.
func (f filter) bit(h uint64, i int) (at uint64, mask byte) {
	n := (h + uint64(i)*(h>>32|1)) & uint64(len(f)*8-1)
	return n / 8, 1 << (n % 8)
}

func (f filter) add(h uint64) {
	for i := range filterHits {
		at, mask := f.bit(h, i)
		f[at] |= mask
	}
}

func (f filter) has(h uint64) bool {
	for i := range filterHits {
		if at, mask := f.bit(h, i); f[at]&mask == 0 {
			return false
		}
	}
	return true
}
