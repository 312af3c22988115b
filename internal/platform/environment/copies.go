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
	users int // who has it or waits for it; guarded by copies.mu

	mu      sync.Mutex // held while it is opened or closed
	worlds  map[string]*store.World
	reading int
}

// openCopy opens the worlds of a copy to read them, nil for one that nobody
// has used; release closes them when nobody else reads them.
func (m *Manager) openCopy(ctx context.Context, base string) (_ map[string]*store.World, release func(), err error) {
	m.copies.mu.Lock()
	if m.copies.open == nil {
		m.copies.open = map[string]*readCopy{}
	}
	r := m.copies.open[base]
	if r == nil {
		r = &readCopy{}
		m.copies.open[base] = r
	}
	r.users++
	m.copies.mu.Unlock()

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

func (m *Manager) leaveCopy(base string, r *readCopy) {
	m.copies.mu.Lock()
	defer m.copies.mu.Unlock()
	if r.users--; r.users == 0 {
		delete(m.copies.open, base)
	}
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
		w, err := m.o.Store.Open(ctx, base+suffix, s)
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
