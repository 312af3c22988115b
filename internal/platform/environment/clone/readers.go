package clone

import (
	"context"
	"log/slog"
	"sync"

	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/store"
)

// readers holds the copies that are being read. Each is open once, however
// many read it: of the names of one file only one may be open.
type readers struct {
	worlds *worlds.Set
	log    *slog.Logger

	mu   sync.Mutex
	open map[string]*reader
}

// reader is one copy.
type reader struct {
	// Guarded by readers.mu.
	users  int  // those that read it or wait for it
	doomed bool // the last of them removes it

	mu      sync.Mutex // held while it is opened or closed
	worlds  map[string]*store.World
	reading int
}

// acquire opens the databases of a copy for reading, see worlds.Set.OpenCopy.
// release closes them when nobody else reads them.
func (l *readers) acquire(ctx context.Context, base string) (_ map[string]*store.World, release func(), err error) {
	r := l.join(base)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading == 0 {
		if r.worlds, err = l.worlds.OpenCopy(ctx, base); err != nil {
			l.leave(base, r)
			return nil, nil, err
		}
	}
	r.reading++
	return r.worlds, func() { l.release(base, r) }, nil
}

func (l *readers) release(base string, r *reader) {
	r.mu.Lock()
	if r.reading--; r.reading == 0 {
		if err := worlds.CloseAll(r.worlds); err != nil {
			l.log.Error("close", "copy", base, "error", err)
		}
	}
	r.mu.Unlock()
	l.leave(base, r)
}

// hold keeps a copy from being removed until release is called. The caller
// must check after hold that the copy still exists.
func (l *readers) hold(base string) (release func()) {
	r := l.join(base)
	return func() { l.leave(base, r) }
}

func (l *readers) join(base string) *reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.open[base]
	if r == nil {
		r = &reader{}
		l.open[base] = r
	}
	r.users++
	return r
}

func (l *readers) leave(base string, r *reader) {
	l.mu.Lock()
	r.users--
	last := r.users == 0
	if last {
		delete(l.open, base)
	}
	l.mu.Unlock()
	if last && r.doomed {
		if err := l.worlds.Drop(context.Background(), base); err != nil {
			l.log.Error("remove", "copy", base, "error", err)
		}
	}
}

// drop removes a copy that the catalogue does not list any more: now, or when
// the last reader has left.
func (l *readers) drop(ctx context.Context, base string) error {
	l.mu.Lock()
	r := l.open[base]
	if r != nil {
		r.doomed = true
	}
	l.mu.Unlock()
	if r != nil {
		return nil
	}
	return l.worlds.Drop(ctx, base)
}
