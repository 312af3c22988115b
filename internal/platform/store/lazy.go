package store

import (
	"context"
	"sync"

	"understudy/internal/platform/store/lease"
)

// Lazily returns a world that is opened on first use and created on first write,
// since many environments never use all their worlds. Until it is created, it
// reads as empty.
func Lazily(s Store, world string, schemas []Schema) *World {
	return &World{Name: world, dialect: s.Dialect(), backend: &lazyWorld{store: s, open: s.Open, name: world, schemas: schemas, size: -1}}
}

// LazilyAbsent is Lazily for a world that is known not to exist: a list of
// environments need not look for it.
func LazilyAbsent(s Store, world string, schemas []Schema) *World {
	return &World{Name: world, dialect: s.Dialect(), backend: &lazyWorld{store: s, open: s.Open, name: world, schemas: schemas}}
}

// LazilyCopy returns a world that Copy made and that Store.OpenCopy opens on
// first read.
func LazilyCopy(s Store, world string, schemas []Schema) *World {
	return &World{Name: world, dialect: s.Dialect(), backend: &lazyWorld{store: s, open: s.OpenCopy, name: world, schemas: schemas, size: -1}}
}

type lazyWorld struct {
	store   Store
	open    func(ctx context.Context, world string, schemas []Schema) (*World, error)
	name    string
	schemas []Schema

	users lease.Handle // held by reads and writes; evicted before the world is closed

	mu    sync.Mutex // held while the world is opened
	world *World     // nil until the first write
	size  int64      // in bytes, until the world is opened; -1 if unknown
	once  bool
	watch Witness // nil for none

	used func() // called when the world is opened; nil for none
}

func (l *lazyWorld) get(ctx context.Context, toRead bool) (Backend, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.world != nil {
		return l.world.backend, nil
	}
	ctx = context.WithoutCancel(ctx)
	if toRead && isAbsent(ctx, l) {
		w, err := l.store.Blank(ctx, l.schemas)
		if err != nil {
			return nil, Wrap("open", l.store.Classify(err))
		}
		return w.backend, nil
	}
	if l.used != nil {
		l.used()
		l.used = nil
	}
	w, err := l.open(ctx, l.name, l.schemas)
	if err != nil {
		return nil, Wrap("open", l.store.Classify(err))
	}
	if l.world = w; l.once {
		w.RunOnce()
	}
	if l.watch != nil {
		w.Watch(l.watch)
	}
	return w.backend, nil
}

func isAbsent(ctx context.Context, l *lazyWorld) bool {
	n, err := l.store.Size(ctx, l.name)
	return err == nil && n == 0
}

// Resting is implemented by a Backend that knows the size of its world while
// nothing changes it. Resting returns 0 when the store must be asked.
type Resting interface{ Resting() int64 }

// SizeOf returns the size of an open world of a store, in bytes. For an unopened
// world from Lazily it asks the store only once, since nothing changes the size.
func SizeOf(ctx context.Context, s Store, w *World) (n int64, err error) {
	l, ok := w.backend.(*lazyWorld)
	if !ok {
		if r, ok := w.backend.(Resting); ok {
			if n := r.Resting(); n > 0 {
				return n, nil
			}
		}
		return s.Size(ctx, w.Name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.world != nil {
		return s.Size(ctx, w.Name)
	}
	if l.size < 0 {
		if n, err = s.Size(ctx, w.Name); err != nil {
			return 0, err
		}
		l.size = n
	}
	return l.size, nil
}

func (l *lazyWorld) Read(ctx context.Context, begun, fn func(*Tx) error) error {
	if !l.users.Acquire() {
		return Closed
	}
	defer l.users.Release()
	b, err := l.get(ctx, true)
	if err != nil {
		return err
	}
	return b.Read(ctx, begun, fn)
}

func (l *lazyWorld) Write(ctx context.Context, fn func(*Tx) error) error {
	return l.write(ctx, func(b Backend) error { return b.Write(ctx, fn) })
}

func (l *lazyWorld) WriteDerived(ctx context.Context, fn func(*Tx) error) error {
	return l.write(ctx, func(b Backend) error { return b.WriteDerived(ctx, fn) })
}

func (l *lazyWorld) WriteBeside(ctx context.Context, fn func(*Tx) error) error {
	return l.write(ctx, func(b Backend) error { return b.WriteBeside(ctx, fn) })
}

func (l *lazyWorld) write(ctx context.Context, write func(Backend) error) error {
	if !l.users.Acquire() {
		return Closed
	}
	defer l.users.Release()
	b, err := l.get(ctx, false)
	if err != nil {
		return err
	}
	return write(b)
}

func (l *lazyWorld) Compact(ctx context.Context, scrub bool) error {
	return l.write(ctx, func(b Backend) error { return b.Compact(ctx, scrub) })
}

func (l *lazyWorld) MakeDurable(context.Context) error { return nil } // always durable

func (l *lazyWorld) Suspend() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.world == nil || l.world.Suspend()
}

func (l *lazyWorld) Still(used func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.world != nil {
		return l.world.Still(used)
	}
	l.used = used
	return true
}

func (l *lazyWorld) RunOnce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.once = true; l.world != nil {
		l.world.RunOnce()
	}
}

func (l *lazyWorld) Watch(wt Witness) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch = wt; l.world != nil {
		l.world.Watch(wt)
	}
}

func (l *lazyWorld) Close() error { return l.end((*World).Close) }

func (l *lazyWorld) Discard() error { return l.end((*World).Discard) }

func (l *lazyWorld) end(f func(*World) error) error {
	if err := l.users.Evict(context.Background()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.world == nil {
		return nil
	}
	return f(l.world)
}

// Unopened reports whether a world from Lazily was neither read nor written, and
// so is unchanged.
func (w *World) Unopened() bool {
	l, ok := w.backend.(*lazyWorld)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.world == nil
}

// Same reports whether two worlds from Lazily or LazilyCopy are known to be
// equal: both are unopened, and one is a copy of the other.
func Same(a, b *World) bool {
	l, ok := a.backend.(*lazyWorld)
	m, also := b.backend.(*lazyWorld)
	return ok && also && l.store == m.store && a.Unopened() && b.Unopened() && l.store.Same(l.name, m.name)
}

// Absent reports whether a world from Lazily was never written to, and so is
// empty. Background work checks it before a write, which would create the world.
func (w *World) Absent(ctx context.Context) bool {
	l, ok := w.backend.(*lazyWorld)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.world == nil && isAbsent(ctx, l)
}
