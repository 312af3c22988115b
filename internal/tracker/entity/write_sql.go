package entity

import (
	"strings"

	"understudy/internal/platform/store"
)

// InsertFresh adds a row with a generated id, which no other row has.
func (k *Kind[V, T]) InsertFresh(tx *store.Tx, t *T) error {
	return tx.ExecLater(k.insert, k.values(t)...)
}

// Insert adds a row. It returns Taken when the id is in use.
func (k *Kind[V, T]) Insert(tx *store.Tx, t *T) error {
	n, err := tx.Exec(k.insert+" ON CONFLICT ("+k.key()+") DO NOTHING", k.values(t)...)
	if err == nil && n == 0 {
		return Taken.With(Name{k.Name, k.base(t).ID}).Detailf("Entity %s with id %s already exists.", k.Name, k.base(t).ID)
	}
	return err
}

// insertion returns the statement that adds a row.
func (k *Kind[V, T]) insertion() string {
	names := make([]string, len(k.columns))
	for i, c := range k.columns {
		names[i] = c.Name
	}
	return "INSERT INTO " + k.Table + " (" + strings.Join(names, ", ") + ") VALUES " + store.In(len(names))
}

// values returns the arguments of insertion for a row.
func (k *Kind[V, T]) values(t *T) []any {
	args := make([]any, len(k.columns))
	for i, c := range k.columns {
		args[i] = value(c.ptr(t))
	}
	return args
}

// Change is a column that an update changed.
type Change struct {
	Wire string
	Old  any // as JSON shows it
}

// Update stores the columns in which t differs from old. It returns those that
// are shown in JSON, with their old values.
func (k *Kind[V, T]) Update(v V, old, t *T) ([]Change, error) {
	var changed []Change
	var sets []string
	var args []any
	for _, c := range k.columns {
		was, is := value(c.ptr(old)), value(c.ptr(t))
		if was == is {
			continue
		}
		sets = append(sets, c.Name+" = ?")
		args = append(args, is)
		if c.Wire != "" {
			changed = append(changed, Change{c.Wire, shown(c.Form, was)})
		}
	}
	if len(sets) == 0 {
		return nil, nil
	}
	b, s := k.base(t), v.Scoped()
	if s.rows != nil {
		s.rows[rowKey{k.Table, b.ID}] = t
	}
	_, err := s.Tx.Exec("UPDATE "+k.Table+" SET "+strings.Join(sets, ", ")+" WHERE "+strings.ReplaceAll(k.key(), ", ", " = ? AND ")+" = ?",
		append(args, k.keyArgs(b)...)...)
	return changed, err
}

// Delete removes a row.
func (k *Kind[V, T]) Delete(v V, t *T) error {
	b, s := k.base(t), v.Scoped()
	delete(s.rows, rowKey{k.Table, b.ID})
	_, err := s.Tx.Exec("DELETE FROM "+k.Table+" WHERE org = ? AND id = ?", b.Org, b.ID)
	return err
}

// key returns the primary key of the table.
func (k *Kind[V, T]) key() string {
	if k.Tenants {
		return "id"
	}
	return "org, id"
}

func (k *Kind[V, T]) keyArgs(b *Base) []any {
	if k.Tenants {
		return []any{b.ID}
	}
	return []any{b.Org, b.ID}
}
