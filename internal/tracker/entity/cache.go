package entity

import (
	"strings"
	"sync"
	"sync/atomic"

	"understudy/internal/platform/cache"
)

// Caches are the rows and pages that the readers of one world cache.
type Caches struct {
	rows  map[string]any // *rowCache of each kind, by table
	pages listings
}

// NewCaches returns empty caches for some kinds.
func NewCaches(kinds ...Cached) *Caches {
	c := &Caches{rows: map[string]any{}, pages: newListings()}
	for _, k := range kinds {
		table, rows := k.newCache()
		c.rows[table] = rows
	}
	return c
}

// Cached is a Kind of any type.
type Cached interface {
	newCache() (table string, rows any)
}

func (k *Kind[V, T]) newCache() (string, any) { return k.Table, newRowCache[T]() }

// cache returns the cache of the kind; nil in a write, whose rows may be rolled
// back.
func (k *Kind[V, T]) cache(s *Scope) *rowCache[T] {
	if s.Version == 0 || s.Caches == nil {
		return nil
	}
	c, _ := s.Caches.rows[k.Table].(*rowCache[T])
	return c
}

// copied returns copies of rows, which the caller may complete: cached rows
// belong to other requests too.
func (k *Kind[V, T]) copied(rows []*T) []*T {
	if k.Complete == nil {
		return rows
	}
	all := make([]T, len(rows))
	for i, t := range rows {
		all[i] = *t
		rows[i] = &all[i]
	}
	return rows
}

// rowCache caches rows of one kind. A row contains the tenant's version at its
// last write, so a reader reads only ids and versions from the database and finds
// the rows here; at the same version of the tenant it does not read even those
// again. Only committed rows are stored.
type rowCache[T any] struct {
	mu         sync.RWMutex
	young, old map[rowKey]entry[T]

	absent atomic.Int32 // balance of the last lists that were read: positive when most of their rows were not cached
	marks  *cache.Marks // some of the rows of the last lists that were read whole

	bares sync.Map     // of *T with nothing but an id, by id
	bared atomic.Int64 // how many
}

func newRowCache[T any]() *rowCache[T] { return &rowCache[T]{marks: cache.NewMarks()} }

// maxBares bounds the rows of Kind.Peek that are kept.
const maxBares = 256

// bare returns a row that contains only an id. A page refers to the same few states,
// teams and people again and again, so those are kept.
func (c *rowCache[T]) bare(id string, base func(*T) *Base) *T {
	if c == nil {
		t := new(T)
		base(t).ID = id
		return t
	}
	if t, ok := c.bares.Load(id); ok {
		return t.(*T)
	}
	t := new(T)
	id = strings.Clone(id) // the text of a whole row may be behind it
	base(t).ID = id
	if c.bared.Add(1) > maxBares {
		c.bares.Clear()
		c.bared.Store(1)
	}
	c.bares.Store(id, t)
	return t
}

// entry is a row, with the tenant's version up to which it was the newest.
type entry[T any] struct {
	row     *T
	version int64
	checked int64
}

// cacheRows is the number of rows of a kind in each of the two generations.
const cacheRows = 4096

// look returns the entries for ids; the row of an unknown id is nil.
func (c *rowCache[T]) look(org string, ids []string) []entry[T] {
	out := make([]entry[T], len(ids))
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i, id := range ids {
		k := rowKey{org, id}
		e, ok := c.young[k]
		if !ok {
			e = c.old[k]
		}
		out[i] = e
	}
	return out
}

// newest sets the rows of those stamps whose row is cached. It returns the number
// of the others.
func (c *rowCache[T]) newest(org string, stamps []stamp, rows []*T) (missing int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i, st := range stamps {
		k := rowKey{org, st.id}
		e, ok := c.young[k]
		if !ok {
			e = c.old[k]
		}
		if e.row != nil && e.version == st.version {
			rows[i] = e.row
		} else {
			missing++
		}
	}
	return missing
}

// maxBalance is how many lists are remembered by rowCache.absent, either way.
const maxBalance = 4

// met counts a list that was read, of whose rows so many were cached.
func (c *rowCache[T]) met(cached, all int) {
	switch n := c.absent.Load(); {
	case all == 0:
	case 2*cached > all && n > -maxBalance:
		c.absent.Store(n - 1)
	case 2*cached <= all && n < maxBalance:
		c.absent.Store(n + 1)
	}
}

// unlikely reports whether the rows of the next list are likely not cached, to judge by
// the last ones. Then one statement that reads whole rows is faster than one for their
// ids and versions, and another one for those that are missing.
func (c *rowCache[T]) unlikely() bool { return c.absent.Load() >= 0 }

// asked marks the rows of a list, and reports whether it has rows in common with one of
// the last lists. It looks at one row of eight: whose id, which is random, ends with 0 or 8.
func (c *rowCache[T]) asked(org string, stamps []stamp) (before bool) {
	for _, st := range stamps {
		if last := st.id[len(st.id)-1]; last == '0' || last == '8' {
			before = cache.Asked(c.marks, rowKey{org, st.id}) || before
		}
	}
	return before
}

// put stores rows that were the newest at a version of the tenant. It returns how many
// of them were there.
func (c *rowCache[T]) put(org string, rows []*T, base func(*T) *Base, at int64) (had int) {
	if len(rows) == 0 {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range rows {
		if len(c.young) >= cacheRows || c.young == nil {
			// Memory grows only for environments with many rows, which have filled a
			// generation. The oldest generation's memory is used again.
			if len(c.old) >= cacheRows {
				clear(c.old)
				c.old, c.young = c.young, c.old
			} else {
				c.old, c.young = c.young, make(map[rowKey]entry[T], len(c.young)/4)
			}
		}
		b := base(t)
		k := rowKey{org, b.ID}
		e, ok := c.young[k]
		if ok && (e.version > b.Version || e.version == b.Version && e.checked >= at) {
			had++
			continue // a newer one is stored
		}
		if !ok {
			e, ok = c.old[k]
		}
		if ok && e.version == b.Version {
			had++
		}
		c.young[k] = entry[T]{t, b.Version, at}
	}
	return had
}
