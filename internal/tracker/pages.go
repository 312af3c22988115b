package tracker

import (
	"strconv"
	"sync"
)

// pageCache remembers which rows a statement gave at a sync id. The statement
// and its arguments say all that the answer depends on, the caller's view and
// the time included, and no row changes without the sync id, so an answer of
// the same sync id is what the database would say again.
type pageCache struct {
	mu      sync.Mutex
	entries map[string]listing
	size    int
}

// listing is the answer to a statement.
type listing struct {
	sync    int64
	stamps  []stamp
	parents []string // of each row, where asked for
}

// maxPages is how many bytes of listings are kept, about; then all are dropped.
const maxPages = 4 << 20

// weight estimates the bytes of a listing under a key.
func (l *listing) weight(key string) int {
	return len(key) + 200 + 64*len(l.stamps) + 56*len(l.parents)
}

// get gives what was put under the key at this sync id; it must not be changed.
func (c *pageCache) get(key string, sync int64) (listing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.entries[key]
	if key == "" || l.sync != sync {
		return listing{}, false
	}
	return l, true
}

func (c *pageCache) put(key string, sync int64, l listing) {
	if l.sync = sync; key == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old, known := c.entries[key]
	if known {
		if old.sync > sync {
			return // a later reader was quicker
		}
		c.size -= old.weight(key)
	}
	if c.size += l.weight(key); c.size > maxPages || c.entries == nil {
		c.entries, c.size = map[string]listing{}, l.weight(key)
	}
	c.entries[key] = l
}

// pageKey gives the key of a statement: the kind, the text and the arguments;
// "" when an argument is of a type that may change under its name.
func pageKey(kind, from string, args []any) string {
	b := make([]byte, 0, 64+len(from)+40*len(args))
	b = append(append(append(b, kind...), 0), from...)
	for _, a := range args {
		b = append(b, 0)
		switch a := a.(type) {
		case string:
			b = strconv.AppendInt(append(b, 's'), int64(len(a)), 10)
			b = append(append(b, ':'), a...)
		case int64:
			b = strconv.AppendInt(append(b, 'i'), a, 10)
		case bool:
			b = strconv.AppendBool(append(b, 'b'), a)
		case float64:
			b = strconv.AppendFloat(append(b, 'f'), a, 'g', -1, 64)
		default:
			return ""
		}
	}
	return string(b)
}
