// Package cache holds the two caches that this program uses: Rows, for what the
// store may change at any time, and Bounded, for what is found only by a key
// that changes with it.
//
// Both live in one process and lose nothing that the store does not have.
package cache

import (
	"sync"

	"understudy/internal/platform/bus"
)

// Rows caches values that are read on every call and seldom change. Whoever
// changes what a value is made of calls Drop after the commit; the bus carries
// that to every cache of the topic. It is safe for concurrent use.
//
// A value that was read before a change and is put after it must not stay: Get
// returns an epoch, Drop begins a new one, and Put ignores values of an earlier
// epoch.
type Rows[K comparable, V any] struct {
	bus   *bus.Bus
	topic bus.Topic
	max   int

	mu      sync.RWMutex
	entries map[K]V
	epoch   uint64
}

// everything is published by Clear.
type everything struct{}

// NewRows returns a cache of at most max values that drops what is published on
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
// since: then the value may be out of date. A full cache is emptied first.
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

// drop accepts a message of the topic. One that is no key empties the cache.
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
