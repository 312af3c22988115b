package graph

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

func loadSchema(t *testing.T) *ast.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: SDL})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// required is what the documents of tiers A and B select.
type required struct {
	Operations map[string]string            // document name to tier
	Fields     map[string]map[string]string // type, field, type of the field
	Arguments  map[string]map[string]string // "Type.field", argument, type
}

func loadRequired(t *testing.T) required {
	t.Helper()
	raw, err := os.ReadFile("testdata/sdk_required.json")
	if err != nil {
		t.Fatal(err)
	}
	var r required
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A field that the client selects and the schema lacks, or types otherwise,
// breaks every document that selects it.
func TestSchemaHasWhatTheClientSelects(t *testing.T) {
	schema := loadSchema(t)
	req := loadRequired(t)
	for typ, fields := range req.Fields {
		def := schema.Types[typ]
		if def == nil {
			t.Errorf("type %s is missing", typ)
			continue
		}
		for name, want := range fields {
			field := def.Fields.ForName(name)
			if field == nil || field.Type.String() != want {
				t.Errorf("%s.%s: want type %s, have %v", typ, name, want, field)
			}
		}
	}
	for key, args := range req.Arguments {
		m := regexp.MustCompile(`^(\w+)\.(\w+)$`).FindStringSubmatch(key)
		def := schema.Types[m[1]]
		if def == nil || def.Fields.ForName(m[2]) == nil {
			t.Errorf("%s is missing", key)
			continue
		}
		for name, want := range args {
			arg := def.Fields.ForName(m[2]).Arguments.ForName(name)
			if arg == nil || arg.Type.String() != want {
				t.Errorf("%s(%s:): want type %s, have %v", key, name, want, arg)
			}
		}
	}
}

const sdkBundle = "../../../test/graphql/node_modules/@linear/sdk/dist/index.mjs"

var (
	sdkDocument = regexp.MustCompile("(?s)const \\w+Document = new TypedDocumentString\\(`(.*?)`")
	sdkName     = regexp.MustCompile(`(?m)^\s*(?:query|mutation) (\w+)`)
)

// The documents themselves, as the installed client has them.
func TestClientDocumentsValidate(t *testing.T) {
	bundle, err := os.ReadFile(sdkBundle)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("run npm ci in test/graphql first: %v", err)
		}
		t.Skip("the client is not installed: run npm ci in test/graphql")
	}
	schema := loadSchema(t)
	missing := loadRequired(t).Operations
	for _, m := range sdkDocument.FindAllStringSubmatch(string(bundle), -1) {
		name := sdkName.FindStringSubmatch(m[1])
		if name == nil || missing[name[1]] == "" {
			continue
		}
		delete(missing, name[1])
		doc, err := parser.ParseQuery(&ast.Source{Name: name[1], Input: m[1]})
		if err != nil {
			t.Errorf("%s: %v", name[1], err)
			continue
		}
		for _, err := range validator.ValidateWithRules(schema, doc, nil) {
			t.Errorf("%s: %v", name[1], err)
		}
	}
	for name := range missing {
		t.Errorf("the installed client has no document %s", name)
	}
}
