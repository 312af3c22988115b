// Command schemagen generates the tracker's GraphQL schema and the list of what
// it leaves out.
//
// Its input types.json describes the types of the upstream API that the official
// client uses: for each field its type, its arguments and the lowest tier ("A",
// "B" or "C") of the client's documents that select it. The schema consists of
// these types and those of additions.json, without output fields of undescribed
// types; areas.go marks input fields of areas that the service lacks as
// @unserved. Run it with `go generate ./internal/tracker/graph/...`; a test fails
// when the committed files differ from its output.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

//go:embed types.json
var typesJSON []byte

// additions.json, of the same form, holds what types.json lacks: fields of
// older versions of the client, fields of other areas that programs select,
// and the queries of these areas.
//
//go:embed additions.json
var additionsJSON []byte

func main() {
	schemaPath := flag.String("schema", "schema.graphql", "where the SDL goes")
	docPath := flag.String("doc", "", "the Markdown file that holds the list of cuts")
	flag.Parse()
	if err := run(*schemaPath, *docPath); err != nil {
		log.Fatal(err)
	}
}

func run(schemaPath, docPath string) error {
	sdl, list, err := Generate()
	if err != nil {
		return err
	}
	if err := os.WriteFile(schemaPath, []byte(sdl), 0o644); err != nil {
		return err
	}
	if docPath == "" {
		return nil
	}
	old, err := os.ReadFile(docPath)
	if err != nil {
		return err
	}
	page, err := replaceSection(string(old), list)
	if err != nil {
		return fmt.Errorf("%s: %w", docPath, err)
	}
	return os.WriteFile(docPath, []byte(page), 0o644)
}

// Generate returns the SDL and the Markdown list of what the service lacks.
func Generate() (sdl, list string, err error) {
	var all, more map[string]*typeDef
	if err := errors.Join(json.Unmarshal(typesJSON, &all), json.Unmarshal(additionsJSON, &more)); err != nil {
		return "", "", err
	}
	extend(all, more)
	kept, cut := trim(all)
	return printSDL(kept), printCuts(cut), nil
}

const (
	beginCuts = "<!-- schema cuts: written by schemagen -->"
	endCuts   = "<!-- end of schema cuts -->"
)

// replaceSection puts list between the two marks of page.
func replaceSection(page, list string) (string, error) {
	before, rest, ok := strings.Cut(page, beginCuts)
	_, after, ok2 := strings.Cut(rest, endCuts)
	if !ok || !ok2 {
		return "", fmt.Errorf("the marks %q and %q are missing", beginCuts, endCuts)
	}
	return before + beginCuts + "\n" + list + endCuts + after, nil
}
