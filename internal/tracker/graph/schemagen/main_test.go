package main

import (
	"os"
	"strings"
	"testing"
)

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

// Every cut that cuts.go declares cuts something, so that none outlives what it names.
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
