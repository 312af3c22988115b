package engine

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// typeRef is a __Type: a named type, or a list or non-null of another.
type typeRef struct {
	def  *ast.Definition // set for named types
	kind string          // LIST or NON_NULL otherwise
	of   *ast.Type
}

// inputValue is an __InputValue: an argument or a field of an input object.
type inputValue struct {
	name, description string
	typ               *ast.Type
	value             *ast.Value
	directives        ast.DirectiveList
}

type introspection struct{ schema *ast.Schema }

// bindIntrospection binds __schema, __type and their types in the same way as any
// others.
func bindIntrospection(b *Builder) {
	in := &introspection{b.schema}
	Query(b, "__schema", func(*Call) (*ast.Schema, error) { return b.schema, nil })
	Query(b, "__type", func(c *Call) (*typeRef, error) { return in.named(c.Args.String("name")), nil })
	in.bindSchema(b)
	in.bindType(b)
	in.bindMembers(b)
}

func (in *introspection) named(name string) *typeRef {
	if def := in.schema.Types[name]; def != nil {
		return &typeRef{def: def}
	}
	return nil
}

func (in *introspection) of(t *ast.Type) *typeRef {
	switch {
	case t.NonNull:
		inner := *t
		inner.NonNull = false
		return &typeRef{kind: "NON_NULL", of: &inner}
	case t.Elem != nil:
		return &typeRef{kind: "LIST", of: t.Elem}
	}
	return in.named(t.NamedType)
}

func (in *introspection) root(def *ast.Definition) *typeRef {
	if def == nil {
		return nil
	}
	return &typeRef{def: def}
}

func (in *introspection) bindSchema(b *Builder) {
	t := Object[ast.Schema](b, "__Schema")
	t.Field("description", func(s *ast.Schema) *string { return text(s.Description) })
	Many(t, "types", func(s *ast.Schema) []*typeRef {
		var out []*typeRef
		for _, name := range sortedKeys(s.Types) {
			out = append(out, &typeRef{def: s.Types[name]})
		}
		return out
	})
	One(t, "queryType", func(s *ast.Schema) *typeRef { return in.root(s.Query) })
	One(t, "mutationType", func(s *ast.Schema) *typeRef { return in.root(s.Mutation) })
	One(t, "subscriptionType", func(s *ast.Schema) *typeRef { return in.root(s.Subscription) })
	Many(t, "directives", func(s *ast.Schema) []*ast.DirectiveDefinition {
		var out []*ast.DirectiveDefinition
		for _, name := range sortedKeys(s.Directives) {
			out = append(out, s.Directives[name])
		}
		return out
	})
	d := Object[ast.DirectiveDefinition](b, "__Directive")
	d.Field("name", func(d *ast.DirectiveDefinition) string { return d.Name })
	d.Field("description", func(d *ast.DirectiveDefinition) *string { return text(d.Description) })
	d.Field("isRepeatable", func(d *ast.DirectiveDefinition) bool { return d.IsRepeatable })
	d.Field("locations", func(d *ast.DirectiveDefinition) []string {
		var out []string
		for _, l := range d.Locations {
			out = append(out, string(l))
		}
		return out
	})
	ResolveList(d, "args", func(c *Call, d *ast.DirectiveDefinition) ([]*inputValue, error) {
		return arguments(c, d.Arguments), nil
	})
}

func (in *introspection) bindType(b *Builder) {
	t := Object[typeRef](b, "__Type")
	t.Field("kind", func(t *typeRef) string {
		if t.def == nil {
			return t.kind
		}
		return string(t.def.Kind)
	})
	t.Field("name", func(t *typeRef) *string {
		if t.def == nil {
			return nil
		}
		return &t.def.Name
	})
	t.Field("description", func(t *typeRef) *string {
		if t.def == nil {
			return nil
		}
		return text(t.def.Description)
	})
	t.Field("specifiedByURL", func(t *typeRef) *string {
		if t.def == nil {
			return nil
		}
		return directiveText(t.def.Directives, "specifiedBy", "url", "")
	})
	t.Field("isOneOf", func(t *typeRef) *bool {
		if t.def == nil || t.def.Kind != ast.InputObject {
			return nil
		}
		one := t.def.Directives.ForName("oneOf") != nil
		return &one
	})
	One(t, "ofType", func(t *typeRef) *typeRef {
		if t.of == nil {
			return nil
		}
		return in.of(t.of)
	})
	ResolveList(t, "fields", func(c *Call, t *typeRef) ([]*ast.FieldDefinition, error) {
		if t.def == nil || t.def.Kind != ast.Object && t.def.Kind != ast.Interface {
			return nil, nil
		}
		return shown(c, t.def.Fields, func(f *ast.FieldDefinition) ast.DirectiveList { return f.Directives }), nil
	})
	ResolveList(t, "inputFields", func(c *Call, t *typeRef) ([]*inputValue, error) {
		if t.def == nil || t.def.Kind != ast.InputObject {
			return nil, nil
		}
		out := []*inputValue{}
		for _, f := range shown(c, t.def.Fields, func(f *ast.FieldDefinition) ast.DirectiveList { return f.Directives }) {
			out = append(out, &inputValue{f.Name, f.Description, f.Type, f.DefaultValue, f.Directives})
		}
		return out, nil
	})
	ResolveList(t, "enumValues", func(c *Call, t *typeRef) ([]*ast.EnumValueDefinition, error) {
		if t.def == nil || t.def.Kind != ast.Enum {
			return nil, nil
		}
		return shown(c, t.def.EnumValues, func(v *ast.EnumValueDefinition) ast.DirectiveList { return v.Directives }), nil
	})
	Many(t, "interfaces", func(t *typeRef) []*typeRef {
		if t.def == nil || t.def.Kind != ast.Object && t.def.Kind != ast.Interface {
			return nil
		}
		out := []*typeRef{}
		for _, name := range t.def.Interfaces {
			out = append(out, in.named(name))
		}
		return out
	})
	Many(t, "possibleTypes", func(t *typeRef) []*typeRef {
		if t.def == nil || !t.def.IsAbstractType() {
			return nil
		}
		out := []*typeRef{}
		for _, def := range in.schema.GetPossibleTypes(t.def) {
			if def.Kind == ast.Object { // the parser lists interfaces too
				out = append(out, &typeRef{def: def})
			}
		}
		return out
	})
}

func (in *introspection) bindMembers(b *Builder) {
	f := Object[ast.FieldDefinition](b, "__Field")
	f.Field("name", func(f *ast.FieldDefinition) string { return f.Name })
	f.Field("description", func(f *ast.FieldDefinition) *string { return text(f.Description) })
	f.Field("isDeprecated", func(f *ast.FieldDefinition) bool { return deprecated(f.Directives) })
	f.Field("deprecationReason", func(f *ast.FieldDefinition) *string { return deprecation(f.Directives) })
	One(f, "type", func(f *ast.FieldDefinition) *typeRef { return in.of(f.Type) })
	ResolveList(f, "args", func(c *Call, f *ast.FieldDefinition) ([]*inputValue, error) {
		return arguments(c, f.Arguments), nil
	})

	i := Object[inputValue](b, "__InputValue")
	i.Field("name", func(i *inputValue) string { return i.name })
	i.Field("description", func(i *inputValue) *string { return text(i.description) })
	i.Field("isDeprecated", func(i *inputValue) bool { return deprecated(i.directives) })
	i.Field("deprecationReason", func(i *inputValue) *string { return deprecation(i.directives) })
	i.Field("defaultValue", func(i *inputValue) *string {
		if i.value == nil {
			return nil
		}
		s := in.printDefault(i.value, i.typ)
		return &s
	})
	One(i, "type", func(i *inputValue) *typeRef { return in.of(i.typ) })

	v := Object[ast.EnumValueDefinition](b, "__EnumValue")
	v.Field("name", func(v *ast.EnumValueDefinition) string { return v.Name })
	v.Field("description", func(v *ast.EnumValueDefinition) *string { return text(v.Description) })
	v.Field("isDeprecated", func(v *ast.EnumValueDefinition) bool { return deprecated(v.Directives) })
	v.Field("deprecationReason", func(v *ast.EnumValueDefinition) *string { return deprecation(v.Directives) })
}

// printDefault returns a default in its coerced form: a list for a single value,
// and input objects with their own defaults.
func (in *introspection) printDefault(v *ast.Value, t *ast.Type) string {
	if v.Kind == ast.NullValue {
		return "null"
	}
	if t.Elem != nil {
		if v.Kind != ast.ListValue {
			return "[" + in.printDefault(v, t.Elem) + "]"
		}
		var items []string
		for _, c := range v.Children {
			items = append(items, in.printDefault(c.Value, t.Elem))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	def := in.schema.Types[t.NamedType]
	if def == nil || def.Kind != ast.InputObject || v.Kind != ast.ObjectValue {
		return printValue(v)
	}
	var items []string
	for _, f := range def.Fields {
		value := v.Children.ForName(f.Name)
		if value == nil {
			value = f.DefaultValue
		}
		if value != nil {
			items = append(items, f.Name+": "+in.printDefault(value, f.Type))
		}
	}
	return "{" + strings.Join(items, ", ") + "}"
}

func arguments(c *Call, list ast.ArgumentDefinitionList) []*inputValue {
	out := []*inputValue{}
	for _, a := range shown(c, list, func(a *ast.ArgumentDefinition) ast.DirectiveList { return a.Directives }) {
		out = append(out, &inputValue{a.Name, a.Description, a.Type, a.DefaultValue, a.Directives})
	}
	return out
}

// shown returns the members without the meta fields of the query type, and
// without deprecated ones unless these are asked for.
func shown[V *ast.FieldDefinition | *ast.ArgumentDefinition | *ast.EnumValueDefinition](c *Call, all []V, directives func(V) ast.DirectiveList) []V {
	out := []V{}
	for _, v := range all {
		if f, ok := any(v).(*ast.FieldDefinition); ok && strings.HasPrefix(f.Name, "__") {
			continue
		}
		if c.Args.Bool("includeDeprecated") || !deprecated(directives(v)) {
			out = append(out, v)
		}
	}
	return out
}

func deprecated(ds ast.DirectiveList) bool { return ds.ForName("deprecated") != nil }

func deprecation(ds ast.DirectiveList) *string {
	return directiveText(ds, "deprecated", "reason", "No longer supported")
}

// directiveText returns an argument of a directive, or its default; nil without
// the directive.
func directiveText(ds ast.DirectiveList, name, arg, standard string) *string {
	d := ds.ForName(name)
	if d == nil {
		return nil
	}
	if a := d.Arguments.ForName(arg); a != nil {
		return &a.Value.Raw
	}
	return &standard
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
