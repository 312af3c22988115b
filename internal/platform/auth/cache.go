package auth

import "sync"

// cacheSize bounds the principals that are remembered.
const cacheSize = 4096

// principalCache remembers whom a token stands for. It is emptied whole when
// any token changes: that is rare, and one lookup brings an entry back.
type principalCache struct {
	mu      sync.RWMutex
	entries map[cacheKey]*Principal
	epoch   uint64
}

type cacheKey struct{ service, token string }

func (c *principalCache) get(k cacheKey) (p *Principal, epoch uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries[k], c.epoch
}

// put keeps p unless the cache was emptied since epoch, when p may be out of date.
func (c *principalCache) put(k cacheKey, p *Principal, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return
	}
	if c.entries == nil || len(c.entries) >= cacheSize {
		c.entries = map[cacheKey]*Principal{}
	}
	c.entries[k] = p
}

func (c *principalCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = nil
	c.epoch++
}
