package mcpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

// Words is the dialect of a service whose refusals its tools show.
type Words interface {
	httpkit.Dialect
	httpkit.Breakable
}

// message is what this package reads of a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// calls are the messages of one request.
type calls struct {
	list  []message
	batch bool // the body is a list, and so is the reply
}

// readCalls returns the messages of a body; none of one that is no JSON-RPC.
func readCalls(body []byte) (c calls) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if c.batch = bytes.HasPrefix(body, []byte("[")); c.batch {
		_ = json.Unmarshal(body, &c.list)
		return c
	}
	var one message
	if json.Unmarshal(body, &one) == nil {
		c.list = []message{one}
	}
	return c
}

// operations returns the names that recordings have for the tools that are called.
func (c calls) operations(s *Server) (names []string) {
	for _, m := range c.list {
		if m.Method == "tools/call" && s.tools[m.Params.Name] {
			names = append(names, record.ToolPrefix+m.Params.Name)
		}
	}
	return names
}

// begin notes which tools a request calls and on whose behalf, and asks the
// fault rules. It reports whether the request goes on; else it is answered.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, o opened, c calls) bool {
	operations := c.operations(o.server)
	if operations == nil {
		return true
	}
	record.SetOperations(w, operations)
	if o.caller.Principal != "" {
		record.SetCaller(w, o.caller)
	}
	answer := func(w http.ResponseWriter, err error) { h.answerInjected(w, r, o.server, c, err) }
	if t := record.From(r.Context()); t != nil {
		t.Broken.Answer = answer
	}
	if err := record.Begun(w, r); err != nil {
		answer(w, err)
		return false
	}
	return true
}

// answerInjected answers calls of tools with a refusal that a fault rule orders:
// as the tools would show it if the service had refused their own calls so.
func (h *Handler) answerInjected(w http.ResponseWriter, r *http.Request, s *Server, c calls, err error) {
	said := &reply{header: http.Header{}}
	h.words.WriteError(said, r, err)
	f := &Failure{Body: map[string]string{"error": "internal_error"}}
	if shown := (*Failure)(nil); errors.As(s.failure(said.response(r)), &shown) {
		f = shown
	}
	var out []any
	for _, m := range c.list {
		if m.ID == nil {
			continue // a notification has no answer
		}
		one := map[string]any{"jsonrpc": "2.0", "id": m.ID}
		if m.Method == "tools/call" {
			one["result"] = refused(f)
		} else {
			one["error"] = map[string]any{"code": -32603, "message": f.Message}
		}
		out = append(out, one)
	}
	switch {
	case out == nil:
		w.WriteHeader(http.StatusAccepted)
	case c.batch:
		httpkit.WriteJSON(w, http.StatusOK, out)
	default:
		httpkit.WriteJSON(w, http.StatusOK, out[0])
	}
}

// Refusal returns the error of the service's own dialect with a code, nil for a
// code that it does not have. No status goes with it: a call of a tool is
// answered with 200 and a result that says what went wrong.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	e, _ := h.words.Refusal(status, code)
	return e, 0
}
