package entity

import (
	"strings"
	"time"

	"understudy/internal/platform/store"
)

// Base holds the columns that every row has. Times are in microseconds, 0 is
// never.
type Base struct {
	Org, ID                    string
	Created, Updated, Archived int64
	Version                    int64 // the tenant's version at the last write of the row
}

// Header returns the base itself. A struct that embeds a Base inherits it.
func (b *Base) Header() *Base { return b }

// Form is the form of a column's value in JSON.
type Form int

// The forms of columns.
const (
	Text     Form = iota // a string
	Ref                  // an id or a text; "" is null
	Number               // an integer or a float
	Nullable             // a float or null
	Flag                 // a boolean
	Time                 // microseconds; 0 is null
	List                 // ids separated by spaces
	Hidden               // stored, never shown
)

// Column is a column of a kind.
type Column[T any] struct {
	Name string
	Wire string // the name in JSON; "" for hidden columns
	Form Form
	ptr  func(*T) any
}

// Col declares a column; ptr returns the address of its field.
func Col[T any](name, wire string, form Form, ptr func(*T) any) Column[T] {
	return Column[T]{name, wire, form, ptr}
}

// Kind is a kind of row: its table, columns, filters and orders.
type Kind[V Viewer, T any] struct {
	Name      string // "Issue": the name in errors
	Table     string
	Tenants   bool                                // the rows are the tenants: they have no column org
	Enabled   string                              // condition on t that must be true unless Query.Disabled
	Shape     *Shape                              // the fields that filters can use
	Relations map[string]Relation                 // lists of the rows that belong to a parent, by name
	Sorts     map[string]SortKey                  // keys of Query.Sort
	Hide      func(v V) (cond string, args []any) // condition on t for the rows that the caller may see; "" for all
	Complete  func(v V, rows []*T) error          // fills in the fields that no column holds
	Heavy     func(*T) bool                       // reports whether a row is too large to be cached
	Few       bool                                // most writes read the same few rows, which are kept for the next ones
	Indexed   bool                                // indexes have the order of lists by creation and by the last change
	columns   []Column[T]
	base      func(*T) *Base
	selected  string
	record    store.Record // the columns
	insert    string       // what insertion returns
}

// Columns declares the columns of the kind, in addition to those of Base, and
// returns the kind.
func (k *Kind[V, T]) Columns(base func(*T) *Base, columns ...Column[T]) *Kind[V, T] {
	k.base = base
	if !k.Tenants {
		k.columns = []Column[T]{Col("org", "", Hidden, func(t *T) any { return &base(t).Org })}
	}
	k.columns = append(append(k.columns,
		Col("id", "id", Text, func(t *T) any { return &base(t).ID }),
		Col("created", "createdAt", Time, func(t *T) any { return &base(t).Created }),
		Col("updated", "updatedAt", Time, func(t *T) any { return &base(t).Updated }),
		Col("archived", "archivedAt", Time, func(t *T) any { return &base(t).Archived }),
		Col("version", "", Hidden, func(t *T) any { return &base(t).Version }),
	), columns...)
	names := make([]string, len(k.columns))
	for i, c := range k.columns {
		names[i] = "t." + c.Name
	}
	k.selected, k.record = strings.Join(names, ", "), store.Record{Table: k.Table, Columns: make([]string, len(k.columns))}
	for i, c := range k.columns {
		k.record.Columns[i] = c.Name
	}
	k.insert = k.insertion()
	return k
}

// Each calls fn for every column, those of Base included.
func (k *Kind[V, T]) Each(fn func(name, wire string, form Form)) {
	for _, c := range k.columns {
		fn(c.Name, c.Wire, c.Form)
	}
}

// Header returns the Base of a row.
func (k *Kind[V, T]) Header(t *T) *Base { return k.base(t) }

// Same reports whether two rows have the same values.
func (k *Kind[V, T]) Same(a, b *T) bool {
	for _, c := range k.columns {
		if value(c.ptr(a)) != value(c.ptr(b)) {
			return false
		}
	}
	return true
}

// Data returns a row as it is shown in JSON, without the columns that are null.
func (k *Kind[V, T]) Data(t *T) map[string]any {
	out := make(map[string]any, len(k.columns))
	for _, c := range k.columns {
		if c.Wire == "" {
			continue
		}
		if v := shown(c.Form, value(c.ptr(t))); v != nil {
			out[c.Wire] = v
		}
	}
	return out
}

func (k *Kind[V, T]) dest(t *T) []any {
	dest := make([]any, len(k.columns), len(k.columns)+1)
	for i := range k.columns {
		dest[i] = k.columns[i].ptr(t)
	}
	return dest
}

// value returns the value of a column for a statement, by a pointer to it.
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
	panic("entity: a column of an unknown type")
}

// shown returns a value as it is shown in JSON; nil is null.
func shown(f Form, v any) any {
	switch f {
	case Ref:
		if v == "" {
			return nil
		}
	case Time:
		if v == int64(0) {
			return nil
		}
		return ISO(v.(int64))
	case List:
		return Split(v.(string))
	}
	return v
}

// ISO formats microseconds as times are shown: in UTC with milliseconds.
func ISO(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000Z")
}

// Split returns the ids of a list column.
func Split(ids string) []string {
	if ids == "" {
		return []string{}
	}
	return strings.Split(ids, " ")
}

// Join returns ids as a list column.
func Join(ids []string) string { return strings.Join(ids, " ") }
