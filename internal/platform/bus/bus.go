// Package bus carries messages between the parts of an environment about what was
// committed: tokens revoked, events appended, rows that caches must drop. It
// stores nothing: a receiver that must not miss anything reads the world.
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

// Subscribe calls f for each message of a topic until cancel is called. f runs on
// the publisher's goroutine, so it must be quick.
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

// Publish passes a message to all subscribers of its topic.
func (b *Bus) Publish(t Topic, message any) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, f := range b.subs[t] {
		f(message)
	}
}
