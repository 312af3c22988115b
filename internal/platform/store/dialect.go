package store

import (
	"strconv"
	"strings"
	"sync"
)

// Dialect holds the hooks through which one SQL text serves two databases.
type Dialect struct {
	Name string
	// ForUpdate is appended to a SELECT that must hold its rows until the end of the transaction.
	ForUpdate string
	// SkipLocked is appended to a SELECT by which one of several workers claims rows.
	SkipLocked string
	// MaxParams is how many placeholders a statement may have.
	MaxParams int
}

var (
	sqliteDialect   = &Dialect{Name: "sqlite", MaxParams: 32766}
	postgresDialect = &Dialect{Name: "postgres", ForUpdate: " FOR UPDATE", SkipLocked: " FOR UPDATE SKIP LOCKED", MaxParams: 65535}
)

// Pick gives the text for this database, where one text cannot serve both.
func (d *Dialect) Pick(sqlite, postgres string) string {
	if d == sqliteDialect {
		return sqlite
	}
	return postgres
}

// In gives "(?,?,…)" with n placeholders.
func In(n int) string {
	if n == 0 {
		return "(NULL)"
	}
	return "(" + strings.Repeat("?,", n-1) + "?)"
}

// rebound keeps "$n" texts by their "?" texts. A program has few of them, but
// for filters and the lists of In, which come in many forms.
var rebound = &texts{limit: 4 << 20}

// texts remembers texts made of texts, up to a number of bytes; then it begins anew.
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

// Blob is an argument that is kept as bytes; a plain []byte is kept as TEXT.
type Blob []byte

// argument gives the value to bind: pointers followed, bytes as text.
func argument(a any) any {
	switch v := a.(type) {
	case string, int64, bool, float64, nil:
		return v
	case int:
		return int64(v)
	case []byte:
		if v == nil {
			return nil
		}
		return string(v)
	case Blob:
		return []byte(v)
	case *string:
		if v == nil {
			return nil
		}
		return *v
	case *int64:
		if v == nil {
			return nil
		}
		return *v
	case *float64:
		if v == nil {
			return nil
		}
		return *v
	case *bool:
		if v == nil {
			return nil
		}
		return *v
	}
	return namedArgument(a)
}
