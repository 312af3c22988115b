package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/store/storetest"
)

// send posts a document with variables as JSON and returns the reply.
func (d *desk) send(query, variables string) (status int, reply []byte) {
	d.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": json.RawMessage(variables)})
	if err != nil {
		d.Fatal(err)
	}
	w := d.post(body)
	return w.Code, w.Body.Bytes()
}

func TestNoReplyIsLongerThanItMayBe(t *testing.T) {
	d := newDesk(t, storetest.SQLite(t, schemas), 0)
	d.fill(200)
	alias := strings.Repeat("a", 1000)
	rows := &strings.Builder{}
	for i := range 30 {
		fmt.Fprintf(rows, "%s%d: issues(first: 250) { nodes { %s%d: id b%s: title } } ", alias, i, alias, i, alias)
	}
	types := &strings.Builder{}
	for i := range 150 {
		fmt.Fprintf(types, "t%d: __schema { types { name fields { name type { name ofType { name } } args { name } } } } ", i)
	}
	for name, query := range map[string]string{
		"rows": "{" + rows.String() + "}", "aliased introspection": "{" + types.String() + "}",
	} {
		status, reply := d.send(query, `{}`)
		if status != 400 || len(reply) > 4096 || !bytes.Contains(reply, []byte("The reply has more than")) {
			t.Errorf("%s: %d, %d bytes, %.300s", name, status, len(reply), reply)
		}
	}
	standard, err := os.ReadFile("testdata/introspection.graphql")
	if err != nil {
		t.Fatal(err)
	}
	status, reply := d.send(string(standard), `{}`)
	if status != 200 || bytes.Contains(reply, []byte(`"errors"`)) {
		t.Errorf("ordinary introspection: %d %.300s", status, reply)
	}
	if len(reply) > freeIntrospection/2 {
		t.Errorf("ordinary introspection has %d bytes: more than half of what is free", len(reply))
	}
}

// Ordinary introspection is free; what repeats it is paid for by its length.
func TestIntrospectionHasAPriceByItsLength(t *testing.T) {
	d := newDesk(t, storetest.SQLite(t, schemas), 1)
	charge := func(aliases int) int {
		query := &strings.Builder{}
		for i := range aliases {
			fmt.Fprintf(query, "t%d: __schema { types { name fields { name type { name } args { name } } } } ", i)
		}
		body, _ := json.Marshal(map[string]any{"query": "{" + query.String() + "}"})
		w := d.post(body)
		points, err := strconv.Atoi(w.Header().Get("X-Complexity"))
		if err != nil || w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
		return points
	}
	if once, often := charge(1), charge(60); once != 1 || often < 1000 {
		t.Errorf("%d points for one, %d for sixty", once, often)
	}
}

// literals are values of each kind, to be the default of a variable.
var literals = map[string]string{"Int": "1", "Float": "1.5", "String": `"x"`, "ID": `"x"`, "Boolean": "true"}

// Any value of a variable, null above all, is refused as a mistake of the
// caller or accepted; it is never an internal error.
func TestVariablesAreNeverAnInternalError(t *testing.T) {
	d := newDesk(t, storetest.SQLite(t, schemas), 0)
	d.fill(3)
	schema := shared().Schema()
	n := 0
	try := func(query string) {
		for _, variables := range []string{`{}`, `{"v":null}`, `{"v":[null]}`, `{"v":{}}`, `{"v":1}`, `{"v":"x"}`} {
			n++
			status, reply := d.send(query, variables)
			if status >= 500 || bytes.Contains(reply, []byte("INTERNAL")) {
				t.Errorf("%s with %s: %d %.300s", query, variables, status, reply)
			}
		}
	}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		word := map[bool]string{true: "query", false: "mutation"}[root == schema.Query]
		for _, f := range root.Fields {
			selection := ""
			if schema.Types[f.Type.Name()].IsCompositeType() {
				selection = "{ __typename }"
			}
			for _, a := range f.Arguments {
				others := ""
				for _, o := range f.Arguments {
					if o != a && o.Type.NonNull {
						others += fmt.Sprintf(" %s: %s", o.Name, sample(schema, o.Type))
					}
				}
				nullable := *a.Type
				nullable.NonNull = false
				try(fmt.Sprintf(`%s ($v: %s = %s) { %s(%s: $v%s) %s }`, word, &nullable, sample(schema, a.Type), f.Name, a.Name, others, selection))
				def := schema.Types[a.Type.Name()]
				if def.Kind != ast.InputObject || a.Type.Elem != nil {
					continue
				}
				for _, in := range def.Fields {
					inner := *in.Type
					inner.NonNull = false
					item := inner
					value := "$v"
					if inner.Elem != nil {
						item, value = *inner.Elem, "[$v]"
						item.NonNull = false
					}
					rest := ""
					for _, o := range def.Fields {
						if o != in && o.Type.NonNull {
							rest += fmt.Sprintf(" %s: %s", o.Name, sample(schema, o.Type))
						}
					}
					try(fmt.Sprintf(`%s ($v: %s = %s) { %s(%s: {%s: %s%s}%s) %s }`, word, &item, sample(schema, &item), f.Name, a.Name, in.Name, value, rest, others, selection))
					if filter := schema.Types[in.Type.Name()]; filter.Kind == ast.InputObject && inner.Elem == nil {
						for _, op := range filter.Fields {
							if op.Type.Elem != nil && schema.Types[op.Type.Name()].Kind != ast.InputObject {
								item := *op.Type.Elem
								item.NonNull = false
								try(fmt.Sprintf(`%s ($v: %s = %s) { %s(%s: {%s: {%s: [$v]}%s}%s) %s }`, word, &item, sample(schema, &item),
									f.Name, a.Name, in.Name, op.Name, rest, others, selection))
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d requests", n)
}

// sample returns a literal of a type.
func sample(schema *ast.Schema, t *ast.Type) string {
	if t.Elem != nil {
		return "[" + sample(schema, t.Elem) + "]"
	}
	def := schema.Types[t.NamedType]
	switch {
	case def.Kind == ast.Enum:
		return def.EnumValues[0].Name
	case def.Kind == ast.InputObject:
		out := "{"
		for _, f := range def.Fields {
			if f.Type.NonNull {
				out += " " + f.Name + ": " + sample(schema, f.Type)
			}
		}
		return out + "}"
	case literals[def.Name] != "":
		return literals[def.Name]
	}
	return `"2026-03-01T12:00:00.000Z"`
}

func FuzzRequestsAreNeverAnInternalError(f *testing.F) {
	for _, s := range [][2]string{
		{`query ($n: Int = 5) { issues(first: $n) { nodes { id } } }`, `{"n":null}`},
		{`query ($x: ID) { issues(filter: {id: {in: [$x]}}) { nodes { id title } } }`, `{"x":null}`},
		{`mutation ($t: String!, $l: [String!]) { issueCreate(input: {teamId: $t, title: "a", labelIds: $l}) { success issue { id } } }`, `{"t":"x","l":[]}`},
		{`query ($f: IssueFilter) { issues(filter: $f, orderBy: updatedAt, includeArchived: true) { nodes { id } pageInfo { endCursor } } }`, `{"f":{"title":{"in":[null]}}}`},
	} {
		f.Add(s[0], s[1])
	}
	d := newDesk(f, storetest.SQLite(f, schemas), 0)
	d.fill(3)
	f.Fuzz(func(t *testing.T, query, variables string) {
		if !json.Valid([]byte(variables)) {
			return
		}
		d := *d
		d.TB = t
		status, reply := d.send(query, variables)
		if status >= 500 || bytes.Contains(reply, []byte("INTERNAL")) {
			t.Errorf("%q with %s: %d %.300s", query, variables, status, reply)
		}
	})
}
