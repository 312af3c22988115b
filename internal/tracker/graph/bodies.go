package graph

import (
	"sync"

	"understudy/internal/tracker/graph/engine"
)

// bodyCache remembers what bodies of queries decode to. Clients that poll send
// the same bytes each time, and the official client's documents are kilobytes.
type bodyCache struct {
	mu   sync.RWMutex
	seen map[string]engine.Request
	size int
}

const (
	maxKeptBody   = 16 << 10 // of one body
	maxKeptBodies = 2 << 20  // of all, with what they decode to; then all are dropped
)

func (c *bodyCache) get(body []byte) (engine.Request, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	q, ok := c.seen[string(body)]
	return q, ok
}

func (c *bodyCache) put(body []byte, q engine.Request) {
	if len(body) > maxKeptBody {
		return
	}
	weight := 200 + len(body) + len(q.Query) + len(q.Variables)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.seen[string(body)]; known {
		return
	}
	if c.size += weight; c.size > maxKeptBodies || c.seen == nil {
		c.seen, c.size = map[string]engine.Request{}, weight
	}
	c.seen[string(body)] = q
}
