package messaging

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"

	"understudy/internal/platform/cache"
)

const (
	// pageBytes bounds the pages that are cached, in bytes, and maxPage each of them.
	pageBytes = 8 << 20
	maxPage   = 1 << 20
	// askedMarks is how many pages are known to have been asked for, at most.
	askedMarks = 256
)

// pageKey is what a rendered page of a history is found by. It holds the version
// of the channel, which every change of a message raises in the change's own
// transaction, so what is found is what reading would return.
type pageKey struct {
	workspace string
	viewer    string
	version   int64
	in        History
}

// pageCache caches pages that were asked for twice: most of those that whoever reads
// a channel from end to end asks for are never asked for again.
type pageCache struct {
	pages *cache.Bounded[pageKey, Page]
	seed  maphash.Seed
	asked [askedMarks]atomic.Uint64 // hashes of keys, each where its last bits say
}

func newPageCache() *pageCache {
	return &pageCache{seed: maphash.MakeSeed(), pages: cache.NewBounded(pageBytes, func(_ pageKey, p Page) int { return len(p.Messages) + 256 })}
}

func (c *pageCache) get(k pageKey) (Page, bool) { return c.pages.Get(k) }

// put stores a copy of a page, if that was asked for before.
func (c *pageCache) put(k pageKey, p Page) {
	h := maphash.Comparable(c.seed, k)
	if before := c.asked[h%askedMarks].Swap(h); before != h || len(p.Messages) > maxPage {
		return
	}
	p.Messages = bytes.Clone(p.Messages)
	c.pages.Put(k, p)
}
