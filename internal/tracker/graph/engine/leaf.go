package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/jsontext"
)

// appendFunc appends a leaf's JSON to buf. It returns errNull for null, or
// another error; part of a value may be appended then.
type appendFunc func(buf []byte, c *Call, parent any) ([]byte, error)

// errNull is the error of a leaf that is null.
var errNull = errors.New("null")

// encoder appends one Go value as JSON.
type encoder[V any] func(buf []byte, v V) ([]byte, error)

// leafType returns the scalar or enum that a field has or lists.
func (b *Builder) leafType(typ *ast.Type) (*ast.Definition, error) {
	elem := typ
	if typ.Elem != nil {
		elem = typ.Elem
	}
	def := b.schema.Types[elem.Name()]
	if elem.Elem != nil || def == nil || !def.IsLeafType() {
		return nil, errors.New("is no scalar, enum or list of these: bind it with One, Ref, Link or Resolve")
	}
	return def, nil
}

// leafOf compiles a getter of one of the accepted types.
func leafOf[T any](b *Builder, typ *ast.Type, get any) (appendFunc, error) {
	def, err := b.leafType(typ)
	if err != nil {
		return nil, err
	}
	for _, try := range []func() (appendFunc, error){
		func() (appendFunc, error) { return shape[T, string](b, typ, get, def) },
		func() (appendFunc, error) { return shape[T, bool](b, typ, get, def) },
		func() (appendFunc, error) { return shape[T, int](b, typ, get, def) },
		func() (appendFunc, error) { return shape[T, int64](b, typ, get, def) },
		func() (appendFunc, error) { return shape[T, float64](b, typ, get, def) },
		func() (appendFunc, error) { return shape[T, time.Time](b, typ, get, def) },
		func() (appendFunc, error) { return shape[T, json.RawMessage](b, typ, get, def) },
	} {
		if l, err := try(); l != nil || err != nil {
			return l, err
		}
	}
	return nil, fmt.Errorf("has a getter of the wrong shape: %T", get)
}

// shape compiles a getter that returns V, *V or []V. It returns nil, nil for any
// other getter. It is compiled for every T and V, so it has no more than most fields
// need; others have ResolveField.
func shape[T, V any](b *Builder, typ *ast.Type, get any, def *ast.Definition) (l appendFunc, err error) {
	list, enc := false, encoderFor[V](b, def)
	switch g := get.(type) {
	case func(*T) V:
		l = func(buf []byte, _ *Call, p any) ([]byte, error) { return enc(buf, g(p.(*T))) }
	case func(*T) *V:
		l = func(buf []byte, _ *Call, p any) ([]byte, error) { return pointer(buf, g(p.(*T)), enc) }
	case func(*T) []V:
		list = true
		l = func(buf []byte, _ *Call, p any) ([]byte, error) { return slice(buf, g(p.(*T)), enc, typ) }
	default:
		return nil, nil
	}
	return l, fits(get, enc != nil, list, typ, def)
}

// fits returns an error for a getter of a list where the field has none or the other way
// round, and for one whose values the field's type cannot have.
func fits(get any, encoded, list bool, typ *ast.Type, def *ast.Definition) error {
	if list != (typ.Elem != nil) {
		return fmt.Errorf("has a getter of the wrong shape: %T", get)
	}
	if !encoded {
		return fmt.Errorf("%T cannot give a %s", get, def.Name)
	}
	return nil
}

// ResolveField binds a scalar or enum field whose value needs the Call or can fail. V is
// string, bool, int, int64, float64, time.Time or json.RawMessage, with the same types of
// the schema as for Field.
func ResolveField[T, V any](t *Type[T], name string, get func(c *Call, parent *T) (V, error)) {
	f := t.add(name)
	if f == nil {
		return
	}
	f.leaf, f.calls = nullLeaf, true
	def, err := t.b.leafType(f.def.Type)
	if err == nil {
		enc := encoderFor[V](t.b, def)
		if err = fits(get, enc != nil, false, f.def.Type, def); err == nil {
			f.leaf = func(buf []byte, c *Call, p any) ([]byte, error) {
				v, err := get(c, p.(*T))
				if err != nil {
					return buf, err
				}
				return enc(buf, v)
			}
		}
	}
	if err != nil {
		t.b.fail("%s.%s: %s: %w", t.o.def.Name, name, f.def.Type, err)
	}
}

// encoderFor returns the encoder of V for a type of the schema; nil when there is none.
func encoderFor[V any](b *Builder, def *ast.Definition) encoder[V] {
	var enc any
	switch any(*new(V)).(type) {
	case string:
		enc = b.stringEncoder(def)
	case bool:
		enc = boolEncoder(def)
	case int:
		enc = intEncoder[int](def)
	case int64:
		enc = intEncoder[int64](def)
	case float64:
		enc = floatEncoder(def)
	case time.Time:
		enc = b.timeEncoder(def)
	case json.RawMessage:
		enc = rawEncoder(def)
	}
	of, _ := enc.(encoder[V])
	return of
}

func pointer[V any](buf []byte, v *V, enc encoder[V]) ([]byte, error) {
	if v == nil {
		return buf, errNull
	}
	return enc(buf, *v)
}

func slice[V any](buf []byte, vs []V, enc encoder[V], typ *ast.Type) ([]byte, error) {
	if vs == nil && !typ.NonNull {
		return buf, errNull
	}
	buf = append(buf, '[')
	for i, v := range vs {
		if i > 0 {
			buf = append(buf, ',')
		}
		var err error
		if buf, err = enc(buf, v); err != nil {
			return buf, err
		}
	}
	return append(buf, ']'), nil
}

// stringEncoder returns an encoder for String, ID, custom scalars, and enums,
// whose values it checks.
func (b *Builder) stringEncoder(def *ast.Definition) encoder[string] {
	if def.Kind == ast.Enum {
		members := map[string]bool{}
		for _, v := range def.EnumValues {
			members[v.Name] = true
		}
		return func(buf []byte, v string) ([]byte, error) {
			if !members[v] {
				return buf, fmt.Errorf("Enum %q cannot represent value: %q", def.Name, v)
			}
			return jsontext.Append(buf, v), nil
		}
	}
	if def.BuiltIn && def.Name != "String" && def.Name != "ID" {
		return nil
	}
	return func(buf []byte, v string) ([]byte, error) { return jsontext.Append(buf, v), nil }
}

func boolEncoder(def *ast.Definition) encoder[bool] {
	if def.Name != "Boolean" && (def.BuiltIn || def.Kind != ast.Scalar) {
		return nil
	}
	return func(buf []byte, v bool) ([]byte, error) { return strconv.AppendBool(buf, v), nil }
}

func intEncoder[V int | int64](def *ast.Definition) encoder[V] {
	switch {
	case def.Name == "Int":
		return func(buf []byte, v V) ([]byte, error) {
			if int64(v) < math.MinInt32 || int64(v) > math.MaxInt32 {
				return buf, fmt.Errorf("Int cannot represent non 32-bit signed integer value: %d", v)
			}
			return strconv.AppendInt(buf, int64(v), 10), nil
		}
	case def.Name == "ID":
		return func(buf []byte, v V) ([]byte, error) {
			return append(strconv.AppendInt(append(buf, '"'), int64(v), 10), '"'), nil
		}
	case def.Name == "Float" || def.Kind == ast.Scalar && !def.BuiltIn:
		return func(buf []byte, v V) ([]byte, error) { return strconv.AppendInt(buf, int64(v), 10), nil }
	}
	return nil
}

func floatEncoder(def *ast.Definition) encoder[float64] {
	if def.Name != "Float" && (def.BuiltIn || def.Kind != ast.Scalar) {
		return nil
	}
	return func(buf []byte, v float64) ([]byte, error) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return buf, fmt.Errorf("Float cannot represent non numeric value: %v", v)
		}
		return appendFloat(buf, v), nil
	}
}

func (b *Builder) timeEncoder(def *ast.Definition) encoder[time.Time] {
	if def.Kind != ast.Scalar || def.BuiltIn {
		return nil
	}
	write := b.scalars[def.Name].Time
	if write == nil {
		write = appendTime
	}
	return func(buf []byte, v time.Time) ([]byte, error) { return write(buf, v), nil }
}

func rawEncoder(def *ast.Definition) encoder[json.RawMessage] {
	if def.Kind != ast.Scalar || def.BuiltIn {
		return nil
	}
	return func(buf []byte, v json.RawMessage) ([]byte, error) {
		if len(v) == 0 {
			return buf, errNull
		}
		return append(buf, v...), nil
	}
}

// checkConst returns an error for a constant that the field's type cannot have.
func checkConst(schema *ast.Schema, typ *ast.Type, value any) error {
	if typ.Elem != nil {
		if list, ok := value.([]string); ok {
			for _, v := range list {
				if err := checkConst(schema, typ.Elem, v); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf("%T is no []string", value)
	}
	def := schema.Types[typ.Name()]
	ok := false
	switch {
	case def == nil || !def.IsLeafType():
	case def.Kind == ast.Enum:
		s, isString := value.(string)
		ok = isString && def.EnumValues.ForName(s) != nil
	case !def.BuiltIn:
		ok = value != nil
	default:
		switch value.(type) {
		case string:
			ok = def.Name == "String" || def.Name == "ID"
		case bool:
			ok = def.Name == "Boolean"
		case int:
			ok = def.Name == "Int" || def.Name == "Float"
		case float64:
			ok = def.Name == "Float"
		}
	}
	if !ok {
		return fmt.Errorf("%v (%T) is no %s", value, value, typ)
	}
	return nil
}
