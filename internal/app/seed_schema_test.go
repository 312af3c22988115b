package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/app"
	"understudy/internal/platform/yamldoc"
)

var update = flag.Bool("update", false, "write docs/seed-document.schema.json anew")

const seedSchemaFile = "../../docs/seed-document.schema.json"

// The schema in docs is generated from the structs that the reader fills, so it
// allows what the reader accepts and nothing else: go test ./internal/app -run
// Schema -update
func TestTheSchemaOfSeedDocumentsIsUpToDate(t *testing.T) {
	schema := app.SeedSchema()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(seedSchemaFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(seedSchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, text.Bytes()) {
		t.Error("docs/seed-document.schema.json is not what the reader takes: run this test with -update")
	}
}

// The schema allows what the reader accepts, and refuses what the reader
// refuses for its form.
func TestTheSchemaAgreesWithTheReader(t *testing.T) {
	text, err := os.ReadFile(seedSchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	allows := func(yaml []byte) error {
		n, err := yamldoc.Parse(yaml)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(n.JSON(), &v); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	for _, file := range []string{"../../docs/seed-example.yaml", "fixtures/demo/customers.yaml", "fixtures/demo/team.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := allows(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, text := range []string{"", "messaging:", "messaging: {channels: {general: }}", "crm: {contacts: {a: {properties: {age: 3, vip: true, note: }}}}"} {
		if err := allows([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, c := range seedRefusals {
		switch c.name {
		case "unknown service", "unknown field", "missing field", "wrong type":
			if allows([]byte(c.text)) == nil {
				t.Errorf("the schema allows the document of %q", c.name)
			}
		}
	}
}
