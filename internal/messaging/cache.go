package messaging

import "sync"

// cacheSize bounds the entries of one cache.
const cacheSize = 4096

// cache remembers rows that are read on every call and seldom change. Who
// changes a row drops it after commit.
type cache[K comparable, V any] struct {
	mu      sync.RWMutex
	entries map[K]V
	epoch   uint64
}

func (c *cache[K, V]) get(k K) (v V, ok bool, epoch uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok = c.entries[k]
	return v, ok, c.epoch
}

// put keeps v unless something was dropped since epoch, when v may be out of date.
func (c *cache[K, V]) put(k K, v V, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return
	}
	if c.entries == nil || len(c.entries) >= cacheSize {
		c.entries = map[K]V{}
	}
	c.entries[k] = v
}

func (c *cache[K, V]) drop(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, k)
	c.epoch++
}
