package store

import "sync"

// doors lets one at a time open a world, close it, or make a copy of it: whether
// a world is open must not change while somebody acts on it.
type doors struct {
	mu   sync.Mutex
	door map[string]*door
}

type door struct {
	mu    sync.Mutex
	users int // who has it or waits for it
}

// lock gives the door of a world to the caller until unlock. A caller has one
// door at a time, and takes it before any other lock of the store.
func (d *doors) lock(world string) (unlock func()) {
	d.mu.Lock()
	if d.door == nil {
		d.door = map[string]*door{}
	}
	one := d.door[world]
	if one == nil {
		one = &door{}
		d.door[world] = one
	}
	one.users++
	d.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		d.mu.Lock()
		defer d.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(d.door, world)
		}
	}
}
