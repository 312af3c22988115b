package engine

import (
	"reflect"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Absent binds fields of areas that have no rows: a link is null, a list is
// empty, a connection is an empty page. A field that can be none of these is a
// mistake, which Build reports.
func (t *Type[T]) Absent(names ...string) *Type[T] {
	for _, name := range names {
		def := t.o.def.Fields.ForName(name)
		switch {
		case def == nil || !def.Type.NonNull && def.Type.Elem == nil:
			t.Null(name)
		case def.Type.Elem != nil:
			t.Empty(name)
		case t.b.emptyPage(def.Type.NamedType):
			One(t, name, func(*T) *noRows { return &noRows{} })
		default:
			t.b.fail("%s.%s: %s cannot be absent", t.o.def.Name, name, def.Type)
		}
	}
	return t
}

// Unknown binds fields of the query root that find an object by its id, where
// there are no objects. why returns the error for the object type with a name.
func Unknown(b *Builder, why func(typ string) error, names ...string) {
	for _, name := range names {
		if f := b.Query.add(name); f != nil {
			err := why(f.def.Type.Name())
			f.leaf = func([]byte, *Call, any) ([]byte, error) { return nil, err }
		}
	}
}

// noRows is a page of a connection that never has any.
type noRows struct{}

// emptyPage binds a connection type whose nodes are stubs, once, and reports
// whether the type is such a connection.
func (b *Builder) emptyPage(name string) bool {
	def := b.schema.Types[name]
	if o := b.objects[name]; o != nil {
		return o.goType == reflect.TypeFor[*noRows]()
	}
	if def == nil || def.Kind != ast.Object || !strings.HasSuffix(name, "Connection") {
		return false
	}
	t := Object[noRows](b, name).Empty("nodes", "edges")
	One(t, "pageInfo", func(*noRows) *pageInfo { return &pageInfo{} })
	for _, f := range []string{"nodes", "edges"} {
		b.Stub(def.Fields.ForName(f).Type.Name())
	}
	return true
}
