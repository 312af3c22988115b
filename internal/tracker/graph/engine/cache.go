package engine

import (
	"container/list"
	"sync"
)

// cache keeps the documents used last, up to an estimated number of bytes.
type cache struct {
	mu    sync.Mutex
	limit int
	size  int
	order *list.List // of *document, the latest first
	byKey map[string]*list.Element
}

func newCache(limit int) *cache {
	return &cache{limit: limit, order: list.New(), byKey: map[string]*list.Element{}}
}

// weight estimates what a document and its plans take: some fifty times its text.
func (d *document) weight() int { return 4096 + 50*len(d.text) }

func (c *cache) get(text string) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[text]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*document)
}

func (c *cache) put(d *document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[d.text] != nil || d.weight() > c.limit {
		return
	}
	c.byKey[d.text] = c.order.PushFront(d)
	c.size += d.weight()
	for c.size > c.limit {
		last := c.order.Back()
		old := c.order.Remove(last).(*document)
		delete(c.byKey, old.text)
		c.size -= old.weight()
	}
}
