// Package mcpkit builds tool servers (Model Context Protocol): a table of tools
// becomes a server that lists them with their schemas, decodes arguments as
// models write them, and serves over stdio or streamable HTTP. The tools
// themselves belong to the services, whose public wire API they call.
package mcpkit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Effect is the effect of a tool on the service.
type Effect int

const (
	Reads   Effect = iota // changes nothing
	Creates               // adds something with each call
	Ensures               // adds something at most once
	Updates               // overwrites existing data
)

// Tool is a row of a tool server's table. C is the client that the tools use.
type Tool[C any] struct {
	Name        string
	Title       string // for people
	Description string // for the model: what the tool does, when to use it, what it returns
	Args        []Arg
	Output      string   // JSON Schema of the result
	Scopes      []string // each of them allows the call; empty for every token
	Effect      Effect
	// Run returns the result, a JSON object. The model receives a *Failure
	// unchanged; any other error is logged and reported as internal.
	Run func(ctx context.Context, c C, a Args) (json.RawMessage, error)
}

// definition returns the listed form of the tool.
func (t *Tool[C]) definition() *mcp.Tool {
	var output jsonschema.Schema
	if err := json.Unmarshal([]byte(t.Output), &output); err != nil {
		panic("output schema of " + t.Name + ": " + err.Error())
	}
	no := false
	hints := &mcp.ToolAnnotations{Title: t.Title, OpenWorldHint: &no, ReadOnlyHint: t.Effect == Reads, IdempotentHint: t.Effect != Creates}
	destructive := t.Effect == Updates
	hints.DestructiveHint = &destructive
	return &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, Annotations: hints,
		InputSchema: inputSchema(t.Args), OutputSchema: &output}
}

// missing returns the scopes of which a token needs one for the tool, nil if it
// has one.
func (t *Tool[C]) missing(granted []string) []string {
	if len(t.Scopes) == 0 || slices.ContainsFunc(t.Scopes, func(s string) bool { return slices.Contains(granted, s) }) {
		return nil
	}
	return t.Scopes
}

func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
