package engine

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// Root is the parent of the fields of Query and Mutation. It has no fields of its
// own.
type Root struct{}

// Builder collects the bindings of a schema and their errors, all of which Build
// reports. It is not safe for concurrent use.
type Builder struct {
	// Query and Mutation are the root types; see also the functions Query,
	// QueryList, Mutation.
	Query, Mutation *Type[Root]

	schema  *ast.Schema
	objects map[string]*objectType
	scalars map[string]Scalar
	stubs   map[string]bool
	errs    []error
}

// objectType is an object type of the schema with its bindings.
type objectType struct {
	def    *ast.Definition
	goType reflect.Type // *T
	fields map[string]*binding
}

// binding describes how a field gets its value: exactly one of leaf, load and ref
// is set.
type binding struct {
	def    *ast.FieldDefinition
	leaf   appendFunc   // scalars and enums, and objects that are always null or lists always empty
	fixed  []byte       // what leaf always appends, if it is constant
	load   loadFunc     // objects
	ref    refLoader    // objects by key, in batches
	goType reflect.Type // of what load and ref return; nil for leaves and constant nulls
	list   bool         // load returns lists
	calls  bool         // it uses the Call
}

// NewBuilder parses the SDL. It returns an error when the SDL is not a valid
// schema.
func NewBuilder(sdl string) (*Builder, error) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: sdl})
	if err != nil {
		return nil, err
	}
	delete(schema.Directives, "defer") // the parser declares it, and the engine does not serve it
	b := &Builder{
		schema:  schema,
		objects: map[string]*objectType{},
		scalars: map[string]Scalar{},
		stubs:   map[string]bool{},
	}
	b.Query = Object[Root](b, schema.Query.Name)
	if schema.Mutation != nil {
		b.Mutation = Object[Root](b, schema.Mutation.Name)
	}
	return b, nil
}

// Scalar sets how a custom scalar is parsed and how times of it are written. A
// custom scalar without this accepts any value unchanged.
func (b *Builder) Scalar(name string, s Scalar) {
	if def := b.schema.Types[name]; def == nil || def.Kind != ast.Scalar || def.BuiltIn {
		b.fail("%s is no custom scalar of the schema", name)
	}
	b.scalars[name] = s
}

// Stub declares object types that never have a value: fields of such a type are
// bound with Null, Empty or Absent, and their own fields need no bindings.
func (b *Builder) Stub(names ...string) {
	for _, name := range names {
		if def := b.schema.Types[name]; def == nil || def.Kind != ast.Object && def.Kind != ast.Interface {
			b.fail("%s is no object type or interface of the schema", name)
		}
		b.stubs[name] = true
	}
}

// bindStubs binds the fields of stubs, which are only used to compute costs.
func (b *Builder) bindStubs() {
	for name := range b.stubs {
		def := b.schema.Types[name]
		if def == nil || b.objects[name] != nil {
			continue
		}
		o := &objectType{def: def, fields: map[string]*binding{}}
		for _, f := range def.Fields {
			o.fields[f.Name] = &binding{def: f, leaf: nullLeaf}
		}
		b.objects[name] = o
	}
}

func (b *Builder) fail(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
}

// Build checks that every field of every object type is bound to a getter that
// fits its type, and returns the engine. Its error lists all mistakes.
func (b *Builder) Build(o Options) (*Engine, error) {
	bindIntrospection(b)
	b.check()
	b.bindStubs()
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	e := &Engine{schema: b.schema, objects: b.objects, options: o.withDefaults()}
	e.input = newInputs(b.schema, b.scalars)
	e.abstracts = b.abstracts()
	e.cache = newCache(e.options.CacheBytes, e.options.CacheCount)
	return e, nil
}
