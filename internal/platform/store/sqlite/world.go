package sqlite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/group"
	"understudy/internal/platform/store/lease"
	"understudy/internal/platform/store/sqlite/memdb"
	"understudy/internal/platform/store/sqlite/native"
)

// maxReaders is the most connections that read one world; they are opened on
// demand.
const maxReaders = 8

// world serves one file with one connection that writes and a few that read.
// Without concurrency it has one connection: a read uses it while nobody writes.
// After the first time that a caller had to wait, reads have their own
// connections. It implements store.Backend.
type world struct {
	store   *Store
	name    string
	db      *memdb.Database // of a world in memory, else nil
	writer  *conn           // nil while the world is suspended, and for a world in memory while it is not in use
	writing sync.Mutex      // held by the user of the writer's connection
	crowded atomic.Bool     // a caller had to wait for the writer's connection
	once    atomic.Bool     // no write function may run twice
	gate    sync.RWMutex    // in memory: shared by reads on another connection than the writer's, exclusive for writes

	// unlogged is set while the world is being created and has no log (filling.go);
	// it then has only one connection, and may be in memory.
	unlogged atomic.Bool

	// shared is set while the file has other names: no checkpoint may run then. Its
	// writers hold writing.
	shared atomic.Bool

	// resting is the size of the file and the log while the world is suspended, and
	// from its creation to its first write, or that of the database while the world is
	// being created in memory; otherwise 0.
	resting atomic.Int64

	queue group.Queue

	users   lease.Handle // reads, writes and copies; suspended or evicted before the connections are closed
	ended   bool         // Close or Discard has run; guarded by the lock of the world's name
	readers *lease.Pool[*conn]
	rounds  rounds
	connect func(maxPages int) (*conn, error)
	dial    dialer // of the file

	// Guarded by writing.
	volatile     bool // writes are not durable yet
	dirty        bool // the log contains changes that the file lacks
	checkpointAt int  // pages in the log at which a checkpoint begins
	tried        int  // pages in the log at the end of the last checkpoint, while the log has not begun anew
	witness      store.Witness
	kept         *store.Shared // cached values of the running batch, and from the ones before
	used         func()        // called when the world is no longer still; nil for none
	pristine     bool          // in memory: never written to, so that its image remains for the next opening
}

// useFile makes the next uses of the world open connections to its file.
func useFile(w *world) {
	w.connect = func(maxPages int) (*conn, error) { return w.dial(w.name, maxPages, pragmas) }
	w.readers = lease.NewPool(maxReaders, func() (*conn, error) { return w.connect(readerPages) }, func(c *conn) { _ = c.close() })
}

// Read implements store.Backend.
func (w *world) Read(ctx context.Context, begun, fn func(*store.Tx) error) (err error) {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	l := &deferredRead{w: w, ctx: ctx, begun: begun}
	defer func() {
		if e := l.end(); e != nil && err == nil {
			err = e
		}
	}()
	return fn(store.NewTx(l, store.SQLite))
}

// reader acquires a connection: that of the writer if no caller ever had to wait
// for it (in memory: if it is free), and while the world has no log; otherwise
// one of the readers'.
func (w *world) reader(ctx context.Context) (c *conn, writers bool, err error) {
	switch {
	case w.unlogged.Load():
		w.writing.Lock()
		writers = true
	case !w.crowded.Load() || w.db != nil || w.store.share.crowded():
		if writers = w.writing.TryLock(); !writers { // must not block: the caller may already be in a read
			w.crowded.Store(true)
		}
	}
	if writers {
		if err := w.resume(); err != nil {
			w.releaseWriter()
			return nil, false, err
		}
		return w.writer, true, nil
	}
	if w.db != nil {
		w.gate.RLock()
	}
	c, err = w.readers.Acquire(ctx)
	if err == nil {
		return c, false, nil
	}
	if w.db != nil {
		w.gate.RUnlock()
	}
	if ctx.Err() == nil {
		err = wrap("open", err)
	}
	return nil, false, err
}

// putReader releases what reader acquired.
func (w *world) putReader(c *conn, writers bool) {
	if writers {
		w.releaseWriter()
		return
	}
	w.readers.Release(c)
	if w.db != nil {
		w.gate.RUnlock()
	}
}

// acquireWriter locks the writer's connection. The caller must call
// releaseWriter, even after an error.
func (w *world) acquireWriter() error {
	lockWriter(w)
	stir(w)
	return w.resume()
}

// lockWriter locks the writer's connection, which is nil while the world is
// suspended.
func lockWriter(w *world) {
	if !w.writing.TryLock() {
		w.crowded.Store(true)
		w.writing.Lock()
	}
}

// releaseWriter unlocks the writer's connection; in memory it releases the
// connection for other worlds.
func (w *world) releaseWriter() {
	if w.db != nil && w.writer != nil {
		w.store.idle.release(w.writer)
		w.writer = nil
	}
	w.writing.Unlock()
}

// resume opens the connection of a suspended world.
func (w *world) resume() error {
	if w.writer != nil {
		return nil
	}
	stir(w)
	c, err := w.connect(writerPages)
	if err == nil && w.db == nil {
		if err = native.CountLog(c.db); err != nil {
			_ = c.close()
		}
	}
	if err != nil {
		return wrap("open", err)
	}
	w.writer = c
	c.watch(w.witness)
	return nil
}

// Watch implements store.Backend.
func (w *world) Watch(wt store.Witness) {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.witness = wt
	if w.writer != nil {
		w.writer.watch(wt)
	}
}

func logSize(w *world) int64 { return w.store.folder.LogSize(w.name) }

// alone runs f between two batches of writes and two rounds of a checkpoint. The
// writer's connection is nil while the world is suspended.
func (w *world) alone(f func() error) error {
	if !w.users.Acquire() {
		return store.Closed
	}
	defer w.users.Release()
	lockWriter(w)
	defer w.releaseWriter()
	if w.writer != nil {
		stir(w)
	}
	w.rounds.running.Lock()
	defer w.rounds.running.Unlock()
	if w.unlogged.Load() {
		if err := beginLog(w); err != nil {
			return err
		}
	}
	return f()
}

// MakeDurable implements store.Backend.
func (w *world) MakeDurable(context.Context) error {
	if !w.unlogged.Load() && w.db != nil {
		return nil
	}
	return w.alone(func() error {
		if w.shared.Load() && w.dirty {
			if err := w.unshare(); err != nil {
				return store.Unavailable.Because(err)
			}
		}
		if err := w.writeBack(); err != nil {
			return wrap("checkpoint", err)
		}
		if err := w.store.folder.SyncWorld(w.name, w.dirty); err != nil { // it remains dirty if a reader did not finish
			return store.Unavailable.Because(err)
		}
		if w.writer != nil {
			if err := errors.Join(w.writer.runAnew("PRAGMA synchronous = FULL"), w.writer.filled()); err != nil {
				return err
			}
		}
		w.volatile = false
		w.resting.Store(w.store.folder.Size(w.name)) // reads do not change it
		return nil
	})
}

// Suspend closes the connections of a world that is not in use. The next use
// opens one.
func (w *world) Suspend() (done bool) {
	w.users.Suspend(func() {
		w.kept = nil
		switch {
		case w.volatile:
			return
		case w.db != nil:
			w.readers.CloseIdle()
		case w.writer != nil:
			w.shorten()
			_ = w.disconnect()
			w.crowded.Store(false)
			w.resting.Store(w.store.folder.Size(w.name))
		}
		done = true
	})
	return done
}

// Still serves store.World.Still.
func (w *world) Still(used func()) bool {
	if !w.writing.TryLock() {
		return false
	}
	defer w.writing.Unlock()
	if w.volatile || w.db == nil && w.resting.Load() == 0 {
		return false
	}
	w.used = used
	return true
}

// stir ends what Still has reported. The caller holds writing.
func stir(w *world) {
	if w.used != nil {
		w.used()
		w.used = nil
	}
	if !w.unlogged.Load() {
		w.resting.Store(0)
	}
}

// Resting implements store.Resting.
func (w *world) Resting() int64 { return w.resting.Load() }

// maxKeptLog is the size of a log above which a checkpoint is cheaper than
// reading the log at each opening.
const maxKeptLog = 1 << 20

// shorten runs a checkpoint of a long log before the connections are closed. If
// that fails the log remains, which is just as durable.
func (w *world) shorten() {
	if w.writer == nil || !w.dirty || logSize(w) < maxKeptLog {
		return
	}
	if w.shared.Load() {
		if err := w.unshare(); err != nil {
			return
		}
	}
	_ = w.writeBack()
}

// writeBack runs a checkpoint and truncates the log, unless a read of the log
// lasts longer than the busy timeout.
func (w *world) writeBack() error {
	if logSize(w) == 0 {
		w.dirty = false
		return nil
	}
	err := w.resume()
	if err == nil {
		err = w.writer.runAnew("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	w.dirty = logSize(w) > 0
	return err
}

// disconnect closes the connections and removes the files that only they needed.
// It keeps the log if the file lacks changes. The world must not be in use.
func (w *world) disconnect() (err error) {
	w.readers.CloseIdle()
	if w.db != nil {
		w.store.idle.leave(w.db)
	}
	if w.writer == nil {
		return nil
	}
	err = w.writer.close()
	w.writer = nil
	w.store.folder.RemoveEmptyLog(w.name, !w.dirty)
	return err
}

// Close implements store.Backend.
func (w *world) Close() error { return w.end(false) }

// Discard closes the world without storing it. It removes the world's name of the
// file and does not write to the file, so that other names remain unchanged.
func (w *world) Discard() error { return w.end(true) }

func (w *world) end(discard bool) (err error) {
	defer w.store.folder.Lock(w.name)()
	if w.ended {
		return nil
	}
	w.ended = true
	if err := w.users.Evict(context.Background()); err != nil {
		return err
	}
	defer w.store.forget(w.name)
	switch {
	case discard && w.db != nil:
	case discard:
		forget, err := w.store.folder.RemoveName(w.name)
		defer forget()
		if err != nil {
			return err
		}
		w.dirty = false // the log belongs to no file now, and must not be found beside another
	case w.db != nil && w.unlogged.Load():
		err = land(w, withLog)
	case w.db != nil:
		if !w.pristine {
			w.store.images.put(w.name, w.db.Image())
		}
	default:
		w.shorten()
	}
	return errors.Join(err, w.disconnect())
}
