package store

import (
	"context"
	"testing"
)

// sizes is a store that is asked for sizes only.
type sizes struct {
	Store
	asked int
}

func (s *sizes) Dialect() *Dialect { return SQLite }

func (s *sizes) Size(context.Context, string) (int64, error) { s.asked++; return 7, nil }

// resting is a backend that may know its size.
type resting struct {
	Backend
	size int64
}

func (r resting) Resting() int64 { return r.size }

// The store is asked for a size only if nobody knows it.
func TestSizesAreAskedForOnce(t *testing.T) {
	for name, c := range map[string]struct {
		world       func(Store) *World
		size        int64
		first, then int
	}{
		"absent":      {func(s Store) *World { return LazilyAbsent(s, "w", nil) }, 0, 0, 0},
		"unopened":    {func(s Store) *World { return Lazily(s, "w", nil) }, 7, 1, 1},
		"resting":     {func(Store) *World { return NewWorld("w", SQLite, resting{size: 5}) }, 5, 0, 0},
		"not resting": {func(Store) *World { return NewWorld("w", SQLite, resting{}) }, 7, 1, 2},
	} {
		s := &sizes{}
		w := c.world(s)
		for _, asked := range []int{c.first, c.then} {
			if n, err := SizeOf(context.Background(), s, w); err != nil || n != c.size || s.asked != asked {
				t.Errorf("%s: %d bytes, %v, asked %d times; want %d and %d", name, n, err, s.asked, c.size, asked)
			}
		}
	}
}
