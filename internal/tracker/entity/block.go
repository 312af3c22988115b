package entity

import (
	"unsafe"

	"understudy/internal/platform/store"
)

const (
	// shortList is the number of rows of a list up to which each is allocated by itself.
	shortList = 16
	// blockBytes are the bytes of rows, or of their texts, that are allocated together.
	blockBytes = 8 << 10
)

// block allocates rows. The zero value allocates each by itself; the rows of others
// share memory, so that one that is kept keeps its neighbours.
type block[T any] struct {
	texts store.Texts
	rows  []T // not used yet
	most  int // rows that are still expected
}

// newBlock returns a block for a list of so many rows at most.
func newBlock[T any](most int) *block[T] {
	return &block[T]{texts: store.Texts{AtOnce: blockBytes}, most: most}
}

// next returns an empty row.
func (b *block[T]) next() *T {
	if b.most <= 0 {
		return new(T)
	}
	if len(b.rows) == 0 {
		b.rows = make([]T, min(b.most, max(1, blockBytes/int(unsafe.Sizeof(*new(T))))))
	}
	b.most--
	t := &b.rows[0]
	b.rows = b.rows[1:]
	return t
}

// clone returns a copy of a row that shares no memory with the rows of its block.
func clone[V Viewer, T any](k *Kind[V, T], t *T) *T {
	own := new(T)
	*own = *t
	size := 0
	for i := range k.columns {
		if s, ok := k.columns[i].ptr(own).(*string); ok {
			size += len(*s)
		}
	}
	texts := make([]byte, 0, size)
	for i := range k.columns {
		if s, ok := k.columns[i].ptr(own).(*string); ok {
			from := len(texts)
			texts = append(texts, *s...)
			*s = unsafe.String(unsafe.SliceData(texts[from:]), len(texts)-from)
		}
	}
	return own
}
