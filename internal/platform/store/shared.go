package store

import "strings"

// Shared caches values for all writes of a transaction: what was read once need
// not be read again while it is unchanged. An engine creates a new one for each
// transaction, and whenever a write fails. An engine through which all writes pass
// uses Next instead after a commit.
type Shared struct {
	changes map[string]int // number of statements that changed a table, by its name
	unknown int            // number of statements that may have changed any table
	kept    map[any]kept
	lasting map[any]kept // of KeepLong
}

// kept is a value with the number of changes of its tables when it was stored.
type kept struct {
	value   any
	tables  []string
	changes int
}

// NewShared returns an empty Shared.
func NewShared() *Shared {
	return &Shared{changes: map[string]int{}, kept: map[any]kept{}, lasting: map[any]kept{}}
}

// maxLasting is the number of values of KeepLong above which all are dropped.
const maxLasting = 200

// Next returns what remains of s, which may be nil, after the commit of its
// transaction: the values of KeepLong.
func (s *Shared) Next() *Shared {
	if s == nil || len(s.lasting) > maxLasting {
		return NewShared()
	}
	clear(s.kept)
	return s
}

// changesOf returns how many statements may have changed one of the tables.
func (s *Shared) changesOf(tables []string) int {
	n := s.unknown
	for _, t := range tables {
		n += s.changes[t]
	}
	return n
}

// note counts a statement as a change of its table.
func (s *Shared) note(sql string) {
	switch table, changes := Changed(sql); {
	case !changes:
	case table == "":
		s.unknown++
	default:
		s.changes[table]++
	}
}

// Keep caches a value that was read from some tables, for this write and later
// ones in the transaction, until a statement changes one of the tables.
func Keep(tx *Tx, key, value any, tables ...string) {
	tx.shared.kept[key] = kept{value, tables, tx.shared.changesOf(tables)}
}

// KeepLong is Keep for a small value that the following transactions are likely to
// need: they find it too where the engine sees all changes.
func KeepLong(tx *Tx, key, value any, tables ...string) {
	tx.shared.lasting[key] = kept{value, tables, tx.shared.changesOf(tables)}
}

// Kept returns the value that was cached under a key, and whether it is still
// valid.
func Kept[T any](tx *Tx, key any) (value T, ok bool) {
	k, ok := tx.shared.kept[key]
	if !ok {
		k, ok = tx.shared.lasting[key]
	}
	if !ok || tx.shared.changesOf(k.tables) != k.changes {
		return value, false
	}
	value, ok = k.value.(T)
	return value, ok
}

// Changed reports whether a statement may change rows, and of which table: "" if
// that does not follow from the beginning of its text.
func Changed(sql string) (table string, changes bool) {
	verb, rest, _ := strings.Cut(strings.TrimLeft(sql, " \t\n("), " ")
	switch verb {
	case "SELECT":
		return "", false
	case "INSERT", "DELETE":
		if verb, rest, _ = strings.Cut(rest, " "); verb != "INTO" && verb != "FROM" {
			return "", true
		}
	case "UPDATE":
	default:
		return "", true
	}
	if end := strings.IndexAny(rest, " \t\n("); end > 0 {
		rest = rest[:end]
	}
	return rest, true
}
