package blockstore

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// index finds events by words and metadata, and holds their checkpoints and
// errors. It is updated in the background. Long enough ranges of events are
// stored as runs; the newest range is in memory, and is rebuilt from the events
// after a start. The index contains the numbers of events, so merging blocks does
// not affect it. The numbers of removed events match nothing.
type index struct {
	blocks   *blocks
	follower *background.Follower
	log      *slog.Logger
	rebuilt  *func() // called once for each damaged run that is found; nil for nothing

	mu   sync.RWMutex // locked while tail grows or is stored
	tail run
	// stored is the number of the last event in the stored runs; tail follows it.
	// read is false when stored is not known.
	stored int64
	read   bool
	stale  int64 // the latest of staleNotes when tail began
}

// indexPace leaves most of a processor to writers.
var indexPace = background.Pace{Quiet: 200 * time.Millisecond, AtMost: time.Second, Pause: 100 * time.Millisecond}

// stepEvents is the approximate number of events that one step indexes.
const stepEvents = 4096

// stepBytes is the approximate size of payloads after which a step ends,
// regardless of the number of events.
const stepBytes = 4 << 20

// heldRuns is the number of runs that fit in memory while none can be stored.
const heldRuns = 4

// mostBehind is the number of unindexed events above which writers do a part of
// the indexing: about a second's work, for which the first search after an import
// waits.
const mostBehind = 250_000

func newIndex(b *blocks, log *slog.Logger, rebuilt *func()) *index {
	x := &index{blocks: b, log: log, rebuilt: rebuilt}
	x.follower = background.Follow(indexPace, x.step, func(err error) {
		log.Error("events could not be indexed; the next event or search tries again", "error", err)
	})
	x.follower.MostBehind, x.follower.GoOn = mostBehind, true
	return x
}

// step indexes some events, and stores the run when it is long enough. While
// storing fails, as on a full disk, the run grows in memory, up to a bound.
func (x *index) step(ctx context.Context) (more bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.read {
		if err := x.reload(ctx); err != nil {
			return false, err
		}
	}
	most := 1
	if x.tail.full(most) {
		if err = x.store(ctx); err == nil {
			return true, nil
		}
		if most = heldRuns; !errors.Is(err, store.Unavailable) || x.tail.full(most) {
			return false, err
		}
		if !background.Awaited(ctx) {
			return false, err // which is reported; the next query indexes the events that arrived since
		}
	}
	begun := x.tail.events
	if n := workers(); n > 1 && background.Awaited(ctx) {
		more, err = x.nextApart(ctx, n, most)
	} else {
		more, err = x.next(ctx, most, func(b *textBlock) { x.tail.addBlock(b, &x.blocks.quarantine) })
	}
	x.tail.sortRows()
	x.follower.Derived(int64(x.tail.events - begun))
	if err != nil {
		x.read = false // the events of this step are indexed again
	}
	return more || x.tail.full(most), err
}

// next calls fn for the blocks of one step, which follow the tail, until that would be
// full. more reports that there are others.
func (x *index) next(ctx context.Context, most int, fn func(*textBlock)) (more bool, err error) {
	events, size := 0, 0
	begun := x.tail.events
	err = eachText(ctx, x.blocks, x.tail.last, func(b *textBlock) (bool, error) {
		c := b.shown
		if begun+events == 0 {
			x.tail.first = c.Number(0)
		}
		// Groups of different projects may overlap: a run ends only where none
		// does.
		full := begun+events >= most*fullRows || x.tail.full(most)
		if apart := c.First > x.tail.last; apart && (events >= stepEvents || size >= stepBytes || full || !x.tail.reaches(c)) {
			x.tail.closed = !x.tail.reaches(c)
			more = true
			return false, nil
		}
		events, size = events+c.N, size+payloadBytes(b.raw.payload)
		x.tail.last = max(x.tail.last, c.Last())
		fn(b)
		return true, ctx.Err()
	})
	return more, err
}

// spareRuns is a pool of runs, for their memory.
var spareRuns = sync.Pool{New: func() any { return &run{} }}

// nextApart is next for a step that a query waits for: n goroutines index the
// blocks.
func (x *index) nextApart(ctx context.Context, n, most int) (more bool, err error) {
	var parts []*run // in the order of the blocks
	work := func(_ int, blocks <-chan *textBlock) {
		for b := range blocks {
			b.part.addBlock(b, &x.blocks.quarantine)
		}
	}
	err = background.Share(n, work, func(do func(*textBlock)) (err error) {
		more, err = x.next(ctx, most, func(b *textBlock) {
			b.part = spareRuns.Get().(*run)
			b.part.reset(x.tail.first)
			parts = append(parts, b.part)
			do(b)
		})
		return err
	})
	for _, p := range parts {
		x.tail.append(p)
		spareRuns.Put(p)
	}
	return more, err
}

// reload empties the tail and begins after the last stored run.
func (x *index) reload(ctx context.Context) error {
	return x.blocks.world.Read(ctx, func(tx *store.Tx) error {
		last, err := lastIndexed(tx)
		if err != nil {
			return err
		}
		x.stored = last
		x.tail.reset(last + 1)
		x.stale, err = staleNotes(tx, last)
		x.read = err == nil
		return err
	})
}

// store stores the run in memory, unless another node has stored it, or events
// that it contains were removed: then it is built again.
func (x *index) store(ctx context.Context) error {
	pages, least := x.tail.postings.pages()
	marks, fails := x.tail.marks.encode(), x.tail.fails.encode()
	err := x.blocks.world.WriteDerived(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if last, err := lastIndexed(tx); err != nil || last != x.stored {
			return err
		}
		if err := insertIndexRun(tx, &x.tail, marks, fails, pages, least); err != nil {
			return err
		}
		if _, err := lockCounter(tx); err != nil { // transactions that remove events lock it: they have marked the run as stale, or will see it
			return err
		}
		stale, err := staleNotes(tx, x.stored)
		if err == nil && stale > x.stale {
			err = errChanged
		}
		return err
	})
	if errors.Is(err, errChanged) {
		err = nil
	}
	x.read = err != nil // the stored runs are read again
	return err
}

// catchUp indexes all stored events. It is called before a query.
func (x *index) catchUp(ctx context.Context) error { return x.follower.CatchUp(ctx) }

// found is a set of events by their numbers: rows of ranges, in ascending order.
type found []foundRange

type foundRange struct {
	first, last int64
	rows        bitset
}

// has reports whether an event is among them.
func (f found) has(number int64) bool {
	at, ok := slices.BinarySearchFunc(f, number, func(r foundRange, n int64) int {
		switch {
		case n < r.first:
			return 1
		case n > r.last:
			return -1
		}
		return 0
	})
	return ok && f[at].rows.has(int(number-f[at].first))
}

// any reports whether an event from first to last is among them.
func (f found) any(first, last int64) bool {
	at, _ := slices.BinarySearchFunc(f, first, func(r foundRange, n int64) int { return cmp.Compare(r.last, n) })
	for ; at < len(f) && f[at].first <= last; at++ {
		r := &f[at]
		if r.rows.anyIn(int(max(first, r.first)-r.first), int(min(last, r.last)-r.first)) {
			return true
		}
	}
	return false
}

// atMost returns the numbers of the events. ok is false if they are more than n.
func (f found) atMost(n int64) (numbers []int64, ok bool) {
	for i := range f {
		if n -= f[i].rows.count(); n < 0 {
			return nil, false
		}
	}
	for i := range f {
		for row := range f[i].rows.all() {
			numbers = append(numbers, f[i].first+int64(row))
		}
	}
	return numbers, true
}

// find returns the events that match terms.
func (x *index) find(ctx context.Context, t terms) (out found, err error) {
	err = x.mended(ctx, func() (err error) {
		out, err = x.look(ctx, t)
		return err
	})
	return out, err
}

// look is find on an index without damage.
func (x *index) look(ctx context.Context, t terms) (out found, err error) {
	if err := x.catchUp(ctx); err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var having rowsByPosting
	var runs []foundRange
	err = x.blocks.world.Read(ctx, func(tx *store.Tx) error {
		if runs, err = listIndexed(tx, x.tail.first); err != nil {
			return err
		}
		having, err = readPostings(tx, t.all())
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, term := range t.all() {
		var rows bitset
		x.tail.postings.each(term, func(row uint64) { rows = rows.with(int(row)) })
		having[posting{term, x.tail.first}] = rows
	}
	for _, r := range append(runs, foundRange{first: x.tail.first, last: x.tail.last}) {
		if r.rows = t.rows(func(term uint64) bitset { return having[posting{term, r.first}] }); !r.rows.empty() {
			out = append(out, r)
		}
	}
	return out, nil
}

// posting is a term in a run, by the run's first number.
type posting struct {
	term uint64
	run  int64
}

// rowsByPosting are the rows that have a term.
type rowsByPosting map[posting]bitset

// termPage is the page of a run that contains a term if any does.
type termPage struct {
	posting
	compressed []byte
}

// readPostings reads the rows of terms in all stored runs. Several goroutines
// decode the pages, which takes most of the time of a search.
func readPostings(tx *store.Tx, terms []uint64) (rowsByPosting, error) {
	parts, errs := make([]rowsByPosting, workers()), make([]error, workers())
	work := func(worker int, pages <-chan termPage) {
		out, space := rowsByPosting{}, []byte(nil)
		for p := range pages {
			rows, used, err := rowsInPage(p.compressed, p.term, space)
			out[p.posting], space = rows, used
			errs[worker] = cmp.Or(errs[worker], damaged(p.run, err))
		}
		parts[worker] = out
	}
	err := background.Share(len(parts), work, func(do func(termPage)) error {
		for _, term := range terms {
			err := eachTermPage(tx, term, func(run int64, page []byte) error {
				do(termPage{posting{term, run}, page})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, part := range parts[1:] {
		maps.Copy(parts[0], part)
	}
	return parts[0], cmp.Or(err, errors.Join(errs...))
}
