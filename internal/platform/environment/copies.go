package environment

import (
	"context"
	"errors"
	"sync"

	"understudy/internal/platform/store"
)

// copies are the copies of environments that are being read. Each is open
// once, however many read it: of the names of one file only one may be open.
type copies struct {
	mu   sync.Mutex
	open map[string]*readCopy
}

type readCopy struct {
	// Guarded by copies.mu.
	users  int  // who has it or waits for it
	doomed bool // the last of them removes it

	mu      sync.Mutex // held while it is opened or closed
	worlds  map[string]*store.World
	reading int
}

// openCopy opens the worlds of a copy to read them, nil for one that nobody
// has used; release closes them when nobody else reads them.
func (m *Manager) openCopy(ctx context.Context, base string) (_ map[string]*store.World, release func(), err error) {
	r := m.copies.join(base)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading == 0 {
		if r.worlds, err = m.openWorlds(ctx, base); err != nil {
			m.leaveCopy(base, r)
			return nil, nil, err
		}
	}
	r.reading++
	return r.worlds, func() { m.releaseCopy(base, r) }, nil
}

func (m *Manager) releaseCopy(base string, r *readCopy) {
	r.mu.Lock()
	if r.reading--; r.reading == 0 {
		if err := closeWorlds(r.worlds); err != nil {
			m.o.Log.Error("close", "copy", base, "error", err)
		}
	}
	r.mu.Unlock()
	m.leaveCopy(base, r)
}

// useCopy keeps a copy from being removed until release. Only then the caller
// looks whether it is there.
func (m *Manager) useCopy(base string) (release func()) {
	r := m.copies.join(base)
	return func() { m.leaveCopy(base, r) }
}

func (c *copies) join(base string) *readCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]*readCopy{}
	}
	r := c.open[base]
	if r == nil {
		r = &readCopy{}
		c.open[base] = r
	}
	r.users++
	return r
}

func (m *Manager) leaveCopy(base string, r *readCopy) {
	m.copies.mu.Lock()
	r.users--
	last := r.users == 0
	if last {
		delete(m.copies.open, base)
	}
	m.copies.mu.Unlock()
	if last && r.doomed {
		if err := m.dropWorlds(context.Background(), base); err != nil {
			m.o.Log.Error("remove", "copy", base, "error", err)
		}
	}
}

// dropCopy removes a copy that the catalogue does not know any more: now, or when nobody uses it.
func (m *Manager) dropCopy(ctx context.Context, base string) error {
	m.copies.mu.Lock()
	r := m.copies.open[base]
	if r != nil {
		r.doomed = true
	}
	m.copies.mu.Unlock()
	if r != nil {
		return nil
	}
	return m.dropWorlds(ctx, base)
}

func (m *Manager) openWorlds(ctx context.Context, base string) (map[string]*store.World, error) {
	worlds := map[string]*store.World{}
	schemas := map[string][]store.Schema{"": m.schemas}
	for name, s := range m.extra {
		schemas[name] = s
	}
	for name, s := range schemas {
		suffix := ""
		if name != "" {
			suffix = extraSuffix(name)
			if n, err := m.o.Store.Size(ctx, base+suffix); n == 0 && (err == nil || errors.Is(err, store.ErrNoWorld)) {
				worlds[name] = nil
				continue
			}
		}
		w, err := m.o.Store.OpenCopy(ctx, base+suffix, s)
		if err != nil {
			return nil, errors.Join(err, closeWorlds(worlds))
		}
		worlds[name] = w
	}
	return worlds, nil
}

func closeWorlds(worlds map[string]*store.World) error {
	var errs []error
	for _, w := range worlds {
		if w != nil {
			errs = append(errs, w.Close())
		}
	}
	return errors.Join(errs...)
}
