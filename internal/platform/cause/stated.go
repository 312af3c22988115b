package cause

import (
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Statement implements store.Witness. A statement with the complete key of one
// row changes that row; any other may have changed every row of its table.
func (w *witness) Statement(to []store.Change, by store.Author, sql string, args []any, n, id int64) []store.Change {
	p := w.j.tables.parse(sql)
	if p.op == 0 {
		if n != 0 && !readsOnly(sql) { // its changes are unknown
			for _, t := range w.tables {
				to = append(to, store.Change{Seq: by.Seq, Kind: by.Kind, Table: t.Number, Op: store.Updated, Any: true})
			}
		}
		return to
	}
	t := w.tables[p.table]
	if n == 0 || t.Number == 0 {
		return to
	}
	w.j.mu.Lock()
	w.j.stated[w.world] = true
	w.j.mu.Unlock()
	c := store.Change{Seq: by.Seq, Kind: by.Kind, Table: t.Number, Op: p.op, Columns: p.set}
	if p.op == store.Inserted {
		if by.Bulk {
			c.Op, c.Columns = store.Bulk, 0
			if !slices.Contains(to, c) {
				to = append(to, c)
			}
			return to
		}
		if len(p.updates) > 0 { // the row existed or not
			c.Op = store.Updated
		}
		c.Columns = 0
	}
	key := w.j.tables.list[t.Number-1].key
	values := make([]any, len(key))
	for i, column := range key {
		if id != 0 && len(key) == 1 {
			values[i] = id
		} else if at, ok := p.values[column]; ok && at < len(args) {
			values[i] = args[at]
		} else {
			c.Any = true
		}
		c.Any = c.Any || slices.Contains(p.updates, column) // the row then has another key
	}
	if c.Any = c.Any || len(key) == 0; !c.Any {
		c.Row = store.HashKey(values...)
	}
	return append(to, c)
}

// readsOnly reports whether a statement changes nothing, according to its first
// word.
func readsOnly(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "SET", "SHOW", "LOCK", "ANALYZE", "VACUUM":
		return true
	}
	return false
}
