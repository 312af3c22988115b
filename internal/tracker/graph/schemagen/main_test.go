package main

import (
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// Everything in the schema says what it is.
func TestEverythingIsDescribed(t *testing.T) {
	sdl, _, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: sdl})
	if err != nil {
		t.Fatal(err)
	}
	check := func(description, where string) {
		if len(description) < 5 || !strings.HasSuffix(description, ".") {
			t.Errorf("%s: %q", where, description)
		}
		if repeats(where, description) {
			t.Errorf("%s: %q says no more than the name", where, description)
		}
	}
	for name, def := range schema.Types {
		if def.BuiltIn || strings.HasPrefix(name, "__") {
			continue
		}
		check(def.Description, name)
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			check(f.Description, name+"."+f.Name)
			for _, a := range f.Arguments {
				check(a.Description, name+"."+f.Name+"("+a.Name+")")
			}
		}
		for _, v := range def.EnumValues {
			check(v.Description, name+"."+v.Name)
		}
	}
}

// repeats reports whether a description says nothing but the name: its words,
// with or without an article.
func repeats(where, description string) bool {
	name := where[strings.LastIndexAny(where, ".(")+1:]
	text := strings.ToLower(strings.TrimSuffix(description, "."))
	for _, article := range []string{"the ", "an ", "a "} {
		text = strings.TrimPrefix(text, article)
	}
	return text == strings.ToLower(words(strings.TrimSuffix(name, ")")))
}

// What is committed is what the generator writes.
func TestCommittedSchemaIsGenerated(t *testing.T) {
	sdl, list, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != sdl {
		t.Error("schema.graphql is stale: run go generate ./internal/tracker/graph/...")
	}
	page, err := os.ReadFile("../../../../docs/divergences/tracker.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := replaceSection(string(page), list); err != nil || string(page) != want {
		t.Errorf("the list of cuts in docs/divergences/tracker.md is stale: run go generate ./internal/tracker/graph/... (%v)", err)
	}
}

// Every cut that areas.go declares cuts something, so that none outlives what it names.
func TestEveryCutCuts(t *testing.T) {
	_, list, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	for key := range unservedFields {
		typ, field, _ := strings.Cut(key, ".")
		if typ == "*" {
			typ = ""
		}
		found := false
		for _, line := range strings.Split(list, "\n") {
			found = found || strings.HasPrefix(line, "- `"+typ) && strings.Contains(line, "`"+field+"`")
		}
		if !found {
			t.Errorf("%s cuts nothing", key)
		}
	}
}
