// Package search finds records: it compiles filters, chooses the index that
// answers them, counts the matches, and maintains the index of words. It depends
// on properties (package schema) and on the tables of records, values and
// associations, but not on the rules by which records change.
package search

import (
	"context"
	"errors"
	"sync"
	"time"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/background"
	"understudy/internal/platform/budget"
	"understudy/internal/platform/store"
)

// Fields describes an object type of a portal.
type Fields struct {
	Portal     int64
	Type       schema.Type
	Property   func(name string) *schema.Property // also archived ones; nil for an unknown name
	Searchable []*schema.Property                 // the properties that a query searches
}

// live returns a property that is not archived, or nil.
func (f *Fields) live(name string) *schema.Property {
	if p := f.Property(name); p != nil && p.ArchivedAt == 0 {
		return p
	}
	return nil
}

const (
	// wordsChunk is how many records one step indexes.
	wordsChunk = chunkSize
	// buildsAtOnce is how many chunks of postings are built without a pause.
	buildsAtOnce = 5
	// wordsPause is the pause before each step in the background, which leaves at
	// least half of the time to callers.
	wordsPause = 100 * time.Millisecond
	// besidePause is the same on PostgreSQL, where no writer waits for a step. While
	// others write, a step waits up to five pauses for a whole chunk.
	besidePause = 20 * time.Millisecond
	// maxBehind is how many written records may wait for the index before writers
	// index some themselves. Searches read up to maxLoose records directly.
	maxBehind = maxLoose / 2
	// mergeEvery is how many indexed records may wait in the pending list of
	// PostgreSQL's index, which each search reads.
	mergeEvery = 1_000
)

// Index searches the records of one world. It fills the full-text index
// behind the writes, since filling it in each write would take most of the write
// rate. It catches up in the background; searches read what it lacks.
type Index struct {
	world    *store.World
	fieldsOf func(ctx context.Context, portal int64, t schema.Type) (*Fields, error)
	words    *background.Follower
	mu       sync.Mutex // held while the index is filled

	beside   bool // the index is filled beside the writers; false before the first step
	unmerged int  // on PostgreSQL: about how many records the pending list has

	// Gather is up to how many candidates are collected, and SampleMany how many in
	// an even sample mean that there are more. Tests lower both, so that few records
	// count as many.
	Gather, SampleMany int
	// Chunk is how many ids a row of a posting covers; tests lower it before the
	// first record.
	Chunk int64
}

// New returns the index of a world. fieldsOf returns the newest definitions of an
// object type; report is called with errors of the background work, which Close
// ends.
func New(w *store.World, fieldsOf func(ctx context.Context, portal int64, t schema.Type) (*Fields, error), report func(error)) *Index {
	x := &Index{world: w, fieldsOf: fieldsOf, Gather: Window, SampleMany: sampleMany, Chunk: chunkSize}
	x.words = background.Follow(background.Pace{Pause: wordsPause}, x.step, report)
	x.words.Then, x.words.MostBehind = x.buildSome, maxBehind
	return x
}

// Close ends the background work and waits for it.
func (x *Index) Close() { x.words.Close() }

// Changed starts the background work; callers call it after each commit.
func (x *Index) Changed() { x.words.Wake() }

// Wrote is Changed for n records. If the index is far behind, the caller indexes
// some records itself.
func (x *Index) Wrote(ctx context.Context, n int) {
	x.words.Wrote(ctx, n)
}

// Find returns a page of live records, including all committed writes. It returns
// InvalidRequest and InvalidProperties for an invalid request.
func (x *Index) Find(ctx context.Context, f *Fields, in Request) (Page, error) {
	if err := in.check(f); err != nil {
		return Page{}, err
	}
	out, err := find(ctx, x, f, in, false)
	if errors.Is(err, errLoose) {
		if err = x.CatchUp(ctx); err == nil {
			out, err = find(ctx, x, f, in, true)
		}
	}
	return out, err
}

// find is Index.Find for a valid request. If current is set, the index of words has all
// that was committed before the call of Find; otherwise find reads what it lacks, and
// returns errLoose if that is too much.
func find(ctx context.Context, x *Index, f *Fields, in Request, current bool) (out Page, err error) {
	pl, err := compile(f, in)
	if err != nil {
		return out, err
	}
	pl.index, pl.gather, pl.sampleMany, pl.room = x, x.Gather, x.SampleMany, budget.NewPage(ctx)
	err = x.world.Read(ctx, func(tx *store.Tx) error {
		if !current && pl.needsWords() {
			if pl.behind, err = wordsBehind(tx, f); err != nil {
				return err
			}
			if pl.behind != nil {
				x.words.Wake() // the backlog may date from an earlier run
			}
		}
		if err := pl.loadLinks(tx); err != nil {
			return err
		}
		out, err = pl.run(tx)
		return err
	})
	return out, err
}

// CatchUp indexes the words of all records committed before the call.
func (x *Index) CatchUp(ctx context.Context) error {
	last, current := int64(-1), false
	for more := true; more; {
		err := x.world.Read(ctx, func(tx *store.Tx) (err error) {
			current, err = wordsReach(tx, &last)
			return err
		})
		if err != nil || current {
			return err
		}
		if more, err = x.words.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// step indexes some records and reports whether there may be more. On PostgreSQL a
// reader needs only what was written before; other steps end where a chunk is not
// complete yet, so that its records are not described again with the others.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for newest := int64(-1); ; {
		b, err := x.indexSome(ctx)
		if b == nil || err != nil {
			return false, err
		}
		if newest < 0 {
			newest = b.last
		}
		switch {
		case !b.beside || !b.more:
			return b.more, nil
		case background.Awaited(ctx):
			if b.mark >= newest && len(b.notes) < wordsChunk {
				return false, nil
			}
		case !b.follows():
			return true, nil
		}
	}
}

// indexSome indexes some records and returns them; nil when there are none.
func (x *Index) indexSome(ctx context.Context) (b *wordsBatch, err error) {
	err = x.world.Read(ctx, func(tx *store.Tx) (err error) {
		b, err = pendingWords(tx, wordsChunk, x.Chunk)
		return err
	})
	if err != nil || b == nil {
		return nil, err
	}
	if err := x.describe(ctx, b); err != nil {
		return nil, err
	}
	save := x.save
	if b.beside {
		save = x.saveBeside
	}
	if err := save(ctx, b); err != nil {
		return nil, err
	}
	x.words.Derived(b.mark - b.from + int64(len(b.again)))
	if !b.fills() && b.lastOf(b.built) <= b.mark { // shorter steps have completed the chunk
		_, err = x.buildNext(ctx)
	}
	return b, err
}

// saveBeside stores a step on PostgreSQL, and merges the pending list of the index
// of words if it is long.
func (x *Index) saveBeside(ctx context.Context, b *wordsBatch) error {
	if !x.beside {
		x.beside = true
		x.words.SetPace(besidePause, x.Chunk)
	}
	x.unmerged += len(b.records)
	merges := x.unmerged >= mergeEvery
	err := x.world.WriteBeside(ctx, func(tx *store.Tx) error {
		if err := b.saveBeside(tx); err != nil || !merges {
			return err
		}
		var pages int64
		_, err := tx.Get(`SELECT gin_clean_pending_list('crm_fts_words')`, nil, &pages)
		return err
	})
	if err != nil {
		return err
	}
	if merges {
		x.unmerged = 0
	}
	return nil
}

// save stores a step on SQLite.
func (x *Index) save(ctx context.Context, b *wordsBatch) error {
	return x.world.WriteDerived(ctx, func(tx *store.Tx) error { return saveWords(tx, b) })
}

// build stores the postings of one chunk and reports whether there was one to
// build.
func (x *Index) build(ctx context.Context) (more bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.buildNext(ctx)
}

// buildSome stores the postings of a few chunks and reports whether there may be
// more to build.
func (x *Index) buildSome(ctx context.Context) (more bool, err error) {
	for range buildsAtOnce {
		if more, err = x.build(ctx); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// buildNext is build for callers that hold mu.
func (x *Index) buildNext(ctx context.Context) (more bool, err error) {
	var b *wordsBatch
	err = x.world.Read(ctx, func(tx *store.Tx) (err error) {
		b, err = unbuiltChunk(tx, x.Chunk)
		return err
	})
	if err != nil || b == nil {
		return false, err
	}
	if err := x.describe(ctx, b); err != nil {
		return false, err
	}
	// Records that have changed since they were read are in crm_fts_pending.
	return true, x.world.WriteBeside(ctx, func(tx *store.Tx) error { return saveChunk(tx, b.filled) })
}

// describe computes the words and postings of a step's records. This is most of
// the work of a step, and done before the transaction that blocks other writers.
func (x *Index) describe(ctx context.Context, b *wordsBatch) error {
	var d *describer
	for i, r := range b.records {
		if before := b.records[max(i-1, 0)]; d == nil || r.portal != before.portal || r.Type != before.Type {
			f, err := x.fieldsOf(ctx, r.portal, r.Type)
			if err != nil {
				return err
			}
			d = newDescriber(f)
		}
		var e *entry
		if b.fills() && r.ID > b.from || b.chunkOf(r.ID) < b.built { // otherwise savePostings needs no entry
			e = &entry{in: make([]member, 0, 64), ranks: make([]ranked, 0, 4)}
		}
		b.documents, b.entries = append(b.documents, d.document(r.Record, e)), append(b.entries, e)
	}
	if b.fills() {
		b.filled = b.fill(nil)
	}
	return nil
}

// Fill indexes the words of all committed records and stores their postings.
func (x *Index) Fill(ctx context.Context) error {
	if err := x.CatchUp(ctx); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = x.build(ctx); err != nil {
			return err
		}
	}
	return nil
}
