// Package bus tells the other parts of an environment that something was
// committed: tokens revoked, events appended. It keeps nothing and promises
// nothing across a restart; who must not miss anything reads the store.
package bus

import "sync"

// Topic names a kind of message.
type Topic string

// Bus delivers messages within the process. The zero value is ready.
type Bus struct {
	mu   sync.RWMutex
	subs map[Topic]map[int]func(any)
	next int
}

// Subscribe has f called for each message of a topic until cancel is called.
// f runs on the publisher's goroutine: it must be quick.
func (b *Bus) Subscribe(t Topic, f func(any)) (cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[Topic]map[int]func(any){}
	}
	if b.subs[t] == nil {
		b.subs[t] = map[int]func(any){}
	}
	b.next++
	id := b.next
	b.subs[t][id] = f
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs[t], id)
	}
}

// Publish hands a message to all who subscribed to its topic.
func (b *Bus) Publish(t Topic, message any) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, f := range b.subs[t] {
		f(message)
	}
}
