package seeddoc

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxProblems is the most problems that one error lists.
const maxProblems = 20

// Reader copies nodes into structs. Fields are named by the tag `seed:"name"`,
// with ",required" for a required one and ",past" for a Time that cannot be in
// the future; `enum:"a,b"` lists the valid texts, and `doc` is the description. A
// null member counts as absent.
type Reader struct {
	Now      time.Time // the reference of relative times
	problems Problems
}

// Refuse records a problem.
func (r *Reader) Refuse(at Pos, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, Problem{at.Place, at.Field, fmt.Sprintf(format, args...)})
	}
}

// Err returns Invalid with the recorded problems, or nil.
func (r *Reader) Err() error {
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
	return r.problems.Err()
}

// Read copies n, which is at a place, into what v points to.
func (r *Reader) Read(n *Node, at Pos, v any) {
	r.read(n, at, reflect.ValueOf(v).Elem(), "")
}

// custom is a type that decodes itself.
type custom interface {
	read(r *Reader, n *Node, at Pos)
	schema(s *schemas) map[string]any
}

var (
	customType = reflect.TypeFor[custom]()
	posType    = reflect.TypeFor[Pos]()
)

func (r *Reader) read(n *Node, at Pos, v reflect.Value, enum string) {
	at.node = n
	if v.Addr().Type().Implements(customType) {
		v.Addr().Interface().(custom).read(r, n, at)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		r.readStruct(n, at, v)
	case reflect.Slice:
		if r.is(n, at, List) {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
			for i, item := range n.Items {
				r.read(item, at.Item(i), v.Index(i), enum)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.read(n, at, v.Elem(), enum)
	case reflect.String:
		if r.is(n, at, String) {
			if enum != "" && !slices.Contains(strings.Split(enum, ","), n.Scalar) {
				r.Refuse(at, "must be one of %s", strings.ReplaceAll(enum, ",", ", "))
			}
			v.SetString(n.Scalar)
		}
	case reflect.Bool:
		if r.is(n, at, Bool) {
			v.SetBool(n.Scalar == "true")
		}
	case reflect.Int64:
		if r.is(n, at, Number) {
			i, err := strconv.ParseInt(n.Scalar, 10, 64)
			if err != nil {
				r.Refuse(at, "must be a whole number")
			}
			v.SetInt(i)
		}
	case reflect.Float64:
		if r.is(n, at, Number) {
			f, err := strconv.ParseFloat(n.Scalar, 64)
			if err != nil || math.IsInf(f, 0) {
				r.Refuse(at, "must be a number")
			}
			v.SetFloat(f)
		}
	default:
		panic("seeddoc: a field of an unknown type " + v.Type().String())
	}
}

func (r *Reader) is(n *Node, at Pos, k Kind) bool {
	if n.Kind != k {
		hint := ""
		if k == String && (n.Kind == Number || n.Kind == Bool) {
			hint = " (put it in quotes)"
		}
		r.Refuse(at, "must be %s, not %s%s", kindNames[k], kindNames[n.Kind], hint)
	}
	return n.Kind == k
}

func (r *Reader) readStruct(n *Node, at Pos, v reflect.Value) {
	if !r.is(n, at, Map) {
		return
	}
	fields := fieldsOf(v.Type())
	if fields.pos >= 0 {
		v.Field(fields.pos).Set(reflect.ValueOf(at))
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		there := Pos{Place: m.Place, Field: at.nameOf(m.Name), node: m.Value}
		f, ok := fields.byName[m.Name]
		switch {
		case !ok:
			r.Refuse(there, "is not a field here; there are %s", strings.Join(fields.names, ", "))
		case seen[m.Name]:
			r.Refuse(there, "is given twice")
		case m.Value.Kind != Null:
			r.read(m.Value, there, v.Field(f.index), f.enum)
			if t, ok := v.Field(f.index).Interface().(Time); ok && f.past && t.Micros > r.Now.UnixMicro() {
				r.Refuse(there, "must not be later than the environment's clock")
			}
		}
		seen[m.Name] = m.Value.Kind != Null
	}
	for _, name := range fields.names {
		if fields.byName[name].required && !seen[name] {
			r.Refuse(at.In(name), "is required")
		}
	}
}

type field struct {
	index    int
	required bool
	past     bool
	enum     string
	doc      string
}

type fields struct {
	pos    int // index of the embedded Pos, or -1
	names  []string
	byName map[string]field
}

func fieldsOf(t reflect.Type) fields {
	out := fields{pos: -1, byName: map[string]field{}}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == posType {
			out.pos = i
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("seed"), ",")
		if name == "" {
			panic("seeddoc: " + t.String() + "." + f.Name + " has no name")
		}
		out.names = append(out.names, name)
		out.byName[name] = field{index: i, required: option == "required", past: option == "past", enum: f.Tag.Get("enum"), doc: f.Tag.Get("doc")}
	}
	return out
}
