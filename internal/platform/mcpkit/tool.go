// Package mcpkit is the plumbing of tool servers (Model Context Protocol): a
// table of tools becomes a server that lists them with their schemas, reads
// arguments as models write them, and answers over stdio or streamable HTTP.
// It knows no service: what a tool does is the service's, through the public
// wire API.
package mcpkit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Effect is what calling a tool does to the service.
type Effect int

const (
	Reads   Effect = iota // changes nothing
	Creates               // adds something with every call
	Ensures               // adds something, once however often it is called
	Updates               // overwrites what was there
)

// Tool is a row of a tool server's table. C is what the tools act through.
type Tool[C any] struct {
	Name        string
	Title       string // for people
	Description string // for the model: what it does, when to use it, what comes back
	Args        []Arg
	Output      string   // JSON Schema of the result
	Scopes      []string // any of them allows the call; none: every token may call it
	Effect      Effect
	// Run returns the result, a JSON object. A *Failure is shown to the model as it
	// is; any other error is logged and shown as an internal one.
	Run func(ctx context.Context, c C, a Args) (json.RawMessage, error)
}

// definition is how the tool is listed.
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

// Missing returns the scopes of which a token needs one for the tool, nil if it has one.
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
