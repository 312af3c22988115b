package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// maxInputDepth bounds the depth of values of the variables.
const maxInputDepth = 64

// maxVariableErrors bounds the errors about variables in a reply.
const maxVariableErrors = 50

// variables coerces the variables of an operation. Names that the operation
// does not declare are ignored.
func (in *inputs) variables(op *ast.OperationDefinition, raw json.RawMessage) (map[string]any, []*Error) {
	given, err := decodeVariables(raw)
	if err != nil {
		return nil, []*Error{{Message: err.Error()}}
	}
	if len(op.VariableDefinitions) == 0 {
		return nil, nil
	}
	out := make(map[string]any, len(op.VariableDefinitions))
	c := &coercion{in: in}
	for _, def := range op.VariableDefinitions {
		c.def = def
		v, ok := given[def.Variable]
		switch {
		case !ok && def.DefaultValue != nil:
			got, err := in.literal(def.DefaultValue, def.Type, nil)
			if err != nil {
				c.errorf("Variable \"$%s\" has an invalid default value: %w", def.Variable, err)
			}
			out[def.Variable] = got
		case !ok && def.Type.NonNull:
			c.errorf("Variable \"$%s\" of required type %q was not provided.", def.Variable, def.Type)
		case !ok:
		case v == nil && def.Type.NonNull:
			c.errorf("Variable \"$%s\" of non-null type %q must not be null.", def.Variable, def.Type)
		default:
			c.path = c.path[:0]
			out[def.Variable] = c.value(v, def.Type)
		}
		if len(c.errs) > maxVariableErrors {
			c.errs = append(c.errs[:maxVariableErrors], &Error{Message: "Too many errors processing variables, error limit reached. Execution aborted."})
			break
		}
	}
	return out, c.errs
}

func decodeVariables(raw json.RawMessage) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, errors.New("Variables must be provided as an Object where each property is a variable name and each value is the value of that variable.")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("Variables must be one JSON object.")
	}
	return m, nil
}

// coercion coerces one variable; path leads to the current value.
type coercion struct {
	in   *inputs
	def  *ast.VariableDefinition
	path []string
	errs []*Error
}

func (c *coercion) errorf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	c.errs = append(c.errs, &Error{Message: err.Error(), Locations: at(c.def.Position)})
}

// invalid reports an error of the current value.
func (c *coercion) invalid(v any, format string, args ...any) {
	if len(c.errs) > maxVariableErrors {
		return // enough to refuse the request: a large value may have many errors
	}
	where := ""
	if len(c.path) > 0 {
		where = fmt.Sprintf(" at \"%s", c.def.Variable)
		for _, p := range c.path {
			where += p
		}
		where += `"`
	}
	c.errorf("Variable \"$%s\" got invalid value %s%s; %s", c.def.Variable, inspect(v), where, fmt.Sprintf(format, args...))
}

func (c *coercion) under(step string, v any, t *ast.Type) any {
	c.path = append(c.path, step)
	got := c.value(v, t)
	c.path = c.path[:len(c.path)-1]
	return got
}

func (c *coercion) value(v any, t *ast.Type) any {
	if v == nil {
		if t.NonNull {
			c.invalid(v, "Expected non-nullable type %q not to be null.", t)
		}
		return nil
	}
	if len(c.path) > maxInputDepth {
		c.invalid(v, "It nests more than %d levels.", maxInputDepth)
		return nil
	}
	if t.Elem != nil {
		list, ok := v.([]any)
		if !ok {
			return []any{c.value(v, t.Elem)}
		}
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = c.under("["+strconv.Itoa(i)+"]", item, t.Elem)
		}
		return out
	}
	def := c.in.schema.Types[t.NamedType]
	switch {
	case def.Kind == ast.InputObject:
		return c.object(v, def)
	case def.Kind == ast.Enum:
		s, ok := v.(string)
		if !ok {
			c.invalid(v, "Enum %q cannot represent non-string value: %s.", def.Name, inspect(v))
		} else if def.EnumValues.ForName(s) == nil {
			c.invalid(v, "Value %q does not exist in %q enum.", s, def.Name)
		}
		return s
	case def.BuiltIn:
		got, err := parseBuiltIn(def.Name, v)
		if err != nil {
			c.invalid(v, "%s", err)
		}
		return got
	}
	got, err := plain(v)
	if parse := c.in.scalars[def.Name].Parse; parse != nil && err == nil {
		got, err = parse(got)
	}
	if err != nil {
		c.invalid(v, "Expected type %q. %s", def.Name, err)
	}
	return got
}

func (c *coercion) object(v any, def *ast.Definition) any {
	given, ok := v.(map[string]any)
	if !ok {
		c.invalid(v, "Expected type %q to be an object.", def.Name)
		return nil
	}
	shape := c.in.shapes[def.Name]
	out := Args{shape, make(map[string]any, len(given))}
	for i := range shape.fields {
		f := &shape.fields[i]
		item, ok := given[f.name]
		switch {
		case ok && f.check(def.Name, item) != nil:
			c.errorf("%w", f.check(def.Name, item))
		case ok:
			out.values[f.name] = c.under("."+f.name, item, f.typ)
		case f.hasDefault:
			out.values[f.name] = f.defaultValue
		case f.typ.NonNull:
			c.invalid(v, "Field %q of required type %q was not provided.", f.name, f.typ)
		}
	}
	for _, name := range sortedKeys(given) {
		if _, ok := shape.index[name]; !ok {
			c.invalid(v, "Field %q is not defined by type %q.", name, def.Name)
		}
	}
	return out
}
