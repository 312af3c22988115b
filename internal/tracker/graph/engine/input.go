package engine

import (
	"github.com/vektah/gqlparser/v2/ast"
)

// inputs holds every input type and argument list of a schema.
type inputs struct {
	schema  *ast.Schema
	scalars map[string]Scalar
	shapes  map[string]*shapeOf // input types by name
	args    map[*ast.FieldDefinition]*shapeOf
}

// inputField is an argument or a field of an input object.
type inputField struct {
	name         string
	typ          *ast.Type
	hasDefault   bool
	defaultValue any
	unserved     bool // marked @unserved: accepted only as null
}

// required reports whether the field must not be absent.
func (f *inputField) required() bool { return f.typ.NonNull && !f.hasDefault }

func newInputs(schema *ast.Schema, scalars map[string]Scalar) *inputs {
	in := &inputs{schema, scalars, map[string]*shapeOf{}, map[*ast.FieldDefinition]*shapeOf{}}
	for name, def := range schema.Types {
		if def.Kind == ast.InputObject {
			s := &shapeOf{name: name, index: map[string]int{}}
			for _, f := range def.Fields {
				s.add(f.Name, f.Type, f.Directives)
			}
			in.shapes[name] = s
		}
	}
	// Defaults may be input objects, so they are coerced once all shapes exist.
	for name, s := range in.shapes {
		for i, f := range schema.Types[name].Fields {
			in.setDefault(&s.fields[i], f.DefaultValue)
		}
	}
	for name, def := range schema.Types {
		if def.Kind != ast.Object {
			continue
		}
		for _, f := range def.Fields {
			s := &shapeOf{name: name + "." + f.Name, index: map[string]int{}}
			for _, a := range f.Arguments {
				s.add(a.Name, a.Type, a.Directives)
				in.setDefault(&s.fields[len(s.fields)-1], a.DefaultValue)
			}
			in.args[f] = s
		}
	}
	return in
}

func (s *shapeOf) add(name string, typ *ast.Type, ds ast.DirectiveList) {
	s.index[name] = len(s.fields)
	s.fields = append(s.fields, inputField{name: name, typ: typ, unserved: ds.ForName("unserved") != nil})
}

// Unserved is the cause of the error of a field that was passed a value for an
// argument or an input field that the schema marks @unserved.
type Unserved struct{ Name string } // "IssueCreateInput.slaType", "Mutation.projectCreate.projectDraftId"

func (u *Unserved) Error() string {
	return u.Name + " is not served here: leave it out, or send null."
}

// check returns an Unserved for a value that the field does not accept.
func (f *inputField) check(owner string, v any) error {
	if f.unserved && v != nil {
		return &Unserved{owner + "." + f.name}
	}
	return nil
}

func (in *inputs) setDefault(f *inputField, v *ast.Value) {
	if v == nil {
		return
	}
	if got, err := in.literal(v, f.typ, nil); err == nil {
		f.hasDefault, f.defaultValue = true, got
	}
}
