package cache

import (
	"container/list"
	"sync"
)

// Bounded is an LRU cache bounded by bytes. Its keys must contain everything on
// which a value depends, including versions, so that no value is ever outdated.
// It is safe for concurrent use.
type Bounded[K comparable, V any] struct {
	limit int // of bytes
	most  int // of values, 0 for any number
	weigh func(K, V) int

	mu    sync.Mutex
	byKey map[K]*list.Element
	order *list.List // of *entry, the most recently used first
	bytes int
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// NewBounded returns a cache of values that together have at most limit bytes.
// weigh estimates the bytes of a value with its key.
func NewBounded[K comparable, V any](limit int, weigh func(K, V) int) *Bounded[K, V] {
	return &Bounded[K, V]{limit: limit, weigh: weigh, byKey: map[K]*list.Element{}, order: list.New()}
}

// AtMost bounds the number of values too, and returns the cache.
func (b *Bounded[K, V]) AtMost(n int) *Bounded[K, V] {
	b.most = n
	return b
}

// Get returns the value of a key and reports whether there is one.
func (b *Bounded[K, V]) Get(key K) (value V, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.use(b.byKey[key])
}

// GetBytes is Get for a key in a buffer. It does not copy the key.
func GetBytes[V any](b *Bounded[string, V], key []byte) (value V, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.use(b.byKey[string(key)])
}

// use returns the value of an element, nil for none, and marks it as used.
func (b *Bounded[K, V]) use(e *list.Element) (value V, ok bool) {
	if e == nil {
		return value, false
	}
	b.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put stores a value, unless it alone weighs more than the limit.
func (b *Bounded[K, V]) Put(key K, value V) { b.PutUnless(key, value, nil) }

// PutUnless is Put, unless the cache has a value for which newer returns true.
func (b *Bounded[K, V]) PutUnless(key K, value V, newer func(V) bool) {
	bytes := b.weigh(key, value)
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.byKey[key]; e != nil {
		if newer != nil && newer(e.Value.(*entry[K, V]).value) {
			return
		}
		b.remove(e)
	}
	if bytes > b.limit {
		return
	}
	b.byKey[key] = b.order.PushFront(&entry[K, V]{key, value, bytes})
	b.bytes += bytes
	b.trim()
}

// Drop removes the value of a key, if there is one.
func (b *Bounded[K, V]) Drop(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.byKey[key]; e != nil {
		b.remove(e)
	}
}

// Reweigh estimates the value of a key again, after it has grown.
func (b *Bounded[K, V]) Reweigh(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byKey[key]
	if e == nil {
		return
	}
	one := e.Value.(*entry[K, V])
	b.bytes -= one.bytes
	one.bytes = b.weigh(key, one.value)
	b.bytes += one.bytes
	b.trim()
}

// Len returns the number of values and their bytes.
func (b *Bounded[K, V]) Len() (values, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.byKey), b.bytes
}

func (b *Bounded[K, V]) trim() {
	for b.bytes > b.limit || b.most > 0 && b.order.Len() > b.most {
		b.remove(b.order.Back())
	}
}

func (b *Bounded[K, V]) remove(e *list.Element) {
	one := b.order.Remove(e).(*entry[K, V])
	delete(b.byKey, one.key)
	b.bytes -= one.bytes
}
