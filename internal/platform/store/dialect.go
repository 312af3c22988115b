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

var rebound sync.Map // "?" text to "$n" text

// rebind numbers the placeholders of a statement for PostgreSQL. Texts are
// kept: a program has few of them, but for the lists of In.
func rebind(sql string) string {
	if !strings.Contains(sql, "?") {
		return sql
	}
	if s, ok := rebound.Load(sql); ok {
		return s.(string)
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
	rebound.Store(sql, b.String())
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
