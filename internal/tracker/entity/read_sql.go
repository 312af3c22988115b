package entity

import (
	"strings"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// Select runs a query whose FROM clause names the table t; rest is the rest of
// the statement. It uses no caches, and ignores Hide.
func (k *Kind[V, T]) Select(tx *store.Tx, rest string, args ...any) (out []*T, err error) {
	err = each(k, tx, "", "FROM "+k.Table+" t "+rest, args, nil, &block[T]{}, func(t *T) { out = append(out, t) })
	return out, err
}

// each calls fn for every row of a statement that selects all columns and more, which
// are read into extra. The rows are allocated by b.
func each[V Viewer, T any](k *Kind[V, T], tx *store.Tx, more, from string, args, extra []any, b *block[T], fn func(*T)) error {
	dest := append(make([]any, len(k.columns), len(k.columns)+len(extra)), extra...)
	return tx.Each("SELECT "+k.selected+more+" "+from, args, func(r store.Row) error {
		t := b.next()
		for i := range k.columns {
			dest[i] = k.columns[i].ptr(t)
		}
		err := store.ScanTogether(r, &b.texts, dest...)
		fn(t)
		return err
	})
}

// Where returns the tenant's rows for which a condition on t is true, oldest
// first, regardless of who may see them.
func (k *Kind[V, T]) Where(v V, cond string, args ...any) ([]*T, error) {
	s := v.Scoped()
	return k.Select(s.Tx, "WHERE t.org = ? AND "+cond+" ORDER BY t.created, t.id", append([]any{s.Tenant}, args...)...)
}

// Find returns a row by its id, or nil, regardless of who may see it.
func (k *Kind[V, T]) Find(v V, id string) (*T, error) {
	if id == "" {
		return nil, nil
	}
	s := v.Scoped()
	if t, ok := s.rows[rowKey{k.Table, id}].(*T); ok {
		return t, nil
	}
	if row, ok := k.kept(s, id); ok {
		return row, nil
	}
	rows, err := k.Select(s.Tx, "WHERE t."+strings.ReplaceAll(k.key(), ", ", " = ? AND t.")+" = ?", k.keyArgs(&Base{Org: s.Tenant, ID: id})...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	k.Keep(s, rows[0])
	return rows[0], nil
}

// keptRow is the transaction key of a row of a tenant that a write has read.
type keptRow struct{ table, tenant, id string }

// kept returns the row that this write, or an earlier one of its transaction, has
// read, unless the table has changed since.
func (k *Kind[V, T]) kept(s *Scope, id string) (*T, bool) {
	if s.Version != 0 {
		return nil, false
	}
	row, ok := store.Kept[T](s.Tx, keptRow{k.Table, s.Tenant, id})
	if ok && s.rows != nil {
		s.rows[rowKey{k.Table, id}] = &row
	}
	return &row, ok
}

// Keep stores the current state of a row for Find, in this write and in later
// ones of its transaction.
func (k *Kind[V, T]) Keep(s *Scope, row *T) {
	id := k.base(row).ID
	if s.rows != nil {
		s.rows[rowKey{k.Table, id}] = row
	}
	switch key := (keptRow{k.Table, s.Tenant, id}); {
	case s.Version != 0:
	case k.Few:
		store.KeepLong(s.Tx, key, *row, k.Table)
	default:
		store.Keep(s.Tx, key, *row, k.Table)
	}
}

// ByID returns the rows with these ids that the caller may see, by id.
func (k *Kind[V, T]) ByID(v V, ids []string) (map[string]*T, error) {
	out := make(map[string]*T, len(ids))
	s := v.Scoped()
	var rows []*T
	var err error
	cond, more := k.visible(v)
	if cache := k.cache(s); cache != nil && cond == "" {
		rows, err = k.present(s, cache, ids)
		ids = nil
	}
	for len(ids) > 0 && err == nil {
		n := min(len(ids), 500)
		args := append(append([]any{s.Tenant}, Padded(ids[:n])...), more...)
		from := "FROM " + k.Table + " t WHERE t.org = ? AND t.id IN " + store.In(len(args)-1-len(more))
		if cond != "" {
			from += " AND " + cond
		}
		var got []*T
		got, _, err = k.rows(s, listed{from: from, args: args, most: n, remember: true})
		rows = append(rows, got...)
		ids = ids[n:]
	}
	if err != nil {
		return nil, err
	}
	for _, t := range rows {
		out[k.base(t).ID] = t
	}
	return out, k.complete(v, rows)
}

// Get returns the row with an id. It returns NotFound for a row that does not
// exist or that the caller may not see.
func (k *Kind[V, T]) Get(v V, id string) (*T, error) {
	if !ids.IsUUID(id) {
		return nil, k.notFound()
	}
	got, err := k.ByID(v, []string{strings.ToLower(id)})
	if err != nil {
		return nil, err
	}
	for _, t := range got {
		return t, nil
	}
	return nil, k.notFound()
}

// Peek returns rows that contain only their ids, without reading them. If rows may be
// hidden from the caller, it is ByID.
func (k *Kind[V, T]) Peek(v V, ids []string) (map[string]*T, error) {
	if k.Hide != nil && v.Restricted() {
		return k.ByID(v, ids)
	}
	out := make(map[string]*T, len(ids))
	cache := k.cache(v.Scoped())
	for _, id := range ids {
		out[id] = cache.bare(id, k.base)
	}
	return out, nil
}

func (k *Kind[V, T]) notFound() *fault.Error { return NotFound.With(Name{Kind: k.Name}) }

func (k *Kind[V, T]) complete(v V, rows []*T) error {
	if k.Complete == nil || len(rows) == 0 {
		return nil
	}
	return k.Complete(v, rows)
}

// visible returns the condition for the rows that the caller may see, "" for all.
func (k *Kind[V, T]) visible(v V) (string, []any) {
	if k.Hide == nil {
		return "", nil
	}
	return k.Hide(v)
}

// Padded returns ids or numbers as arguments. It repeats the last one up to a power of two,
// so that few different statements are prepared.
func Padded[T any](ids []T) []any {
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
