// Package cache contains the two caches of this program: Rows, for values that
// the database may change at any time, and Bounded, for values whose keys change
// with them.
//
// Both are local to the process.
package cache

import (
	"sync"

	"understudy/internal/platform/bus"
)

// Rows caches values that are read on every call and seldom change. Whoever
// changes a value calls Drop after the commit; the bus carries that to every
// cache of the topic. It is safe for concurrent use.
//
// A value that was read before a change must not be stored after it: Get returns
// an epoch, Drop begins a new one, and Put ignores values of an earlier epoch.
type Rows[K comparable, V any] struct {
	bus   *bus.Bus
	topic bus.Topic
	max   int

	mu      sync.RWMutex
	entries map[K]V
	epoch   uint64
}

// everything is the message of Clear.
type everything struct{}

// NewRows returns a cache of at most max values that drops the keys published on
// a topic of the bus. With a nil bus only its own methods drop values.
func NewRows[K comparable, V any](b *bus.Bus, topic bus.Topic, max int) *Rows[K, V] {
	r := &Rows[K, V]{bus: b, topic: topic, max: max}
	if b != nil {
		b.Subscribe(topic, r.drop)
	}
	return r
}

// Get returns the value of a key and whether there is one, and the epoch to pass
// to Put otherwise.
func (r *Rows[K, V]) Get(key K) (value V, ok bool, epoch uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	value, ok = r.entries[key]
	return value, ok, r.epoch
}

// Put stores a value that was read in an epoch, unless something was dropped
// since, because it may be outdated. It empties a full cache first.
func (r *Rows[K, V]) Put(key K, value V, epoch uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.epoch != epoch {
		return
	}
	if r.entries == nil || len(r.entries) >= r.max {
		r.entries = map[K]V{}
	}
	r.entries[key] = value
}

// Drop removes a key from all caches of the topic, and begins a new epoch.
func (r *Rows[K, V]) Drop(key K) { r.publish(key) }

// Clear empties all caches of the topic, and begins a new epoch.
func (r *Rows[K, V]) Clear() { r.publish(everything{}) }

func (r *Rows[K, V]) publish(message any) {
	if r.bus == nil {
		r.drop(message)
		return
	}
	r.bus.Publish(r.topic, message)
}

// drop handles a message of the topic. One that is not a key empties the cache.
func (r *Rows[K, V]) drop(message any) {
	key, ok := message.(K)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.epoch++; ok {
		delete(r.entries, key)
		return
	}
	r.entries = nil
}
