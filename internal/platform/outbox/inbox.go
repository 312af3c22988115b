package outbox

import "sync"

// inbox holds newly committed deliveries for a destination, so that the courier
// need not read them from the store. It holds at most as many as a window; the
// courier loads the others later.
type inbox struct {
	mu   sync.Mutex
	list []Delivery
	over bool // some deliveries are only in the store
}

func (b *inbox) add(d Delivery) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || len(b.list) >= windowSize {
		b.over = true
		return
	}
	b.list = append(b.list, d)
}

func (b *inbox) take() (list []Delivery, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, over = b.list, b.over
	b.list, b.over = nil, false
	return list, over
}

func (b *inbox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.list) == 0 && !b.over
}

// takeInbox appends the inbox to the window. While older deliveries are only in
// the store, it leaves new ones there too: they must not overtake.
func (c *courier) takeInbox() {
	list, over := c.inbox.take()
	for i := range list {
		if c.more || len(c.window.entries) >= windowSize {
			c.more = true
			c.cursor = min(c.cursor, list[i].ID-1) // on PostgreSQL one may appear late
			continue
		}
		c.window.add(&list[i], false)
		c.cursor = max(c.cursor, list[i].ID)
	}
	c.more = c.more || over
}
