package engine

import (
	"reflect"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// check reports every object field without a binding, and every relation whose Go
// type differs from the one that its schema type is bound to.
func (b *Builder) check() {
	for _, name := range sortedKeys(b.schema.Types) {
		def := b.schema.Types[name]
		if def.Kind != ast.Object || b.stubs[name] {
			continue
		}
		o := b.objects[name]
		if o == nil {
			b.fail("%s: no binding for the type", name)
			continue
		}
		for _, field := range def.Fields {
			if f := o.fields[field.Name]; f == nil {
				b.fail("%s.%s: no binding", name, field.Name)
			} else {
				b.checkField(name, f)
			}
		}
	}
	for name := range b.stubs {
		if b.objects[name] != nil {
			b.fail("%s: bound, and declared a stub", name)
		}
	}
	for _, name := range sortedKeys(b.schema.Types) {
		if def := b.schema.Types[name]; def.IsAbstractType() {
			b.checkAbstract(def)
		}
	}
}

func (b *Builder) checkField(typ string, f *binding) {
	where := typ + "." + f.def.Name
	target := b.schema.Types[f.def.Type.Name()]
	if f.leaf != nil || target == nil { // a leaf was checked when it was bound
		return
	}
	if target.IsLeafType() {
		if f.load != nil || f.ref != nil {
			b.fail("%s: %s is no object, bind it with Field", where, f.def.Type)
		}
		return
	}
	if f.list != (f.def.Type.Elem != nil) {
		b.fail("%s: a list where the schema has none, or the other way round: %s", where, f.def.Type)
	}
	if f.def.Type.Elem != nil && f.def.Type.Elem.Elem != nil {
		b.fail("%s: lists of lists of objects are not served", where)
	}
	if f.goType.Kind() != reflect.Pointer && f.goType.Kind() != reflect.Interface {
		b.fail("%s: returns %v, which is no pointer and no interface", where, f.goType)
		return
	}
	for _, def := range b.schema.GetPossibleTypes(target) {
		o := b.objects[def.Name]
		if o != nil && (o.goType == f.goType || target.IsAbstractType() && f.goType.Kind() == reflect.Interface) {
			return
		}
	}
	b.fail("%s: returns %v, which no type of %s is bound to", where, f.goType, target.Name)
}

// checkAbstract requires a different Go type for each possible object type: the
// Go type of a value determines its object type.
func (b *Builder) checkAbstract(def *ast.Definition) {
	if !b.reached(def.Name) {
		return
	}
	seen := map[reflect.Type]string{}
	for _, possible := range b.schema.GetPossibleTypes(def) {
		o := b.objects[possible.Name]
		if o == nil {
			continue
		}
		if other := seen[o.goType]; other != "" {
			b.fail("%s: %s and %s are both bound to %v", def.Name, other, possible.Name, o.goType)
		}
		seen[o.goType] = possible.Name
	}
}

// reached reports whether a bound field returns values of the type.
func (b *Builder) reached(name string) bool {
	for _, o := range b.objects {
		for _, f := range o.fields {
			if f.def.Type.Name() == name && f.goType != nil {
				return true
			}
		}
	}
	return false
}

// abstractType finds the object type of a value of an interface or union.
type abstractType struct {
	def     *ast.Definition
	objects []*objectType
	byGo    map[reflect.Type]int
}

func (b *Builder) abstracts() map[string]*abstractType {
	out := map[string]*abstractType{}
	for name, def := range b.schema.Types {
		if !def.IsAbstractType() || strings.HasPrefix(name, "__") {
			continue
		}
		a := &abstractType{def: def, byGo: map[reflect.Type]int{}}
		for _, possible := range b.schema.GetPossibleTypes(def) {
			if o := b.objects[possible.Name]; o != nil { // not for interfaces, which the parser lists too
				a.byGo[o.goType] = len(a.objects)
				a.objects = append(a.objects, o)
			}
		}
		out[name] = a
	}
	return out
}

// indexOf returns the index in a.objects of the object type of v.
func (a *abstractType) indexOf(v any) (int, bool) {
	i, ok := a.byGo[reflect.TypeOf(v)]
	return i, ok
}
