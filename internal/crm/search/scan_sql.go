package search

import (
	"math"
	"strconv"

	"understudy/internal/crm/schema"
	"understudy/internal/platform/store"
)

func (w *scanner) collect(tx *store.Tx, sql string, args []any, extra ...any) (out []*schema.Record, err error) {
	err = tx.Each(sql, args, func(row store.Row) error {
		r := &schema.Record{Type: w.pl.fields.Type}
		dest := append([]any{&r.ID}, extra...)
		if w.records {
			dest = append(columnsOf(r), extra...)
		}
		err := row.Scan(dest...)
		out = append(out, r)
		return err
	})
	if len(out) > 0 {
		w.started, w.id = true, out[len(out)-1].ID
	}
	return out, err
}

func (w *scanner) columns() string {
	if w.records {
		return recordColumns
	}
	return "r.id"
}

// direction returns the comparison operator and the order of a scan.
func (w *scanner) direction(desc bool) (compare, order string) {
	if desc {
		return " < ", " DESC"
	}
	return " > ", ""
}

func (w *scanner) nextByID(tx *store.Tx, n int, desc bool) ([]*schema.Record, error) {
	if !w.started && desc {
		w.id = math.MaxInt64
	}
	compare, order := w.direction(desc)
	return w.collect(tx, "SELECT "+w.columns()+" FROM crm_record r WHERE r.portal = ? AND r.type = ? AND r.archived = 0 AND r.id"+compare+
		"? ORDER BY r.id"+order+" LIMIT "+strconv.Itoa(n), []any{w.pl.fields.Portal, w.pl.fields.Type, w.id})
}

func (w *scanner) nextByTime(tx *store.Tx, n int) ([]*schema.Record, error) {
	column := "r." + w.sort.Column()
	compare, order := w.direction(w.desc)
	sql := "SELECT " + w.columns() + ", " + column + " FROM crm_record r WHERE r.portal = ? AND r.type = ? AND r.archived = 0"
	args := []any{w.pl.fields.Portal, w.pl.fields.Type}
	if w.within != nil {
		where, more := rangeSQL(w.within, column, microsOf)
		sql, args = sql+where, append(args, more...)
	}
	if w.started {
		sql, args = sql+" AND ("+column+", r.id)"+compare+"(?, ?)", append(args, w.at, w.id)
	}
	return w.collect(tx, sql+" ORDER BY "+column+order+", r.id"+order+" LIMIT "+strconv.Itoa(n), args, &w.at)
}

// nextByValue scans the value table. A subquery selects its page first, so that
// neither database sorts the whole table, and CROSS JOIN makes SQLite begin with
// it instead of with all records.
func (w *scanner) nextByValue(tx *store.Tx, n int) ([]*schema.Record, error) {
	compare, order := w.direction(w.desc)
	sql := "SELECT v.record, v.value FROM crm_value v WHERE v.portal = ? AND v.property = ?"
	args := []any{w.pl.fields.Portal, w.sort.Number}
	if w.within != nil {
		where, more := rangeSQL(w.within, "v.value", func(k string) any { return k })
		sql, args = sql+where, append(args, more...)
	}
	if w.started {
		sql, args = sql+" AND (v.value, v.record)"+compare+"(?, ?)", append(args, w.key, w.id)
	}
	sql += " ORDER BY v.value" + order + ", v.record" + order + " LIMIT " + strconv.Itoa(n)
	if !w.records {
		return w.collect(tx, sql, args, &w.key)
	}
	return w.collect(tx, "SELECT "+recordColumns+", v.value FROM ("+sql+") v CROSS JOIN crm_record r WHERE r.portal = ? AND r.type = ? AND r.id = v.record"+
		" ORDER BY v.value"+order+", v.record"+order, append(args, w.pl.fields.Portal, w.pl.fields.Type), &w.key)
}

// nextOfDriver reads candidates from an index in the order of ids.
func (w *scanner) nextOfDriver(tx *store.Tx, n int) ([]*schema.Record, error) {
	s := w.driver
	sql := s.selectIDs()
	args := append([]any{}, s.args...)
	if w.started {
		sql, args = sql+" AND "+s.id+" > ?", append(args, w.id)
	}
	sql += " ORDER BY " + s.id + " LIMIT " + strconv.Itoa(n)
	return w.collect(tx, "SELECT "+recordColumns+" FROM ("+sql+") c CROSS JOIN crm_record r WHERE r.portal = ? AND r.type = ? AND r.id = c.id ORDER BY c.id",
		append(args, w.pl.fields.Portal, w.pl.fields.Type))
}
