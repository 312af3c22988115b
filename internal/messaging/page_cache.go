package messaging

import (
	"bytes"

	"understudy/internal/platform/cache"
)

const (
	// pageBytes bounds the size of all cached pages in bytes, and maxPage that of
	// each.
	pageBytes = 8 << 20
	maxPage   = 1 << 20
)

// pageKey is the key of a cached page. It contains the channel's version, which
// every change of a message increments in its own transaction, so that a cached
// page is never outdated.
type pageKey struct {
	workspace string
	viewer    string
	version   int64
	in        History
}

// pageCache caches pages on their second request: when a client reads a channel
// from end to end, most pages are requested only once.
type pageCache struct {
	pages *cache.Bounded[pageKey, Page]
	marks *cache.Marks
}

func newPageCache() *pageCache {
	return &pageCache{marks: cache.NewMarks(), pages: cache.NewBounded(pageBytes, func(_ pageKey, p Page) int { return len(p.Messages) + 256 })}
}

func (c *pageCache) get(k pageKey) (Page, bool) { return c.pages.Get(k) }

// put stores a copy of a page if the page was requested before.
func (c *pageCache) put(k pageKey, p Page) {
	if !cache.Asked(c.marks, k) || len(p.Messages) > maxPage {
		return
	}
	p.Messages = bytes.Clone(p.Messages)
	c.pages.Put(k, p)
}
