package diff

import (
	"cmp"
	"slices"
	"strings"

	"understudy/internal/platform/store"
)

// Field is what a declaration says about a field.
type Field struct {
	Name    string
	Type    string // one of Types
	Refers  string // the entity, with its service, of the things that the field names; "" for none
	Derived bool   // it follows from other writes
	Plain   string // why it is neither, for a name that looks like it
}

// The constructors of fields that no column declares.

// F returns a field of a type.
func F(name, kind string) Field { return Field{Name: name, Type: kind} }

// To returns the field as a reference to a thing of an entity.
func (f Field) To(entity string) Field { f.Refers = entity; return f }

// Follows returns the field as one that follows from other writes.
func (f Field) Follows() Field { f.Derived = true; return f }

// Is returns the field as one that is neither, though its name looks like it.
func (f Field) Is(why string) Field { f.Plain = why; return f }

// Lookup is how people name the things of an entity.
type Lookup struct {
	Value string // the column whose value references hold
	By    []Name // the columns whose value names a thing
	Mark  string // what may stand before a name, such as "#"
	// Several allows a name to stand for several things, any of which is meant.
	Several bool
	// Where is a condition on a row that can be named; "" is any.
	Where string
	// Find returns the values of the things that a text names, beside those of By; nil finds none.
	Find func(tx *store.Tx, sort, text string) ([]any, error)
}

// Name is a column by whose value a thing is known.
type Name struct {
	Column string
	Fold   bool // in any case
}

// Consequence is a kind of change that another change brings about.
type Consequence struct {
	Of   string // the entity of the other change, with its service
	When string // the condition, for readers
	// Holds reports whether it is a consequence of a change of Of; nil always holds.
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

// Updated reports whether the thing was there before and still is.
func (ch *Change) Updated() bool { return ch.Before != nil && ch.After != nil }

// Deleted reports whether the thing is gone.
func (ch *Change) Deleted() bool { return ch.After == nil }

// Find returns the values by which references name the things that a text
// stands for in a transaction's world; none where there are none.
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
