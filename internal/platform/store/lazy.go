package store

import (
	"context"
	"sync"
)

// Lazily gives a world that is opened when it is first used, and made when it
// is first written to: few environments use all that they could.
func Lazily(s Store, world string, schemas []Schema) *World {
	return &World{Name: world, backend: &lazyWorld{store: s, name: world, schemas: schemas}}
}

type lazyWorld struct {
	store   Store
	name    string
	schemas []Schema

	mu     sync.Mutex
	world  *World
	closed bool
	once   bool
}

// blanker is a Store that has a world at hand which holds nothing, to read from
// in place of one that was not made yet.
type blanker interface {
	blank(ctx context.Context, schemas []Schema) (*World, error)
}

func (l *lazyWorld) get(ctx context.Context, toRead bool) (backend, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	if l.world != nil {
		return l.world.backend, nil
	}
	ctx = context.WithoutCancel(ctx)
	if b, ok := l.store.(blanker); ok && toRead && l.absent(ctx) {
		w, err := b.blank(ctx, l.schemas)
		if err != nil {
			return nil, wrap("open", err)
		}
		return w.backend, nil
	}
	w, err := l.store.Open(ctx, l.name, l.schemas)
	if err != nil {
		return nil, wrap("open", err)
	}
	if l.world = w; l.once {
		w.RunOnce()
	}
	return w.backend, nil
}

func (l *lazyWorld) absent(ctx context.Context) bool {
	n, err := l.store.Size(ctx, l.name)
	return err == nil && n == 0
}

func (l *lazyWorld) read(ctx context.Context, begun, fn func(*Tx) error) error {
	b, err := l.get(ctx, true)
	if err != nil {
		return err
	}
	return b.read(ctx, begun, fn)
}

func (l *lazyWorld) write(ctx context.Context, fn func(*Tx) error) error {
	b, err := l.get(ctx, false)
	if err != nil {
		return err
	}
	return b.write(ctx, fn)
}

func (l *lazyWorld) seal(context.Context) error { return nil } // durable from the start

func (l *lazyWorld) relax() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.world != nil {
		l.world.Relax()
	}
}

func (l *lazyWorld) runOnce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.once = true; l.world != nil {
		l.world.RunOnce()
	}
}

func (l *lazyWorld) close() error { return l.end((*World).Close) }

func (l *lazyWorld) discard() error { return l.end((*World).Discard) }

func (l *lazyWorld) end(f func(*World) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.world == nil {
		return nil
	}
	return f(l.world)
}

// Absent tells whether a world that is opened lazily was never written to, and
// so holds nothing: where the store has no blank one, asking it would make it.
func (w *World) Absent(ctx context.Context) bool {
	l, ok := w.backend.(*lazyWorld)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.world == nil && l.absent(ctx)
}
