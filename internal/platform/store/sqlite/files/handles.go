package files

import "sync"

// handles are locks by name. A name that is not locked uses no memory.
type handles struct {
	mu     sync.Mutex
	byName map[string]*handle
}

type handle struct {
	mu    sync.Mutex
	users int // that hold or wait for the lock
}

// lock locks a name until unlock. A caller may hold only one at a time, and must
// acquire it before any other lock in LOCKS.md.
func (d *handles) lock(name string) (unlock func()) {
	d.mu.Lock()
	if d.byName == nil {
		d.byName = map[string]*handle{}
	}
	one := d.byName[name]
	if one == nil {
		one = &handle{}
		d.byName[name] = one
	}
	one.users++
	d.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		d.mu.Lock()
		defer d.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(d.byName, name)
		}
	}
}
