package store

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

// maxReaders bounds the connections that read one world; each is opened when it is first needed.
const maxReaders = 8

// sqliteWorld serves one file: one connection that writes, a few that read. A world
// that is used by one caller at a time has one connection: reading borrows it
// while nobody writes. The first time that someone has to wait, readers get
// connections of their own.
type sqliteWorld struct {
	store   *sqliteStore
	name    string
	writer  *sqliteConn // nil while the world sleeps
	writing sync.Mutex  // held by who uses the writer's connection
	crowded atomic.Bool // someone had to wait for it
	once    atomic.Bool // no write function runs again
	lone    bool        // there is no other connection, however many wait: it has the database in memory

	pristine atomic.Bool // of a lone one: nobody has written to it, so others can read its image

	queue writeQueue

	mu     sync.RWMutex // held for reading by who uses the world, for writing by close
	closed bool

	readers chan *sqliteConn // idle ones, and nil for each that is not open yet
	connect func(maxPages int) (*sqliteConn, error)

	// Guarded by writing.
	unsealed     bool  // what is written is not durable yet
	dirty        bool  // the log has what the file has not
	shared       bool  // the file has other names: nothing may be written back to it
	checkpointAt int64 // the size of the log at which it is written back all the same
}

func newSQLiteWorld(writer *sqliteConn, connect func(maxPages int) (*sqliteConn, error)) *sqliteWorld {
	w := &sqliteWorld{
		writer: writer, connect: connect,
		readers: make(chan *sqliteConn, maxReaders),
	}
	for range maxReaders {
		w.readers <- nil
	}
	return w
}

func (w *sqliteWorld) read(ctx context.Context, begun, fn func(*Tx) error) (err error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	l := &lazyRead{w: w, ctx: ctx, begun: begun}
	defer func() {
		if e := l.end(); e != nil && err == nil {
			err = e
		}
	}()
	return fn(&Tx{conn: l, dialect: sqliteDialect})
}

// reader takes a connection: the writer's where nobody ever had to wait for
// it, else an idle one. Open ones are preferred: a nil stands for one not yet
// open and goes to the back when an open one is at hand.
func (w *sqliteWorld) reader(ctx context.Context) (*sqliteConn, error) {
	if w.lone && !w.pristine.Load() {
		w.writing.Lock()
		return w.writer, nil
	}
	if !w.crowded.Load() {
		if w.writing.TryLock() {
			err := w.wake()
			if err != nil {
				w.writing.Unlock()
			}
			return w.writer, err
		}
		w.crowded.Store(true)
	}
	var c *sqliteConn
	select {
	case c = <-w.readers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c != nil {
		return c, nil
	}
	for range maxReaders {
		select {
		case other := <-w.readers:
			w.readers <- nil
			if other != nil {
				return other, nil
			}
			continue
		default:
		}
		break
	}
	c, err := w.connect(readerPages)
	if err == nil {
		return c, nil
	}
	w.readers <- nil
	if errors.Is(err, errNoImage) {
		w.writing.Lock()
		return w.writer, nil
	}
	return nil, wrap("open", err)
}

func (w *sqliteWorld) putReader(c *sqliteConn) {
	if c == w.writer {
		w.writing.Unlock()
		return
	}
	w.readers <- c
}

// take gives a writer the connection, until it unlocks writing, which it must in any case.
func (w *sqliteWorld) take() error {
	if !w.writing.TryLock() {
		w.crowded.Store(true)
		w.writing.Lock()
	}
	return w.wake()
}

// wake opens the connection of a world that has slept.
func (w *sqliteWorld) wake() error {
	if w.writer != nil {
		return nil
	}
	c, err := w.connect(writerPages)
	if err == nil && w.shared {
		if err = c.run("PRAGMA wal_autocheckpoint = 0"); err != nil {
			_ = c.close()
		}
	}
	if err != nil {
		return wrap("open", err)
	}
	w.writer = c
	return nil
}

// logSize tells the bytes of the log.
func (w *sqliteWorld) logSize() int64 {
	info, err := os.Stat(w.store.path(w.name) + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// afterCommit writes the log back when it has grown large in a world whose
// file has other names, which get a file of their own first.
func (w *sqliteWorld) afterCommit() {
	if !w.shared || w.logSize() < w.checkpointAt {
		return
	}
	if err := w.unshare(); err != nil {
		w.checkpointAt *= 2 // the log can go on growing: try again later
	}
}

func (w *sqliteWorld) unshare() error {
	if err := w.store.giveAway(w.name); err != nil {
		return err
	}
	w.shared, w.checkpointAt = false, checkpointBytes
	return w.writer.run("PRAGMA wal_autocheckpoint = 4000")
}

// alone runs f with the writer's connection, between two batches.
func (w *sqliteWorld) alone(f func() error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	defer w.writing.Unlock()
	if err := w.take(); err != nil {
		return err
	}
	return f()
}

// seal makes durable what was written without waiting for it, and all that follows.
func (w *sqliteWorld) seal(context.Context) error {
	if w.lone {
		return nil
	}
	return w.alone(func() error {
		if w.shared && w.dirty {
			if err := w.unshare(); err != nil {
				return Unavailable.Because(err)
			}
		}
		if err := w.writeBack(); err != nil {
			return wrap("checkpoint", err)
		}
		if err := syncFile(w.store.path(w.name)); err != nil {
			return Unavailable.Because(err)
		}
		if w.dirty { // somebody was reading all the time
			if err := syncFile(w.store.path(w.name) + "-wal"); err != nil {
				return Unavailable.Because(err)
			}
		}
		if err := w.writer.run("PRAGMA synchronous = FULL"); err != nil {
			return err
		}
		w.unsealed = false
		w.writer.forget()
		return nil
	})
}

// relax closes the connections of a world that nobody uses at this moment. The
// next who does opens one again.
func (w *sqliteWorld) relax() {
	if w.lone || !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	if w.closed || w.unsealed || w.writer == nil {
		return
	}
	w.shorten()
	_ = w.disconnect()
	w.crowded.Store(false)
}

// maxKeptLog is the size of a log above which reading it at each opening costs
// more than writing it back once.
const maxKeptLog = 1 << 20

// shorten writes a long log back before the connections are closed. Where that
// cannot be done the log stays, which is as durable.
func (w *sqliteWorld) shorten() {
	if w.writer == nil || !w.dirty || w.logSize() < maxKeptLog {
		return
	}
	if w.shared {
		if err := w.unshare(); err != nil {
			return
		}
	}
	_ = w.writeBack()
}

// writeBack puts the log into the file and empties it, unless somebody reads
// what stands there for longer than a connection waits.
func (w *sqliteWorld) writeBack() error {
	err := w.writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
	w.dirty = w.logSize() > 0
	return err
}

// disconnect closes the connections, and removes what only they needed. The
// log stays when it holds what the file has not. Nobody uses the world.
func (w *sqliteWorld) disconnect() (err error) {
	for range maxReaders {
		if c := <-w.readers; c != nil {
			_ = c.close()
		}
		w.readers <- nil
	}
	if w.writer == nil {
		return nil
	}
	err = w.writer.close()
	w.writer = nil
	if w.lone {
		return err
	}
	path := w.store.path(w.name)
	if !w.dirty {
		_ = os.Remove(path + "-wal")
	}
	_ = os.Remove(path + "-shm")
	return err
}

func (w *sqliteWorld) close() error { return w.end(false) }

// discard closes the world without keeping it. Its file loses its name, and is
// not written to, so that its other names stay as they are.
func (w *sqliteWorld) discard() error { return w.end(true) }

func (w *sqliteWorld) end(discard bool) (err error) {
	if !w.lone {
		defer w.store.doors.lock(w.name)()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	defer w.store.forget(w.name)
	switch {
	case discard && w.lone:
	case discard:
		// Another name of the file may be opened only when this one is closed.
		defer w.store.unname(w.name)()
		if err := os.Remove(w.store.path(w.name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		w.dirty = false // the log is nobody's: it must not be found beside another file
	case w.lone:
		if err := w.keepImage(); err != nil {
			return errors.Join(err, w.disconnect())
		}
	default:
		w.shorten()
	}
	return w.disconnect()
}
