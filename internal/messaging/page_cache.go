package messaging

import "sync"

// pageBytes bounds the pages that are remembered, in bytes, and maxPage each of them.
const (
	pageBytes = 8 << 20
	maxPage   = 1 << 20
)

// pageCache remembers rendered pages of histories. A page is found only by the
// version of its channel, which every change of a message raises in the change's
// own transaction, so that what is found is what reading would give.
type pageCache struct {
	mu    sync.Mutex
	pages map[pageKey]Page
	bytes int
}

type pageKey struct {
	workspace string
	viewer    string
	version   int64
	in        History
}

func (c *pageCache) get(k pageKey) (Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pages[k]
	return p, ok
}

func (c *pageCache) put(k pageKey, p Page) {
	if len(p.Messages) > maxPage {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil || c.bytes > pageBytes {
		c.pages, c.bytes = map[pageKey]Page{}, 0
	}
	c.pages[k] = p
	c.bytes += len(p.Messages) + 256
}
