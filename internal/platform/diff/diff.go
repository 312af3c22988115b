// Package diff compares two worlds and reports the changes in the terms of the
// wire: which messages, contacts and issues were created, updated and deleted.
//
// Services declare their entities beside their tables: which columns are the key,
// how each column is named and formatted on the wire, and which are left out and
// why. This package reads the tables of both worlds in parallel, in the order of
// their keys.
package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Entity declares a table whose rows are things that clients know.
type Entity struct {
	Service string // "" for a table of all services, with a column "service"
	Name    string // the name in changes: "channel"
	World   string // the name of the extra world that contains it; "" for the main one
	Table   string
	// Key are columns that are unique together and never null, in the order of an
	// index. Both worlds are read in this order.
	Key []string
	// NoRowID marks a table that is WITHOUT ROWID in SQLite. The columns of Key are
	// its first, in this order.
	NoRowID bool
	// Columns are all columns of the table.
	Columns map[string]Column

	// KeyOf returns the key as clients know it; nil joins the values of Key with
	// "/".
	KeyOf func(r Row) string
	// NameOf returns the name of the entity, for a table with several sorts; nil
	// means Name.
	NameOf func(r Row) string
	// Gone reports whether a stored row does not exist for clients; nil means never.
	Gone func(r Row) bool
	// Add adds fields that depend on several columns; it may be nil.
	Add func(r Row, fields map[string]any)
	// Missing returns the fields that a thing with a row in only one world has in
	// the other without a row; nil, or a nil result, means that it does not exist
	// there.
	Missing func(r Row) map[string]any
	// Sorts are the names that NameOf returns; nil means only Name.
	Sorts []string
	// More declares the fields that are not columns: those of Members, Add and
	// Unpack; MoreOf those of one sort.
	More   []Field
	MoreOf func(sort string) []Field
	// IsDerived reports whether an undeclared field is derived from other writes;
	// nil means never.
	IsDerived func(field string) bool
	// Follows reports whether a field follows from other things, whose changes are
	// shown instead: it is not compared, and only whole things have it. Nil means
	// never.
	Follows func(field string) bool
	// Computed returns a function that computes a field that is not stored, of a
	// sort, from the fields of a thing. It may be nil, and return nil.
	Computed func(tx *store.Tx, sort, field string) (func(fields map[string]any) any, error)
	// HasField reports whether things of a sort may have an undeclared field, such
	// as a custom property; nil means never.
	HasField func(tx *store.Tx, sort, field string) (bool, error)
	// Plain returns the readable text of a thing, from its fields; nil for things
	// without a text.
	Plain func(tx *store.Tx, fields map[string]any) (string, error)
	// KeyForm describes the result of KeyOf, such as "channel/ts"; "" joins the
	// fields of Key.
	KeyForm string
	// Lookup defines the names by which people know the things; nil for none.
	Lookup *Lookup
	// Consequences are the changes that cause changes of these things.
	Consequences []Consequence
	// Unpack returns the things in a row that contains several; nil if each row is
	// one thing. Rows that are equal in both worlds are not unpacked.
	Unpack func(tx *store.Tx, r Row) ([]Record, error)
	// Numbered calls fn for the things inside rows with numbers from from until
	// before until, in the order of numbers; nil if Unpack is.
	Numbered func(tx *store.Tx, from, until int64, fn func(Record) error) error
	// Reach returns the largest key, in the form of Key, at which the other world
	// may contain things of a row; nil, or a nil result, means the row's own key. A
	// page does not end before it.
	Reach func(r Row) []any
	// History records which members of a column of Members updates wrote; nil for
	// none.
	History *History
}

// Column declares the wire form of a column.
type Column struct {
	wire string
	form Form
	// members: the column contains a JSON object whose members are separate fields,
	// named with the prefix in wire.
	members bool
	used    bool   // read, but not a field
	why     string // why a column is not a field
	refers  string // see Refers
	derived bool   // see Derived
	plain   string // see Plain
}

// As declares a column as a field with a name.
func As(wire string, f Form) Column { return Column{wire: wire, form: f} }

// Members declares each member of the JSON object in a column as a field, named
// with a prefix.
func Members(prefix string) Column { return Column{wire: prefix, members: true} }

// Out leaves out a column; why is a comment for readers.
func Out(why string) Column { return Column{why: why} }

// Used declares a column that is not a field, but that KeyOf, NameOf, Gone, Add
// or Unpack reads; why is a comment for readers.
func Used(why string) Column { return Column{used: true, why: why} }

// Refers declares a field as a reference to a thing of an entity, such as
// "messaging.channel".
func (c Column) Refers(entity string) Column { c.refers = entity; return c }

// Derived declares a field as derived from other writes, so that its change is
// nobody's intention.
func (c Column) Derived() Column { c.derived = true; return c }

// Plain declares a field as neither a reference nor derived, though its name
// looks like it; why is a comment for readers.
func (c Column) Plain(why string) Column { c.plain = why; return c }

// Record is a thing as clients know it.
type Record struct {
	Service string
	Entity  string
	Key     string
	Fields  map[string]any
	// Number identifies the row for Origins. Unpack sets it to the number under
	// which the thing's origin was recorded.
	Number int64

	owner []any // the values of the columns in History.Of
}

// Change is the change of one thing. Before and After contain all fields of a
// deleted or created thing, and the changed ones of an update.
type Change struct {
	Service string         `json:"service"`
	Entity  string         `json:"entity"`
	Key     string         `json:"key"`
	Before  map[string]any `json:"before"`
	After   map[string]any `json:"after"`
	Changed []string       `json:"changed"`
	Cause   *Cause         `json:"-"` // nil unless requested

	pair *pair
}

// Row is a row of an entity's table.
type Row struct {
	columns []string
	values  []any
	// missing, if not nil, receives the requested columns that were not read; their
	// value is nil.
	missing *[]string
}

// Value returns a column: string, int64, float64, bool, []byte or nil. Booleans
// may also come as the integers 0 and 1, see Bool.
func (r Row) Value(column string) any {
	for i, c := range r.columns {
		if c == column {
			return r.values[i]
		}
	}
	if r.missing != nil {
		if !slices.Contains(*r.missing, column) {
			*r.missing = append(*r.missing, column)
		}
		return nil
	}
	panic("diff: no column " + column) // an invalid declaration, which a test finds
}

// Text returns a text column.
func (r Row) Text(column string) string { s, _ := r.Value(column).(string); return s }

// Int returns an integer column.
func (r Row) Int(column string) int64 { n, _ := r.Value(column).(int64); return n }

// Bool returns a boolean column.
func (r Row) Bool(column string) bool { b, _ := boolean(r.Value(column)).(bool); return b }

// Bytes returns a column of bytes.
func (r Row) Bytes(column string) []byte { b, _ := r.Value(column).([]byte); return b }

// columns returns the names of the columns to read, beginning with the key.
func (e *Entity) columns() []string {
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(e.Columns)), func(c string) bool {
		return slices.Contains(e.Key, c) || !e.reads(c)
	})
	return append(slices.Clone(e.Key), rest...)
}

func (e *Entity) reads(column string) bool {
	c := e.Columns[column]
	return c.wire != "" || c.members || c.used
}

// record returns a row as clients know it, and false for a row that counts as
// deleted.
func (e *Entity) record(r Row) (Record, bool) {
	if e.Gone != nil && e.Gone(r) {
		return Record{}, false
	}
	out := Record{Service: e.Service, Entity: e.Name, Key: e.key(r), Fields: make(map[string]any, len(r.columns))}
	if out.Service == "" {
		out.Service = r.Text("service")
	}
	if e.NameOf != nil {
		out.Entity = e.NameOf(r)
	}
	for i, name := range r.columns {
		c := e.Columns[name]
		switch {
		case c.members:
			putMembers(out.Fields, c.wire, r.values[i])
		case c.wire != "":
			out.Fields[c.wire] = c.form.show(r.values[i])
		}
	}
	if e.Add != nil {
		e.Add(r, out.Fields)
	}
	return out, true
}

func (e *Entity) key(r Row) string {
	if e.KeyOf != nil {
		return e.KeyOf(r)
	}
	parts := make([]string, len(e.Key))
	for i := range parts {
		parts[i] = keyText(r.values[i])
	}
	return strings.Join(parts, "/")
}

func putMembers(fields map[string]any, prefix string, raw any) {
	text, _ := raw.(string)
	if text == "" {
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil {
		return
	}
	for name, v := range members {
		fields[prefix+name] = v
	}
}
