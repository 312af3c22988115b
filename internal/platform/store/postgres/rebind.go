package postgres

import (
	"strconv"
	"strings"
	"sync"
)

// rebound caches "$n" texts by their "?" texts. A program has few of them, except
// for filters and the lists of store.In, which come in many forms.
var rebound = &texts{limit: 4 << 20}

// texts caches texts made from texts, up to a number of bytes; then it starts anew.
type texts struct {
	mu    sync.RWMutex
	made  map[string]string
	bytes int
	limit int
}

func (t *texts) get(from string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	to, ok := t.made[from]
	return to, ok
}

func (t *texts) put(from, to string) {
	weight := len(from) + len(to) + 100
	if weight > t.limit {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.made[from]; known {
		return
	}
	if t.bytes += weight; t.bytes > t.limit || t.made == nil {
		t.made, t.bytes = map[string]string{}, weight
	}
	t.made[from] = to
}

// rebind numbers the placeholders of a statement for PostgreSQL.
func rebind(sql string) string {
	if !strings.Contains(sql, "?") {
		return sql
	}
	if s, ok := rebound.get(sql); ok {
		return s
	}
	var b strings.Builder
	n, quoted := 0, false
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; {
		case c == '\'':
			quoted = !quoted
			b.WriteByte(c)
		case c == '?' && !quoted:
			n++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
		default:
			b.WriteByte(c)
		}
	}
	rebound.put(sql, b.String())
	return b.String()
}
