package sqlite

import (
	"context"
	"sync"
	"sync/atomic"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// A checkpoint writes the pages in a world's log to its file, so that the log can
// begin anew. The pages of large tables and indexes are scattered over the file:
// the disk takes tens of milliseconds for them, for which all writers would wait.
// So another connection than the writer's does most of it while writes go on, in
// rounds: each writes what was logged during the one before, and waits for the
// disk. The leading writer then does what is left.
const (
	// logPages is the number of pages in the log at which a checkpoint begins. A
	// long log contains many versions of the busy pages, of which one is written;
	// but it takes disk space, and forks copy it.
	logPages = 8000
	// fewPagesLeft is the number of pages of a round after which there is no other.
	fewPagesLeft = 500
	maxRounds    = 4
	// retryPages is how much the log grows before the next checkpoint if readers
	// prevent it from beginning anew.
	retryPages = 1000
)

// rounds are the rounds of a checkpoint beside the writers.
type rounds struct {
	running sync.Mutex // held during a round
	state   atomic.Int32
}

// The states of rounds.
const (
	noRounds int32 = iota
	inRounds
	afterRounds // the leading writer must do the rest
)

// afterCommit starts a checkpoint of a long log, or completes it. If the file has
// other names, these get their own file first.
func (w *world) afterCommit() {
	if w.db != nil || w.writer == nil {
		return
	}
	pages := native.LogPages(w.writer.db)
	if pages < w.checkpointAt { // it may have begun anew
		w.tried = 0
		w.rounds.state.CompareAndSwap(afterRounds, noRounds)
		return
	}
	if w.tried > 0 && pages-w.tried < retryPages {
		return
	}
	if w.shared.Load() {
		if err := w.unshare(); err != nil {
			w.checkpointAt *= 2 // let the log grow, and retry later
			return
		}
	}
	switch {
	case w.store.share.crowded() || w.rounds.state.CompareAndSwap(afterRounds, noRounds):
		_, _, _ = checkpoint(w.writer) // after a failure the log remains, which is just as durable
		w.tried = pages
	case w.rounds.state.CompareAndSwap(noRounds, inRounds):
		if !w.users.Acquire() { // the world is being closed
			w.rounds.state.Store(noRounds)
			return
		}
		go writeBeside(w)
	}
}

// unshare moves the other names of the file to a file of their own.
func (w *world) unshare() error {
	if err := w.store.folder.DetachOthers(w.name); err != nil {
		return err
	}
	w.checkpointAt = logPages
	w.shared.Store(false)
	return nil
}

// writeBeside runs the rounds of a checkpoint. After an error the leading writer
// does what is left.
func writeBeside(w *world) {
	defer w.users.Release()
	defer w.rounds.state.Store(afterRounds)
	c, err := w.readers.Acquire(context.Background())
	if err != nil {
		return
	}
	defer w.readers.Release(c)
	done := 0
	for range maxRounds {
		before := done
		if done, err = round(w, c); err != nil || done-before < fewPagesLeft {
			return
		}
	}
}

// round runs a checkpoint while writes go on, and waits for the disk, as SQLite
// does only if nothing was logged meanwhile. It returns the number of pages of the
// log that are in the file.
func round(w *world, c *conn) (done int, err error) {
	w.rounds.running.Lock()
	defer w.rounds.running.Unlock()
	if w.shared.Load() {
		return 0, nil
	}
	_, back, err := checkpoint(c)
	if err == nil {
		err = w.store.folder.SyncWorld(w.name, false)
	}
	return int(back), err
}

// checkpoint runs a checkpoint that waits for nobody. It returns the number of
// pages in the log, and how many of them are in the file.
func checkpoint(c *conn) (log, back int64, err error) {
	var busy int64
	_, err = store.NewTx(c, store.SQLite).Get("PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &log, &back)
	if busy != 0 {
		log, back = max(log, 1), 0
	}
	return log, back, err
}
