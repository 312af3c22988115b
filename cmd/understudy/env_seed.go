package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// document is the text of a seed document.
type document struct{ text string }

// contentType returns the media type of a document, JSON or YAML, judged by its
// first character.
func (d document) contentType() string {
	if strings.HasPrefix(strings.TrimSpace(d.text), "{") {
		return "application/json"
	}
	return "application/yaml"
}

// readDocument reads a seed document from a file; "-" is standard input.
func readDocument(path string) (document, error) {
	if path == "-" {
		text, err := io.ReadAll(os.Stdin)
		return document{string(text)}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return document{}, usageError{err}
	}
	return document{string(text)}, nil
}

type envSeed struct {
	one
	File string `arg:"" help:"File of the seed document, YAML or JSON; - reads standard input."`
}

// Run applies a seed document and prints how many named things it created.
func (c *envSeed) Run() error {
	doc, err := readDocument(c.File)
	if err != nil {
		return err
	}
	return c.run(http.MethodPost, envPath(c.Environment, "/seed"), doc, func(reply map[string]any) {
		made, _ := reply["made"].(map[string]any)
		printMade(made)
	})
}

// printMade prints the number of named things of each kind.
func printMade(made map[string]any) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
		kinds, _ := made[service].(map[string]any)
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			if list, _ := kinds[kind].(map[string]any); len(list) > 0 {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%d\n", service, kind, len(list))
			}
		}
	}
	_ = w.Flush()
}

// countsText lists the number of things of each kind.
func countsText(counts map[string]any) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %v", kind, counts[kind]))
	}
	return strings.Join(parts, ", ")
}
