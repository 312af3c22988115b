// Package diff compares two worlds and reports what changed in the terms of the
// wire: which messages, contacts and issues came, changed and went.
//
// Services declare their entities beside their tables: which columns are the
// key, how each column is called and looks on the wire, and which are left out
// and why. This package walks the tables of both worlds side by side and knows
// no service.
package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Entity is a table whose rows are things that clients know.
type Entity struct {
	Service string // "" for a table of all services: the column "service" says which
	Name    string // as changes name it: "channel"
	World   string // the name of the extra world that holds it; "" is the state
	Table   string
	// Key are columns that are unique together and never null, in an order
	// that an index has. Both worlds are walked in it.
	Key []string
	// NoRowID marks a table that SQLite keeps WITHOUT ROWID. The columns of Key
	// are its first, in that order.
	NoRowID bool
	// Columns are all columns of the table.
	Columns map[string]Column

	// KeyOf returns the key as clients know it; nil joins the values of Key with "/".
	KeyOf func(r Row) string
	// NameOf returns the name of the entity, for a table that holds several sorts; nil is Name.
	NameOf func(r Row) string
	// Gone reports whether a row stands for nothing on the wire, though it is stored; nil means never.
	Gone func(r Row) bool
	// Add puts in what is made of several columns; nil adds nothing.
	Add func(r Row, fields map[string]any)
	// Missing returns the fields of a thing whose row is in one world alone, as it
	// is in the other without a row; nil, or a nil result, is nothing.
	Missing func(r Row) map[string]any
	// Sorts are the names that NameOf returns; nil means Name alone.
	Sorts []string
	// More are the fields that no column declares by its own name: those of
	// Members, Add and Unpack; MoreOf are those of one sort.
	More   []Field
	MoreOf func(sort string) []Field
	// IsDerived reports whether a field that is not declared follows from other
	// writes; nil means that none does.
	IsDerived func(field string) bool
	// HasField reports whether things of a sort may have a field that is not
	// declared, such as a property that somebody defined; nil means that they have none.
	HasField func(tx *store.Tx, sort, field string) (bool, error)
	// Plain returns what a reader sees of a thing, from its fields; nil for
	// things without a text.
	Plain func(tx *store.Tx, fields map[string]any) (string, error)
	// KeyForm shows what KeyOf returns, such as "channel/ts"; "" joins the fields of Key.
	KeyForm string
	// Lookup says by which names people know the things; nil means by none.
	Lookup *Lookup
	// Consequences are the changes that bring about changes of these things.
	Consequences []Consequence
	// Unpack returns the things that a row holds many of; nil for a row that is
	// one thing. Rows that are the same in both worlds are not unpacked.
	Unpack func(tx *store.Tx, r Row) ([]Record, error)
	// Numbered calls fn for the things inside rows whose numbers lie from one up to,
	// and without, another, in the order of their numbers; nil where Unpack is.
	Numbered func(tx *store.Tx, from, until int64, fn func(Record) error) error
	// Reach returns the key, in the form of Key, below or at which the things of a
	// row stand in the other world too, however its rows hold them there; nil, or
	// a nil result, is the row's own key. A page does not end before it.
	Reach func(r Row) []any
	// History names what updates wrote of a column of Members; nil for none.
	History *History
}

// Column is how a column looks on the wire.
type Column struct {
	wire string
	form Form
	// members: the column holds a JSON object whose members are fields of
	// their own, their names after the prefix in wire.
	members bool
	used    bool   // read, though it is no field
	why     string // of a column that is no field
	refers  string // see Refers
	derived bool   // see Derived
	plain   string // see Plain
}

// As shows a column as a field of that name.
func As(wire string, f Form) Column { return Column{wire: wire, form: f} }

// Members shows each member of the JSON object that a column holds as a field,
// its name after the prefix.
func Members(prefix string) Column { return Column{wire: prefix, members: true} }

// Out leaves a column out; why is for readers of the declaration.
func Out(why string) Column { return Column{why: why} }

// Used marks a column that is no field itself, but that KeyOf, NameOf, Gone,
// Add or Unpack looks at; why is what for.
func Used(why string) Column { return Column{used: true, why: why} }

// Refers marks a field as a reference to a thing of an entity, such as
// "messaging.channel".
func (c Column) Refers(entity string) Column { c.refers = entity; return c }

// Derived marks a field as one that follows from other writes, so that its
// change is nobody's intention.
func (c Column) Derived() Column { c.derived = true; return c }

// Plain marks a field as neither, though its name looks like a reference or a
// count; why is for readers of the declaration.
func (c Column) Plain(why string) Column { c.plain = why; return c }

// Record is a thing as clients know it.
type Record struct {
	Service string
	Entity  string
	Key     string
	Fields  map[string]any
	// Number is what Origins knows the row by. Unpack sets it to the number by
	// which its origin was noted.
	Number int64

	owner []any // the columns that History.Of names
}

// Change is what became of one thing. Before and After hold all fields of what
// went and came, and of an update the changed ones.
type Change struct {
	Service string         `json:"service"`
	Entity  string         `json:"entity"`
	Key     string         `json:"key"`
	Before  map[string]any `json:"before"`
	After   map[string]any `json:"after"`
	Changed []string       `json:"changed"`
	Cause   *Cause         `json:"-"` // nil unless asked for

	pair *pair
}

// Row is a row of an entity's table.
type Row struct {
	columns []string
	values  []any
	// missing, if not nil, receives the columns that were asked for and not read;
	// their value is nil.
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
	panic("diff: no column " + column) // a mistake in a declaration, which the guard test finds
}

// Text returns a text column.
func (r Row) Text(column string) string { s, _ := r.Value(column).(string); return s }

// Int returns an integer column.
func (r Row) Int(column string) int64 { n, _ := r.Value(column).(int64); return n }

// Bool returns a boolean column.
func (r Row) Bool(column string) bool { b, _ := boolean(r.Value(column)).(bool); return b }

// Bytes returns a column of bytes.
func (r Row) Bytes(column string) []byte { b, _ := r.Value(column).([]byte); return b }

// columns returns the names of the columns that are read: the key first.
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

// record returns a row as clients know it, or nothing for a row that is gone.
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
