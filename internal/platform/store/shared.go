package store

import "strings"

// Shared is what the writes that share a transaction keep for those after them:
// what was read once need not be read again while nothing has changed it. An
// engine makes a new one for each transaction, and whenever a write fails.
type Shared struct {
	changes map[string]int // statements that changed a table, by its name
	unknown int            // statements that may have changed any
	kept    map[any]kept
}

// kept is a value, and how many statements had changed its tables by then.
type kept struct {
	value   any
	tables  []string
	changes int
}

// NewShared returns a Shared in which nothing is kept.
func NewShared() *Shared { return &Shared{changes: map[string]int{}, kept: map[any]kept{}} }

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

// Keep keeps a value that follows from rows of some tables for this write and
// those after it in the transaction, until a statement changes one of the tables.
func Keep(tx *Tx, key, value any, tables ...string) {
	tx.shared.kept[key] = kept{value, tables, tx.shared.changesOf(tables)}
}

// Kept returns what was kept under a key, and whether it still holds.
func Kept[T any](tx *Tx, key any) (value T, ok bool) {
	k, ok := tx.shared.kept[key]
	if !ok || tx.shared.changesOf(k.tables) != k.changes {
		return value, false
	}
	value, ok = k.value.(T)
	return value, ok
}

// Changed reports whether a statement may change rows, and of which table: "" where
// its text does not begin with that.
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
