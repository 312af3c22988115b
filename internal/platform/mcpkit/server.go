package mcpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/platform/record"
)

// Table is the tools of a service, prepared once for all its servers.
type Table[C any] struct {
	tools []Tool[C]
	list  func() []*mcp.Tool
}

// NewTable returns a table of tools.
func NewTable[C any](tools ...Tool[C]) *Table[C] {
	return &Table[C]{tools: tools, list: sync.OnceValue(func() []*mcp.Tool {
		out := make([]*mcp.Tool, len(tools))
		for i := range tools {
			out[i] = tools[i].definition()
		}
		return out
	})}
}

// Tools returns the rows of the table.
func (t *Table[C]) Tools() []Tool[C] { return t.tools }

// Operations returns the names of tool calls in recordings.
func (t *Table[C]) Operations() []string {
	names := make([]string, len(t.tools))
	for i := range t.tools {
		names[i] = record.ToolPrefix + t.tools[i].Name
	}
	return names
}

// inOrder lists the tools in the order of the table; the library would sort them
// by name.
func (t *Table[C]) inOrder(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		out, err := next(ctx, method, r)
		if list, ok := out.(*mcp.ListToolsResult); ok && err == nil {
			slices.SortFunc(list.Tools, func(a, b *mcp.Tool) int { return t.place(a.Name) - t.place(b.Name) })
		}
		return out, err
	}
}

func (t *Table[C]) place(name string) int {
	return slices.IndexFunc(t.tools, func(x Tool[C]) bool { return x.Name == name })
}

// Identity describes the user of a server, read once on creation.
type Identity struct {
	Name         string // of the server, such as "understudy-messaging"
	Title        string
	Instructions string   // for the model: its user, and where to begin
	Scopes       []string // of the token
	// Refuse returns an error in the service's form. The detail of the code
	// "missing_scope" lists the scopes, each of which suffices.
	Refuse func(code, detail, hint string) *Failure
	// Failure returns the *Failure for an error reply of the service, nil for other
	// replies.
	Failure func(*http.Response) error
}

// Server is a tool server for one identity.
type Server struct {
	mcp     *mcp.Server
	tools   map[string]bool // by name
	failure func(*http.Response) error
	// ended is called when the service rejects the token.
	ended func()
}

// NewServer returns a server of the table's tools.
func NewServer[C any](table *Table[C], id Identity, client C, log *slog.Logger) *Server {
	s := &Server{mcp: mcp.NewServer(
		&mcp.Implementation{Name: id.Name, Title: id.Title, Version: version()},
		&mcp.ServerOptions{Instructions: id.Instructions, Logger: quiet(log),
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }}), // lists depend on the token
		tools: map[string]bool{}, failure: id.Failure, ended: func() {}}
	s.mcp.AddReceivingMiddleware(table.inOrder)
	for i, listed := range table.list() {
		t := &table.tools[i]
		s.tools[t.Name] = true
		if lacks := t.missing(id.Scopes); lacks != nil {
			changed := *listed
			changed.Description += " Not available: the token lacks the scope " + orList(lacks) + "."
			listed = &changed
		}
		s.mcp.AddTool(listed, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			trace, _ := r.Params.Meta["traceparent"].(string)
			ctx = record.WithTool(ctx, t.Name, trace)
			out := answer(ctx, s, t, id, client, r.Params.Arguments, log)
			if seq := record.SeqOf(ctx); seq > 0 {
				out.Meta = mcp.Meta{"request_seq": seq}
			}
			return out, nil
		})
	}
	return s
}

// answer calls a tool. Its errors are results for the model, never protocol
// errors.
func answer[C any](ctx context.Context, s *Server, t *Tool[C], id Identity, client C, raw json.RawMessage, log *slog.Logger) (out *mcp.CallToolResult) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("a tool panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			out = refused(id.Refuse("internal_error", "The tool failed.", "Try again; if it fails again, try another way."))
		}
	}()
	if lacks := t.missing(id.Scopes); lacks != nil {
		return refused(id.Refuse("missing_scope", strings.Join(lacks, ","),
			fmt.Sprintf("The token lacks the scope %s, which %s needs. Do without this tool, or ask for a token that has the scope.", orList(lacks), t.Name)))
	}
	args, unknown, bad := readArgs(t.Args, raw)
	if bad != "" {
		return refused(id.Refuse("invalid_arguments", bad, fmt.Sprintf("%s takes %s. Call it again with them right.", t.Name, usage(t.Args))))
	}
	result, err := t.Run(ctx, client, args)
	var f *Failure
	switch {
	case errors.As(err, &f):
		if f.Status == http.StatusUnauthorized {
			s.ended()
		}
		return refused(f)
	case err != nil:
		log.Error("a tool failed", "tool", t.Name, "error", err)
		return refused(id.Refuse("internal_error", "The tool failed.", "Try again; if it fails again, try another way."))
	}
	out = &mcp.CallToolResult{StructuredContent: result, Content: []mcp.Content{&mcp.TextContent{Text: string(result)}}}
	if unknown != nil {
		out.Content = append(out.Content, &mcp.TextContent{Text: fmt.Sprintf(
			"Note: %s knows no argument %s and ignored it. It takes %s.", t.Name, strings.Join(unknown, ", "), usage(t.Args))})
	}
	return out
}

// refused returns a result with text only: a structured result would have to
// match the tool's output schema.
func refused(f *Failure) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: f.text()}}}
}

// version returns the program's version from the build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return strings.Trim(info.Main.Version, "()")
	}
	return "devel"
}

// quiet returns a logger that writes at level debug, since the protocol library
// logs each connection.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(lower{log.Handler()}) }

type lower struct{ slog.Handler }

func (l lower) Enabled(ctx context.Context, level slog.Level) bool {
	return l.Handler.Enabled(ctx, min(level, slog.LevelDebug))
}

func (l lower) Handle(ctx context.Context, r slog.Record) error {
	r.Level = min(r.Level, slog.LevelDebug)
	return l.Handler.Handle(ctx, r)
}

func (l lower) WithAttrs(a []slog.Attr) slog.Handler { return lower{l.Handler.WithAttrs(a)} }
func (l lower) WithGroup(name string) slog.Handler   { return lower{l.Handler.WithGroup(name)} }
