package tracker

import (
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/store"
)

// Base is what every entity has. Times are microseconds, 0 is never.
type Base struct {
	Org, ID                    string
	Created, Updated, Archived int64
	Version                    int64 // the sync id of the last write
}

func (b *Base) base() *Base { return b }

// form is how a column looks on the wire.
type form int

const (
	text   form = iota // a string
	ref                // an id or a text of which "" is null
	number             // an integer or a float
	maybe              // a float or null
	flag               // a boolean
	moment             // microseconds, 0 is null
	list               // ids separated by spaces
	hidden             // kept, never shown
)

// column is a column of an entity: its name here and in payloads.
type column[T any] struct {
	name string
	wire string // "" is not shown in payloads
	form form
	ptr  func(*T) any
}

// Kind is a sort of entity: its table, and what can be asked of it.
type Kind[T any] struct {
	Name     string // "Issue", as errors and webhooks call it
	table    string
	columns  []column[T]
	base     func(*T) *Base
	shape    *shape                                                   // filters
	of       map[string]relation                                      // connections that lead here, by name
	sorts    map[string]sortKey                                       // keys of the sort argument
	hide     func(v *View) (cond string, a []any)                     // what the viewer may not see, "" is nothing
	complete func(v *View, rows []*T) error                           // adds what is computed
	enrich   func(v *View, t *T, data map[string]any) (detail, error) // adds to payloads what they embed
	heavy    func(*T) bool                                            // too large to be kept in memory
	selected string                                                   // the columns, as a SELECT names them
}

func (k *Kind[T]) ready(base func(*T) *Base, columns []column[T]) *Kind[T] {
	k.base = base
	if k.table != "tracker_organization" {
		k.columns = []column[T]{{"org", "", hidden, func(t *T) any { return &base(t).Org }}}
	}
	k.columns = append(append(k.columns, []column[T]{
		{"id", "id", text, func(t *T) any { return &base(t).ID }},
		{"created", "createdAt", moment, func(t *T) any { return &base(t).Created }},
		{"updated", "updatedAt", moment, func(t *T) any { return &base(t).Updated }},
		{"archived", "archivedAt", moment, func(t *T) any { return &base(t).Archived }},
		{"version", "", hidden, func(t *T) any { return &base(t).Version }},
	}...), columns...)
	names := make([]string, len(k.columns))
	for i, c := range k.columns {
		names[i] = "t." + c.name
	}
	k.selected = strings.Join(names, ", ")
	return k
}

func (k *Kind[T]) query(tx *store.Tx, sql string, args ...any) (out []*T, err error) {
	err = tx.Each(sql, args, func(r store.Row) error {
		t := new(T)
		out = append(out, t)
		return r.Scan(k.dest(t)...)
	})
	return out, err
}

// where gives the rows of the organization that a condition on t holds for, in the order of their making.
func (k *Kind[T]) where(v *View, cond string, args ...any) ([]*T, error) {
	return k.query(v.tx, "SELECT "+k.selected+" FROM "+k.table+" t WHERE t.org = ? AND "+cond+" ORDER BY t.created, t.id",
		append([]any{v.org}, args...)...)
}

// find gives a row by its id, or nil, whoever may see it.
func (k *Kind[T]) find(v *View, id string) (*T, error) {
	if id == "" {
		return nil, nil
	}
	if t, ok := v.memo[memoKey{k.table, id}].(*T); ok {
		return t, nil
	}
	rows, err := k.query(v.tx, "SELECT "+k.selected+" FROM "+k.table+" t WHERE t."+strings.ReplaceAll(k.key(), ", ", " = ? AND t.")+" = ?",
		k.keyArgs(&Base{Org: v.org, ID: id})...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if v.memo != nil {
		v.memo[memoKey{k.table, id}] = rows[0]
	}
	return rows[0], nil
}

// memoKey names a row in the memory of a write.
type memoKey struct{ table, id string }

// byID gives the rows that the viewer may see.
func (k *Kind[T]) byID(v *View, ids []string) (map[string]*T, error) {
	out := make(map[string]*T, len(ids))
	var rows []*T
	var err error
	cond, more := k.visible(v)
	if cache := k.cache(v); cache != nil && cond == "" {
		rows, err = k.present(v, cache, ids)
		ids = nil
	}
	for len(ids) > 0 && err == nil {
		n := min(len(ids), 500)
		args := append(append([]any{v.org}, padded(ids[:n])...), more...)
		from := "FROM " + k.table + " t WHERE t.org = ? AND t.id IN " + store.In(len(args)-1-len(more))
		if cond != "" {
			from += " AND " + cond
		}
		var got []*T
		got, _, err = k.rows(v, from, args, false)
		rows = append(rows, got...)
		ids = ids[n:]
	}
	if err != nil {
		return nil, err
	}
	for _, t := range rows {
		out[k.base(t).ID] = t
	}
	if k.complete != nil && len(rows) > 0 {
		return out, k.complete(v, rows)
	}
	return out, nil
}

// padded gives ids as arguments, the last one repeated up to a power of two: so
// few different statements are prepared.
func padded(ids []string) []any {
	n := 1
	for n < len(ids) {
		n *= 2
	}
	out := make([]any, n)
	for i := range out {
		out[i] = ids[min(i, len(ids)-1)]
	}
	return out
}

// value gives what a column pointer points to, as a statement takes it.
func value(p any) any {
	switch p := p.(type) {
	case *string:
		return *p
	case *int64:
		return *p
	case *float64:
		return *p
	case *bool:
		return *p
	case **float64:
		if *p == nil {
			return nil
		}
		return **p
	}
	panic("tracker: a column of an unknown type")
}

// insert adds a row. It returns Taken when the id is in use.
func (k *Kind[T]) insert(tx *store.Tx, t *T) error {
	names := make([]string, len(k.columns))
	args := make([]any, len(k.columns))
	for i, c := range k.columns {
		names[i], args[i] = c.name, value(c.ptr(t))
	}
	n, err := tx.Exec("INSERT INTO "+k.table+" ("+strings.Join(names, ", ")+") VALUES "+store.In(len(args))+
		" ON CONFLICT ("+k.key()+") DO NOTHING", args...)
	if err == nil && n == 0 {
		return Taken.With(Entity{k.Name, k.base(t).ID}).Detailf("Entity %s with id %s already exists.", k.Name, k.base(t).ID)
	}
	return err
}

func (k *Kind[T]) key() string {
	if k.table == "tracker_organization" {
		return "id"
	}
	return "org, id"
}

// change is a column that an update changed.
type change struct {
	wire string
	old  any // as JSON
}

// update writes the columns in which t differs from old, and gives them with their old values.
func (k *Kind[T]) update(v *View, old, t *T) ([]change, error) {
	var changed []change
	var sets []string
	var args []any
	for _, c := range k.columns {
		was, is := value(c.ptr(old)), value(c.ptr(t))
		if was == is {
			continue
		}
		sets = append(sets, c.name+" = ?")
		args = append(args, is)
		if c.wire != "" {
			changed = append(changed, change{c.wire, shown(c.form, was)})
		}
	}
	if len(sets) == 0 {
		return nil, nil
	}
	b := k.base(t)
	v.memo[memoKey{k.table, b.ID}] = t
	_, err := v.tx.Exec("UPDATE "+k.table+" SET "+strings.Join(sets, ", ")+" WHERE "+strings.ReplaceAll(k.key(), ", ", " = ? AND ")+" = ?",
		append(args, k.keyArgs(b)...)...)
	return changed, err
}

// same tells whether two rows hold the same.
func (k *Kind[T]) same(a, b *T) bool {
	for _, c := range k.columns {
		if value(c.ptr(a)) != value(c.ptr(b)) {
			return false
		}
	}
	return true
}

func (k *Kind[T]) keyArgs(b *Base) []any {
	if k.table == "tracker_organization" {
		return []any{b.ID}
	}
	return []any{b.Org, b.ID}
}

func (k *Kind[T]) delete(v *View, t *T) error {
	b := k.base(t)
	delete(v.memo, memoKey{k.table, b.ID})
	_, err := v.tx.Exec("DELETE FROM "+k.table+" WHERE org = ? AND id = ?", b.Org, b.ID)
	return err
}

// data gives a row as payloads show it: without what is null.
func (k *Kind[T]) data(t *T) map[string]any {
	out := make(map[string]any, len(k.columns))
	for _, c := range k.columns {
		if c.wire == "" {
			continue
		}
		if v := shown(c.form, value(c.ptr(t))); v != nil {
			out[c.wire] = v
		}
	}
	return out
}

// shown gives a value as JSON shows it; nil is null.
func shown(f form, v any) any {
	switch f {
	case ref:
		if v == "" {
			return nil
		}
	case moment:
		if v == int64(0) {
			return nil
		}
		return ISO(v.(int64))
	case list:
		return Split(v.(string))
	}
	return v
}

// ISO gives a time as the wire shows it.
func ISO(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000Z")
}

// Split gives the ids of a list column.
func Split(ids string) []string {
	if ids == "" {
		return []string{}
	}
	return strings.Split(ids, " ")
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }
