package engine

import (
	"strings"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/jsontext"
)

// plan is a compiled operation. Requests share it; only size changes.
type plan struct {
	parts       []*selection // a query has one, a mutation one for each root field
	serial      bool
	cost        *costNode
	dynamic     int // fields whose arguments depend on variables
	fields      int
	introspects bool
	roots       []string     // the fields of the root type, by their own names
	size        atomic.Int64 // bytes of the latest reply, an estimate for the next one
}

// selection is the selected fields of objects of one type.
type selection struct {
	object *objectType
	fields []*field
	links  []*field // those of the fields that return objects
	pieces []piece  // what is written for an object, between its braces
	points float64  // the own cost of the leaves
	cost   *costNode
}

// piece is a constant text, followed by the value of a field; the last piece may
// have no field. Constant fields are part of the texts.
type piece struct {
	text  []byte
	field *field
}

// cut divides a selection into pieces.
func (s *selection) cut() {
	var text []byte
	s.pieces = nil
	for n, f := range s.fields {
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, f.key...)
		switch {
		case f.typename != nil:
			text = append(text, f.typename...)
		case f.fixed != nil && f.dynamic < 0:
			text = append(text, f.fixed...)
		default:
			s.pieces = append(s.pieces, piece{text, f})
			text = nil
		}
	}
	if len(text) > 0 {
		s.pieces = append(s.pieces, piece{text: text})
	}
}

// field is a selected field: all fields with one response name, merged.
type field struct {
	binding
	id        int
	name      string // "__typename" has no binding
	alias     any    // the response name, as an element of a path
	key       []byte // "name":
	typename  []byte // the value of __typename
	parent    *objectType
	locations []Location

	link     int // index in the selection's links, -1 for leaves
	targets  []*selection
	abstract *abstractType // set if targets have several object types
	peek     bool          // the binding's Loader may peek

	given   Args // when all arguments are constant
	dynamic int  // index among the plan's dynamic fields, -1 when fixed
	args    ast.ArgumentList
	shape   *shapeOf

	own   float64
	times func(Args) float64
}

type compiler struct {
	e    *Engine
	doc  *ast.QueryDocument
	vars map[string]any // for conditions only
	plan *plan
	err  *Rejection
}

func (e *Engine) compile(d *document, op *operation, vars map[string]any) (*plan, *Rejection) {
	c := &compiler{e: e, doc: d.ast, vars: vars, plan: &plan{}}
	root := e.objects[e.schema.Query.Name]
	if op.def.Operation == ast.Mutation {
		root, c.plan.serial = e.objects[e.schema.Mutation.Name], true
	}
	all := c.selection(root, []ast.SelectionSet{op.def.SelectionSet})
	if c.err != nil {
		return nil, c.err
	}
	c.plan.cost = all.cost
	c.plan.parts = []*selection{all}
	c.plan.roots = all.names()
	if c.plan.serial {
		c.plan.parts = c.plan.parts[:0]
		for _, f := range all.fields {
			one := *f
			part := &selection{object: root, fields: []*field{&one}}
			if one.link >= 0 {
				one.link = 0
				part.links = part.fields
			} else {
				part.points = one.own
			}
			part.cut()
			c.plan.parts = append(c.plan.parts, part)
		}
	}
	return c.plan, nil
}

// selection compiles the merged selection sets for objects of one type.
func (c *compiler) selection(o *objectType, sets []ast.SelectionSet) *selection {
	s := &selection{object: o}
	for _, group := range c.collect(o, sets) {
		if c.plan.fields++; c.plan.fields > c.e.options.MaxFields {
			c.refuse("The document selects more than %d fields.", c.e.options.MaxFields)
		}
		if c.err != nil {
			return s
		}
		f := c.field(o, group)
		if f.link >= 0 {
			f.link = len(s.links)
			s.links = append(s.links, f)
		} else if !f.list {
			s.points += f.own
		}
		s.fields = append(s.fields, f)
	}
	if c.err == nil {
		s.cost = costOf(s)
		s.cut()
	}
	return s
}

func (c *compiler) refuse(format string, args ...any) {
	if c.err == nil {
		c.err = reject(Validating, format, args...)
	}
}

// collect groups the fields that apply to o by response name, in the order of the
// document.
func (c *compiler) collect(o *objectType, sets []ast.SelectionSet) [][]*ast.Field {
	var groups [][]*ast.Field
	at := map[string]int{}
	visited := map[string]bool{}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if !c.included(s.Directives) {
					continue
				}
				i, ok := at[s.Alias]
				if !ok {
					i = len(groups)
					at[s.Alias] = i
					groups = append(groups, nil)
				}
				groups[i] = append(groups[i], s)
			case *ast.InlineFragment:
				if c.included(s.Directives) && c.applies(o, s.TypeCondition) {
					walk(s.SelectionSet)
				}
			case *ast.FragmentSpread:
				if visited[s.Name] || !c.included(s.Directives) {
					continue
				}
				visited[s.Name] = true
				if def := c.doc.Fragments.ForName(s.Name); def != nil && c.applies(o, def.TypeCondition) {
					walk(def.SelectionSet)
				}
			}
		}
	}
	for _, set := range sets {
		walk(set)
	}
	return groups
}

// included applies @skip and @include.
func (c *compiler) included(ds ast.DirectiveList) bool {
	for _, d := range ds {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		v := d.Arguments.ForName("if").Value
		on := v.Raw == "true"
		if v.Kind == ast.Variable {
			on, _ = c.vars[v.Raw].(bool)
		}
		if on == (d.Name == "skip") {
			return false
		}
	}
	return true
}

// applies reports whether objects of the type match a fragment's condition.
func (c *compiler) applies(o *objectType, condition string) bool {
	if condition == "" || condition == o.def.Name {
		return true
	}
	def := c.e.schema.Types[condition]
	if def == nil || !def.IsAbstractType() {
		return false
	}
	for _, possible := range c.e.schema.GetPossibleTypes(def) {
		if possible == o.def {
			return true
		}
	}
	return false
}

func (c *compiler) field(o *objectType, group []*ast.Field) *field {
	first := group[0]
	f := &field{id: c.plan.fields - 1, name: first.Name, alias: first.Alias, parent: o, link: -1, dynamic: -1}
	f.key = append(jsontext.Append(nil, first.Alias), ':')
	for _, node := range group {
		f.locations = append(f.locations, at(node.Position)...)
	}
	if f.name == "__typename" {
		f.typename = jsontext.Append(nil, o.def.Name)
		return f
	}
	f.binding = *o.fields[f.name]
	c.arguments(f, first)
	introspection := strings.HasPrefix(o.def.Name, "__") || strings.HasPrefix(f.name, "__")
	c.plan.introspects = c.plan.introspects || introspection
	if f.leaf == nil {
		f.link = 0
	}
	if c.e.schema.Types[f.def.Type.Name()].IsCompositeType() {
		c.targets(f, group)
	}
	if c.e.options.Cost != nil && !introspection && c.err == nil {
		c.charge(f)
	}
	return f
}

func (c *compiler) arguments(f *field, node *ast.Field) {
	f.args = node.Arguments
	f.shape = c.e.input.args[f.def]
	for _, a := range node.Arguments {
		if !constant(a.Value) {
			f.dynamic = c.plan.dynamic
			c.plan.dynamic++
			return
		}
	}
	for _, a := range node.Arguments { // so that the error names the invalid argument
		if i, ok := f.shape.index[a.Name]; ok {
			if _, err := c.e.input.literal(a.Value, f.shape.fields[i].typ, nil); err != nil {
				c.refuse("%s", err)
				c.err.Errors[0].Locations = at(a.Value.Position)
			}
		}
	}
	f.given, _ = c.e.input.arguments(f.shape, node.Arguments, nil)
}

// targets compiles the selection below a field, for each object type that the
// field may return.
func (c *compiler) targets(f *field, group []*ast.Field) {
	var sets []ast.SelectionSet
	for _, node := range group {
		sets = append(sets, node.SelectionSet)
	}
	name := f.def.Type.Name()
	if f.abstract = c.e.abstracts[name]; f.abstract != nil {
		for _, o := range f.abstract.objects {
			f.targets = append(f.targets, c.selection(o, sets))
		}
	} else if o := c.e.objects[name]; o != nil {
		f.targets = []*selection{c.selection(o, sets)}
	}
	if f.ref != nil && c.err == nil {
		f.peek = true
		for _, t := range f.targets {
			f.peek = f.peek && f.ref.peeks(t.names())
		}
	}
}

func (s *selection) names() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.name
	}
	return out
}

func (c *compiler) charge(f *field) {
	onlyID := len(f.targets) > 0
	for _, t := range f.targets {
		for _, name := range t.names() {
			onlyID = onlyID && (name == "id" || name == "__typename")
		}
	}
	cost := c.e.options.Cost(CostField{
		Parent: f.parent.def.Name, Name: f.name, Type: f.def.Type.Name(),
		Leaf: len(f.targets) == 0, List: f.def.Type.Elem != nil, OnlyID: onlyID,
	})
	f.own, f.times = cost.Own, cost.Times
}
