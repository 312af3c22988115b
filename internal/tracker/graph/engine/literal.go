package engine

import (
	"errors"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
)

// literal coerces a value of the document. vars are the coerced variables; one
// that is missing there is absent.
func (in *inputs) literal(v *ast.Value, t *ast.Type, vars map[string]any) (any, error) {
	if v.Kind == ast.Variable {
		got := vars[v.Raw]
		if got == nil && t.NonNull {
			return nil, fmt.Errorf("Expected value of non-null type %q not to be null.", t)
		}
		return got, nil // validation has compared the types
	}
	if v.Kind == ast.NullValue {
		if t.NonNull {
			return nil, fmt.Errorf("Expected value of type %q, found null.", t)
		}
		return nil, nil
	}
	if t.Elem != nil {
		if v.Kind != ast.ListValue {
			item, err := in.literal(v, t.Elem, vars)
			return []any{item}, err
		}
		list := make([]any, len(v.Children))
		for i, c := range v.Children {
			var err error
			if list[i], err = in.literal(c.Value, t.Elem, vars); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	def := in.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.InputObject:
		return in.objectLiteral(v, def, vars)
	case ast.Enum:
		if v.Kind != ast.EnumValue || def.EnumValues.ForName(v.Raw) == nil {
			return nil, fmt.Errorf("Value %q does not exist in %q enum.", v.Raw, def.Name)
		}
		return v.Raw, nil
	}
	return in.scalarLiteral(v, def, vars)
}

func (in *inputs) scalarLiteral(v *ast.Value, def *ast.Definition, vars map[string]any) (any, error) {
	wrong := func(err error) error {
		return fmt.Errorf("Expected value of type %q, found %s; %w", def.Name, printValue(v), err)
	}
	raw, err := untyped(v, vars)
	if err != nil {
		return nil, wrong(err)
	}
	if def.BuiltIn {
		if v.Kind == ast.EnumValue {
			raw = nil // a bare word is not a string
		}
		got, err := parseBuiltIn(def.Name, raw)
		if err != nil {
			return nil, wrong(err)
		}
		return got, nil
	}
	parse := in.scalars[def.Name].Parse
	if parse == nil {
		return raw, nil
	}
	got, err := parse(raw)
	if err != nil {
		return nil, wrong(err)
	}
	return got, nil
}

func (in *inputs) objectLiteral(v *ast.Value, def *ast.Definition, vars map[string]any) (any, error) {
	if v.Kind != ast.ObjectValue {
		return nil, fmt.Errorf("Expected value of type %q, found %s.", def.Name, printValue(v))
	}
	shape := in.shapes[def.Name]
	out := Args{shape, make(map[string]any, len(v.Children))}
	for _, c := range v.Children {
		i, ok := shape.index[c.Name]
		if !ok {
			return nil, fmt.Errorf("Field %q is not defined by type %q.", c.Name, def.Name)
		}
		if missing(c.Value, vars) {
			continue
		}
		got, err := in.literal(c.Value, shape.fields[i].typ, vars)
		if err == nil {
			err = shape.fields[i].check(def.Name, got)
		}
		if err != nil {
			return nil, err
		}
		out.values[c.Name] = got
	}
	for i := range shape.fields {
		f := &shape.fields[i]
		if _, given := out.values[f.name]; given {
			continue
		}
		if f.hasDefault {
			out.values[f.name] = f.defaultValue
		} else if f.required() {
			return nil, fmt.Errorf("Field \"%s.%s\" of required type %q was not provided.", def.Name, f.name, f.typ)
		}
	}
	return out, nil
}

// missing reports whether v is a variable that is absent from the request.
func missing(v *ast.Value, vars map[string]any) bool {
	if v.Kind != ast.Variable {
		return false
	}
	_, given := vars[v.Raw]
	return !given
}

// constant reports whether a literal contains no variable.
func constant(v *ast.Value) bool {
	if v.Kind == ast.Variable {
		return false
	}
	for _, c := range v.Children {
		if !constant(c.Value) {
			return false
		}
	}
	return true
}

// arguments coerces the arguments of a field. Its errors are field errors.
func (in *inputs) arguments(shape *shapeOf, given ast.ArgumentList, vars map[string]any) (Args, error) {
	out := Args{shape: shape}
	if len(shape.fields) == 0 {
		return out, nil
	}
	out.values = make(map[string]any, len(given))
	for i := range shape.fields {
		f := &shape.fields[i]
		arg := given.ForName(f.name)
		if arg == nil || missing(arg.Value, vars) {
			if f.hasDefault {
				out.values[f.name] = f.defaultValue
			} else if f.typ.NonNull {
				if arg != nil {
					return out, located(arg, "Argument %q of required type %q was provided the variable \"$%s\" which was not provided a runtime value.", f.name, f.typ, arg.Value.Raw)
				}
				return out, &ArgumentError{Message: fmt.Sprintf("Argument %q of required type %q was not provided.", f.name, f.typ)}
			}
			continue
		}
		v, err := in.literal(arg.Value, f.typ, vars)
		if err == nil {
			err = f.check(shape.name, v)
		}
		if unserved := (*Unserved)(nil); errors.As(err, &unserved) {
			return out, unserved
		}
		if v == nil && f.typ.NonNull && arg.Value.Kind == ast.Variable {
			return out, located(arg, "Argument %q of non-null type %q must not be null.", f.name, f.typ)
		}
		if err != nil {
			return out, located(arg, "Argument %q has invalid value %s.", f.name, printValue(arg.Value))
		}
		out.values[f.name] = v
	}
	return out, nil
}

// ArgumentError is the Cause of a field's error when the value of an argument is
// not valid, which is only known once variables have their values.
type ArgumentError struct {
	Message   string
	Locations []Location
}

func (e *ArgumentError) Error() string { return e.Message }

// located returns an error with the place of an argument's value.
func located(arg *ast.Argument, format string, args ...any) error {
	return &ArgumentError{fmt.Sprintf(format, args...), at(arg.Value.Position)}
}
