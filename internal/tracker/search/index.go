// Package search finds issues by words. Its full-text index is filled in the
// background: a write records which issue has changed, and a search first makes
// the index catch up, so that it finds what was just written. It reads the tables
// of the tracker and contains none of its rules.
package search

import (
	"context"
	"log/slog"
	"time"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

var (
	// pace is the pace of the index while nobody searches.
	pace = background.Pace{Quiet: 200 * time.Millisecond, AtMost: 10 * time.Second, Pause: 20 * time.Millisecond}
	// besidePace is the same on PostgreSQL, where no writer waits for a step.
	besidePace = background.Pace{Pause: 100 * time.Millisecond}
)

const (
	// batch is how many changes one transaction indexes.
	batch = 500
	// mostBehind is how many changes may wait: more than a burst of a few seconds
	// produces, but few enough for a search to wait for them.
	mostBehind = 40 * batch
	// mostBeside is the same on PostgreSQL, where indexing takes longer.
	mostBeside = 4 * batch
)

// Index is the full-text index of one world.
type Index struct {
	world    *store.World
	Follower *background.Follower // tests lower its MostBehind
	known    vocabulary
	answers  *answers
}

// New returns the index of a world.
func New(w *store.World, log *slog.Logger) *Index {
	x := &Index{world: w, known: newVocabulary(), answers: newAnswers()}
	pace, most, beside := pace, mostBehind, w.Dialect() == store.PostgreSQL
	if beside {
		pace, most = besidePace, mostBeside
	}
	x.Follower = background.Follow(pace, x.step, func(err error) {
		log.Error("issues could not be added to the search index; the next change or search tries again", "service", "tracker", "error", err)
	})
	x.Follower.MostBehind, x.Follower.GoOn = int64(most), beside
	return x
}

// Changed records a changed issue, in the transaction of the change. With moved,
// the issue sorts before those that changed earlier; an issue of which only the
// comments changed keeps its place.
func (x *Index) Changed(tx *store.Tx, org, issue string, moved bool) error {
	tx.AfterCommit(x.Follower.Wake)
	return noteChange(tx, org, issue, moved)
}

// TeamChanged records all issues of a team as changed.
func (x *Index) TeamChanged(tx *store.Tx, org, team string) error {
	tx.AfterCommit(x.Follower.Wake)
	return noteTeam(tx, org, team)
}

// Ask returns a request for pieces of a term in an organization, at a version of
// it; 0 in a write.
func (x *Index) Ask(org string, version int64, pieces []Piece) *Request {
	return &Request{Org: org, Version: version, Pieces: pieces, answers: x.answers}
}

// Wrote must be called after a transaction, with the approximate number of issues
// that it changed. The caller indexes some changes itself when the index is far
// behind.
func (x *Index) Wrote(ctx context.Context, issues int) { x.Follower.Wrote(ctx, issues) }

// CatchUp indexes everything that is committed.
func (x *Index) CatchUp(ctx context.Context) error { return x.Follower.CatchUp(ctx) }

// Close ends the background work.
func (x *Index) Close() { x.Follower.Close() }

// step indexes some changes. It reports whether there may be more.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	behind := false
	var read *pending
	err = x.world.Read(ctx, func(tx *store.Tx) (err error) {
		if tx.Dialect() == store.PostgreSQL {
			read, err = gather(tx, batch)
			return err
		}
		behind, err = isBehind(tx)
		return err
	})
	switch {
	case err != nil:
	case read != nil && len(read.numbers) > 0:
		if err = x.world.WriteBeside(ctx, read.write); err == nil {
			x.Follower.Derived(int64(len(read.numbers)))
			more = len(read.numbers) == batch // otherwise it was all that was committed before this step
		}
	case behind:
		indexed := 0
		err = x.world.WriteDerived(ctx, func(tx *store.Tx) (err error) {
			indexed, err = indexSome(tx, x.known, batch)
			return err
		})
		if more = true; err == nil {
			x.Follower.Derived(int64(indexed))
		}
	}
	return more, err
}
