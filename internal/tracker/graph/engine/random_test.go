package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/ids"
)

// documentWriter writes random documents that fit the library's schema.
type documentWriter struct {
	schema    *ast.Schema
	random    *ids.Source
	fragments []string
	alias     int
}

func (w *documentWriter) n(limit int) int {
	var b [2]byte
	w.random.Bytes(b[:])
	return (int(b[0])<<8 | int(b[1])) % limit
}

func (w *documentWriter) document() string {
	w.fragments, w.alias = nil, 0
	root, word := w.schema.Query, "query"
	if w.n(8) == 0 {
		root, word = w.schema.Mutation, "mutation"
	}
	body := w.selection(root, 0)
	return word + " R($yes: Boolean = true, $no: Boolean = false, $n: Int = 1, $id: ID = \"b1\") {" +
		body + " u1: __typename @skip(if: $yes) u2: __typename @include(if: $no) " + w.useAll(root) + "}" +
		strings.Join(w.fragments, "")
}

// useAll uses the variables that validation wants to be used.
func (w *documentWriter) useAll(root *ast.Definition) string {
	if root == w.schema.Query {
		return "u3: echoInt(v: $n) u4: echoID(v: $id)"
	}
	return "u3: addOrFail(n: $n) ... on Mutation @include(if: $no) { u4: __typename } ...U } fragment U on Mutation { u5: add(n: 0) @skip(if: $yes) } query V($id: ID) { echoID(v: $id) "
}

func (w *documentWriter) selection(def *ast.Definition, depth int) string {
	b := &strings.Builder{}
	for range 1 + w.n(4) {
		switch w.n(9) {
		case 0:
			fmt.Fprintf(b, " ...%s {%s}", w.condition(), w.selection(def, depth+1))
		case 1:
			if def.IsAbstractType() {
				possible := w.schema.GetPossibleTypes(def)
				if on := possible[w.n(len(possible))]; on.Kind == ast.Object {
					fmt.Fprintf(b, " ... on %s%s {%s}", on.Name, w.condition(), w.selection(on, depth+1))
				}
			}
		case 2:
			name := fmt.Sprintf("F%d", len(w.fragments))
			at := len(w.fragments)
			w.fragments = append(w.fragments, "")
			w.fragments[at] = fmt.Sprintf(" fragment %s on %s {%s}", name, def.Name, w.selection(def, depth+1))
			fmt.Fprintf(b, " ...%s%s", name, w.condition())
		default:
			b.WriteString(w.field(def, depth))
		}
	}
	return b.String() + " __typename"
}

func (w *documentWriter) condition() string {
	switch w.n(8) {
	case 0:
		return " @include(if: true)"
	case 1:
		return " @skip(if: $no)"
	case 2:
		return " @skip(if: true)"
	}
	return ""
}

func (w *documentWriter) field(def *ast.Definition, depth int) string {
	if len(def.Fields) == 0 {
		return " __typename"
	}
	f := def.Fields[w.n(len(def.Fields))]
	target := w.schema.Types[f.Type.Name()]
	if strings.HasPrefix(f.Name, "__") || target.IsCompositeType() && depth > 4 {
		return " __typename"
	}
	// Objects keep their name where they take no arguments, so that selections
	// of one object merge; leaves get an alias each, for types may differ.
	name := f.Name
	if target.IsLeafType() || len(f.Arguments) > 0 || w.n(3) == 0 {
		w.alias++
		name = fmt.Sprintf("a%d: %s", w.alias, f.Name)
	}
	out := " " + name + w.arguments(f) + w.condition()
	if target.IsCompositeType() {
		out += " {" + w.selection(target, depth+1) + "}"
	}
	return out
}

func (w *documentWriter) arguments(f *ast.FieldDefinition) string {
	var args []string
	for _, a := range f.Arguments {
		if !a.Type.NonNull && w.n(2) == 0 {
			continue
		}
		args = append(args, a.Name+": "+w.value(a.Type, 0))
	}
	if len(args) == 0 {
		return ""
	}
	return "(" + strings.Join(args, ", ") + ")"
}

func (w *documentWriter) value(t *ast.Type, depth int) string {
	if !t.NonNull && w.n(6) == 0 {
		return "null"
	}
	if t.Elem != nil {
		var items []string
		for range w.n(3) {
			items = append(items, w.value(t.Elem, depth+1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	pick := func(choices ...string) string { return choices[w.n(len(choices))] }
	switch t.NamedType {
	case "Int":
		return pick("0", "1", "2", "7")
	case "Float":
		return pick("0", "2.5", "1e3", "-7")
	case "Boolean":
		return pick("true", "false")
	case "ID":
		return pick(`"a1"`, `"a2"`, `"a3"`, `"b1"`, `"b2"`, `"b3"`, `"m1"`, `"r1"`, `"zz"`, "5")
	case "String":
		return pick(`"x"`, `""`, `"ü\n"`, `"r1"`, `"""block"""`)
	case "Instant":
		return `"2024-05-01T10:00:00.000Z"`
	case "Anything":
		return pick("1", `"s"`, "{k: [1, {l: null}]}", "[]", "true")
	}
	def := w.schema.Types[t.NamedType]
	if def.Kind == ast.Enum {
		return def.EnumValues[w.n(len(def.EnumValues))].Name
	}
	var fields []string
	for _, f := range def.Fields {
		if f.Type.NonNull || depth < 3 && w.n(3) == 0 {
			fields = append(fields, f.Name+": "+w.value(f.Type, depth+1))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// Random documents get the judge's answer too: the same data, and errors at the
// same paths.
func TestRandomDocumentsAgainstTheJudge(t *testing.T) {
	e := newLibrary(t, Options{})
	w := &documentWriter{schema: e.schema, random: ids.Seeded(11, 0)}
	var cases []conformanceCase
	for len(cases) < 600 {
		cases = append(cases, conformanceCase{Query: w.document(), Operation: "R"})
	}
	var judged []reply
	if err := json.Unmarshal(askJudge(t, cases), &judged); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, c := range cases {
		out := e.Execute(context.Background(), Request{Query: c.Query, OperationName: c.Operation}, &library{})
		var got reply
		if err := json.Unmarshal(out.JSON, &got); err != nil {
			t.Fatalf("%v: %s", err, out.JSON)
		}
		if got.HasData {
			ran++
		}
		compare(t, c, got, judged[i], out.JSON)
		if t.Failed() {
			t.Fatalf("document: %s", c.Query)
		}
	}
	if ran < len(cases)*8/10 {
		t.Errorf("only %d of %d documents were executed", ran, len(cases))
	}
}
