package postgres

import (
	"strconv"
	"strings"

	"understudy/internal/platform/cache"
)

// reboundBytes bounds the size of the cached statements, in bytes.
const reboundBytes = 4 << 20

// rebound caches statements with "$n" by their texts with "?". A program has few
// of them, except for filters and the lists of store.In, which come in many
// forms.
var rebound = cache.NewBounded(reboundBytes, func(from, to string) int { return len(from) + len(to) + 100 })

// rebind numbers the placeholders of a statement for PostgreSQL.
func rebind(sql string) string {
	if !strings.Contains(sql, "?") {
		return sql
	}
	if s, ok := rebound.Get(sql); ok {
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
	rebound.Put(sql, b.String())
	return b.String()
}
