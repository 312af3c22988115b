// Package bus carries messages about commits between the parts of an environment:
// revoked tokens, appended events, cache invalidations. It stores nothing: a
// receiver that must not miss anything reads the world.
package bus

import (
	"slices"
	"sync"
)

// Topic is a kind of message.
type Topic string

// Bus delivers messages within the process. The zero value is ready. It is safe
// for concurrent use.
type Bus struct {
	mu   sync.RWMutex
	subs map[Topic][]*subscriber // copied on change, because Publish may be iterating
}

type subscriber struct{ f func(any) }

// Subscribe calls f for each message of a topic until cancel is called. f runs on
// the publisher's goroutine, so it must be quick. It may subscribe, cancel and
// publish, and may acquire a lock that is held around Subscribe or cancel, but
// none that is held around Publish. A Publish that began before cancel was called
// may still call f afterwards.
func (b *Bus) Subscribe(t Topic, f func(any)) (cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[Topic][]*subscriber{}
	}
	s := &subscriber{f}
	b.subs[t] = append(slices.Clip(b.subs[t]), s)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.subs[t] = slices.DeleteFunc(slices.Clone(b.subs[t]), func(x *subscriber) bool { return x == s })
	}
}

// Publish calls all subscribers of a topic with a message, in the order of their
// subscriptions. It does not hold the bus's lock meanwhile.
func (b *Bus) Publish(t Topic, message any) {
	b.mu.RLock()
	subs := b.subs[t]
	b.mu.RUnlock()
	for _, s := range subs {
		s.f(message)
	}
}
