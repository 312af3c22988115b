package diff

import (
	"cmp"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Field declares a field.
type Field struct {
	Name    string
	Type    string // one of Types
	Refers  string // the entity, with its service, to which the field refers; "" for none
	Derived bool   // derived from other writes
	Plain   string // why it is neither, though its name looks like it
}

// The constructors of fields that are not columns.

// F returns a field of a type.
func F(name, kind string) Field { return Field{Name: name, Type: kind} }

// To returns the field as a reference to a thing of an entity.
func (f Field) To(entity string) Field { f.Refers = entity; return f }

// Follows returns the field as derived from other writes.
func (f Field) Follows() Field { f.Derived = true; return f }

// Is returns the field as neither a reference nor derived, though its name looks
// like it.
func (f Field) Is(why string) Field { f.Plain = why; return f }

// Lookup defines how people name the things of an entity.
type Lookup struct {
	Value string // the column whose value references contain
	By    []Name // the columns that contain names
	Mark  string // an optional prefix of a name, such as "#"
	// Several allows a name to match several things, any of which may be meant.
	Several bool
	// Where is a condition on the rows that can be named; "" for all.
	Where string
	// Find returns the values of the things that a text names, in addition to those
	// of By; it may be nil.
	Find func(tx *store.Tx, sort, text string) ([]any, error)
}

// Name is a column with a name of things.
type Name struct {
	Column string
	Fold   bool // ignore case
}

// Consequence declares a kind of change that another change causes.
type Consequence struct {
	Of   string // the entity of the other change; without its service, the one of the same service
	When string // the condition, for readers
	// Holds reports whether a change is a consequence of a change of Of; nil means
	// always.
	Holds func(it, of *Change) bool
}

// Names returns the names of the sorts of things that an entity holds.
func (e *Entity) Names() []string {
	if e.Sorts != nil {
		return e.Sorts
	}
	return []string{e.Name}
}

// KeyName returns the form of the keys, in names of fields.
func (e *Entity) KeyName() string {
	if e.KeyForm != "" {
		return e.KeyForm
	}
	parts := make([]string, len(e.Key))
	for i, c := range e.Key {
		parts[i] = cmp.Or(e.Columns[c].wire, c)
	}
	return strings.Join(parts, "/")
}

// Fields returns the declared fields of a sort in the order of their names.
func (e *Entity) Fields(sort string) []Field {
	fields := slices.Clone(e.More)
	if e.MoreOf != nil {
		fields = append(fields, e.MoreOf(sort)...)
	}
	for _, c := range e.Columns {
		if c.wire != "" && !c.members {
			fields = append(fields, Field{Name: c.wire, Type: c.form.kind, Refers: c.refers, Derived: c.derived, Plain: c.plain})
		}
	}
	slices.SortFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return fields
}

// Inserted reports whether the thing is new.
func (ch *Change) Inserted() bool { return ch.Before == nil }

// Updated reports whether the thing existed before and still exists.
func (ch *Change) Updated() bool { return ch.Before != nil && ch.After != nil }

// Deleted reports whether the thing was deleted.
func (ch *Change) Deleted() bool { return ch.After == nil }

// Find returns the values by which references name the things that a text names,
// in a transaction's world.
func (e *Entity) Find(tx *store.Tx, sort, text string) ([]any, error) {
	if tx == nil || e.Lookup == nil {
		return nil, nil
	}
	found, err := selectNamed(tx, e, text)
	if err != nil || len(found) > 0 || e.Lookup.Find == nil {
		return found, err
	}
	return e.Lookup.Find(tx, sort, text)
}
