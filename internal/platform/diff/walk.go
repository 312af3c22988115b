package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/jsontext"
	"understudy/internal/platform/store"
)

const (
	// batchRows and batchBytes bound the rows read at a time.
	batchRows  = 1000
	batchBytes = 1 << 20
	// maxPicked bounds the rows that are read one by one, whose keys are kept in
	// memory; if more may have changed, the whole table is compared.
	maxPicked = 20000
)

// walk compares one table of both worlds, after a key. It reports whether it
// stopped because the page is full.
func (c *comparison) walk(e *Entity, after []any) (stopped bool, err error) {
	tx := c.txs[e.World]
	if tx[0] == nil && tx[1] == nil {
		return false, nil
	}
	columns := e.columns()
	changed, err := c.suspects(e)
	if err != nil {
		return false, err
	}
	w := &tableWalk{comparison: c, entity: e, columns: columns, keys: len(e.Key)}
	if c.origins != nil && e.Unpack == nil && e.hasNumber(c.dialect(e)) {
		columns = append(slices.Clone(columns), "rowid")
	}
	if changed.all {
		w.a, w.b = c.readerOf(tx[0], e, columns, after), c.readerOf(tx[1], e, columns, after)
		return w.merge()
	}
	for i, to := range []**rowReader{&w.a, &w.b} {
		keys, err := selectKeys(tx[i], e, changed.numbers)
		if err != nil {
			return false, err
		}
		keys = slices.DeleteFunc(keys, func(r []any) bool { return after != nil && compareKeys(r[:w.keys], after) <= 0 })
		slices.SortFunc(keys, func(x, y []any) int { return compareKeys(x[:w.keys], y[:w.keys]) })
		*to = &rowReader{room: c.room, fetch: func([]any) (batch rows, more bool, err error) {
			batch, keys, err = selectPicked(tx[i], e, columns, keys)
			return batch, len(keys) > 0, err
		}}
	}
	return w.merge()
}

// dialect returns the dialect of an entity's world.
func (r *Reading) dialect(e *Entity) *store.Dialect {
	tx := r.txs[e.World]
	if tx[1] != nil {
		return tx[1].Dialect()
	}
	return tx[0].Dialect()
}

// suspects are the rows of a table that may have changed.
type suspects struct {
	numbers []int64
	all     bool // the database does not know, or they are more than maxPicked
}

// suspects returns the rows of an entity's table that may have changed. Each page of
// a comparison asks for them.
func (r *Reading) suspects(e *Entity) (suspects, error) {
	at := tableIn{e.World, e.Table}
	s, known := r.suspected[at]
	if known {
		return s, nil
	}
	numbers, all, err := findSuspects(r, e)
	if err != nil {
		return s, err
	}
	if s.all = all || len(numbers) > maxPicked; !s.all {
		s.numbers = numbers
	}
	r.suspected[at] = s
	return s, nil
}

// findSuspects is Reading.suspects without a cache and a bound.
func findSuspects(r *Reading, e *Entity) (numbers []int64, all bool, err error) {
	tx := r.txs[e.World]
	if tx[0] == nil || tx[1] == nil {
		return nil, true, nil
	}
	d, known := r.pages[e.World]
	if !known {
		if d, err = store.Compare(r.ctx, tx[0], tx[1]); err != nil {
			return nil, false, err
		}
		r.pages[e.World] = d
	}
	return d.Rows(e.Table)
}

// rows are the values of rows of one table.
type rows [][]any

// bytes returns the approximate memory of rows.
func (list rows) bytes() (n int) {
	for _, r := range list {
		n += rowBytes(r)
	}
	return n
}

func rowBytes(values []any) int {
	n := 24 * len(values)
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}

// rowReader returns the rows of a table in the order of its key.
type rowReader struct {
	room *budget.Page
	// fetch returns the rows after a key, and whether there may be more.
	fetch func(after []any) (rows, bool, error)
	after []any // the key before the next batch; nil for the beginning
	rows  rows
	done  bool // rows is the last batch
}

// readerOf returns a reader of a table after a key; without a world the table is
// empty.
func (r *Reading) readerOf(tx *store.Tx, e *Entity, columns []string, after []any) *rowReader {
	if tx == nil {
		return &rowReader{done: true}
	}
	return &rowReader{room: r.room, after: after,
		fetch: func(after []any) (rows, bool, error) { return selectAfter(tx, e, columns, after) }}
}

// peek returns the next row, or nil.
func (r *rowReader) peek(keys int) ([]any, error) {
	for len(r.rows) == 0 && !r.done {
		batch, more, err := r.fetch(r.after)
		if err != nil {
			return nil, err
		}
		if err := r.room.Add(batch.bytes()); err != nil {
			return nil, err
		}
		r.rows, r.done = batch, !more
		if len(batch) > 0 {
			r.after = batch[len(batch)-1][:keys]
		}
	}
	if len(r.rows) == 0 {
		return nil, nil
	}
	return r.rows[0], nil
}

type tableWalk struct {
	*comparison
	entity  *Entity
	columns []string
	keys    int   // how many columns are the key
	reach   []any // the greatest key that Reach returned
	a, b    *rowReader
}

// merge compares both tables in parallel, in the order of keys.
func (w *tableWalk) merge() (stopped bool, err error) {
	for steps := 0; ; steps++ {
		if steps%batchRows == 0 {
			if err := w.ctx.Err(); err != nil {
				return false, err
			}
		}
		x, err := w.a.peek(w.keys)
		if err != nil {
			return false, err
		}
		y, err := w.b.peek(w.keys)
		if err != nil || x == nil && y == nil {
			return false, err
		}
		order := 0
		switch {
		case x == nil:
			order = 1
		case y == nil:
			order = -1
		default:
			order = compareKeys(x[:w.keys], y[:w.keys])
		}
		if order <= 0 {
			w.a.rows = w.a.rows[1:]
		} else {
			x = nil
		}
		if order >= 0 {
			w.b.rows = w.b.rows[1:]
		} else {
			y = nil
		}
		if x != nil && y != nil && equalRows(x[:len(w.columns)], y[:len(w.columns)]) {
			continue
		}
		if err := w.note(x, y); err != nil {
			return false, err
		}
		if len(w.found) >= w.options.Limit || w.bytes > w.options.Bytes {
			if more, err := w.withinReach(); err != nil || more {
				if err != nil {
					return false, err
				}
				continue
			}
			if w.entity.Unpack != nil && w.dropUnchanged() {
				continue
			}
			if w.last = y; x != nil {
				w.last = x
			}
			w.last = w.last[:w.keys]
			return true, nil
		}
	}
}

// withinReach reports whether the next row of either world may contain things of
// rows that have been collected.
func (w *tableWalk) withinReach() (bool, error) {
	if w.reach == nil {
		return false, nil
	}
	for _, r := range []*rowReader{w.a, w.b} {
		next, err := r.peek(w.keys)
		if err != nil {
			return false, err
		}
		if next != nil && compareKeys(next[:w.keys], w.reach) <= 0 {
			return true, nil
		}
	}
	return false, nil
}

// dropUnchanged drops the things that are equal in both worlds, in different
// rows. It reports whether the page has room again.
func (w *tableWalk) dropUnchanged() bool {
	for n, p := range w.found {
		if p.before == nil || p.after == nil || !same(p.before, p.after) {
			continue
		}
		delete(w.found, n)
		for _, fields := range []map[string]any{p.before, p.after} {
			w.bytes -= sizeOf(Record{Key: n.key, Fields: fields})
		}
	}
	return len(w.found) < w.options.Limit && w.bytes <= w.options.Bytes
}

// note collects a row that differs between the two worlds; nil for no row.
func (w *tableWalk) note(x, y []any) error {
	var seen [2][]Record
	for i, values := range [][]any{x, y} {
		if values == nil {
			continue
		}
		r := Row{columns: w.columns, values: values}
		if w.entity.Reach != nil {
			if to := w.entity.Reach(r); to != nil && (w.reach == nil || compareKeys(to, w.reach) > 0) {
				w.reach = to
			}
		}
		if w.entity.Unpack != nil {
			if err := w.room.Whole(); err != nil {
				return err
			}
			var err error
			if seen[i], err = w.entity.Unpack(w.txs[w.entity.World][i], r); err != nil {
				return err
			}
		} else if rec, ok := w.entity.record(r); ok {
			w.identify(&rec, r)
			seen[i] = []Record{rec}
		}
	}
	if w.entity.Missing != nil {
		for i, other := range []int{1, 0} {
			if values := [][]any{x, y}; values[i] == nil && len(seen[other]) > 0 {
				if f := w.entity.Missing(Row{columns: w.columns, values: values[other]}); f != nil {
					r := seen[other][0]
					r.Fields = f
					seen[i] = []Record{r}
				}
			}
		}
	}
	for i, records := range seen {
		for _, r := range records {
			w.put(w.entity, r, i == 1)
		}
	}
	if w.origins != nil && w.entity.Unpack == nil {
		w.noteGone(x, y, seen)
	}
	return nil
}

// noteGone collects the row of a thing that counts as deleted in one of the
// states.
func (w *tableWalk) noteGone(x, y []any, seen [2][]Record) {
	for i, values := range [][]any{x, y} {
		if other := seen[1-i]; values != nil && len(seen[i]) == 0 && len(other) > 0 {
			if p := w.found[name{other[0].Service, other[0].Entity, other[0].Key}]; p != nil { // nil if it was not requested
				p.numbers[i], p.has[i] = w.entity.number(values, len(w.columns)), true
			}
		}
	}
}

// identify sets the fields by which the record's origin is found.
func (w *tableWalk) identify(rec *Record, r Row) {
	if w.origins == nil {
		return
	}
	rec.Number = w.entity.number(r.values, len(w.columns))
	if h := w.entity.History; h != nil {
		for _, c := range h.Of {
			rec.owner = append(rec.owner, r.Value(c))
		}
	}
}

// sizeOf returns the approximate size of a thing in a reply, in bytes.
func sizeOf(r Record) int {
	n := 100 + len(r.Key)
	for field, v := range r.Fields {
		n += len(field) + 8
		switch v := v.(type) {
		case string:
			n += jsontext.Len(v)
		case json.RawMessage:
			n += len(v)
		default:
			n += 16
		}
	}
	return n
}

func equalRows(x, y []any) bool {
	for i := range x {
		if a, ok := x[i].([]byte); ok {
			b, ok := y[i].([]byte)
			if !ok || !bytes.Equal(a, b) {
				return false
			}
		} else if x[i] != y[i] {
			return false
		}
	}
	return true
}

// compareKeys orders keys as both databases do: texts by bytes, numbers by size.
func compareKeys(x, y []any) int {
	for i := range x {
		d := 0
		switch a := x[i].(type) {
		case string:
			b, _ := y[i].(string)
			d = strings.Compare(a, b)
		case int64:
			b, _ := y[i].(int64)
			d = cmp.Compare(a, b)
		}
		if d != 0 {
			return d
		}
	}
	return 0
}
