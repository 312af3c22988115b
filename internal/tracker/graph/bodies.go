package graph

import (
	"understudy/internal/platform/cache"
	"understudy/internal/tracker/graph/engine"
)

// bodyCache caches decoded bodies of queries. Clients that poll send identical
// bodies, and the official client's documents are kilobytes long.
type bodyCache struct {
	seen *cache.Bounded[string, engine.Request]
}

const (
	maxCachedBody   = 16 << 10 // of one body
	maxCachedBodies = 2 << 20  // of all, with their decoded forms
)

func newBodyCache() bodyCache {
	return bodyCache{cache.NewBounded(maxCachedBodies, func(body string, q engine.Request) int {
		return 200 + len(body) + len(q.Query) + len(q.Variables)
	})}
}

func (c bodyCache) get(body []byte) (engine.Request, bool) { return cache.GetBytes(c.seen, body) }

func (c bodyCache) put(body []byte, q engine.Request) {
	if len(body) <= maxCachedBody {
		c.seen.Put(string(body), q)
	}
}
