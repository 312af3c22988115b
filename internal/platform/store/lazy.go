package store

import (
	"context"
	"sync"
)

// Lazily gives a world that is opened, and made where it is not there, when it
// is first used: few environments use all that they could.
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

func (l *lazyWorld) get(ctx context.Context) (backend, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	if l.world == nil {
		w, err := l.store.Open(context.WithoutCancel(ctx), l.name, l.schemas)
		if err != nil {
			return nil, wrap("open", err)
		}
		if l.world = w; l.once {
			w.RunOnce()
		}
	}
	return l.world.backend, nil
}

func (l *lazyWorld) read(ctx context.Context, begun, fn func(*Tx) error) error {
	b, err := l.get(ctx)
	if err != nil {
		return err
	}
	return b.read(ctx, begun, fn)
}

func (l *lazyWorld) write(ctx context.Context, fn func(*Tx) error) error {
	b, err := l.get(ctx)
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

// Absent tells whether a world that is opened lazily was never used, and so
// holds nothing: asking it would make it.
func (w *World) Absent(ctx context.Context) bool {
	l, ok := w.backend.(*lazyWorld)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.world != nil {
		return false
	}
	n, err := l.store.Size(ctx, l.name)
	return err == nil && n == 0
}
