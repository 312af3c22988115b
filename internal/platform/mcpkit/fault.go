package mcpkit

import (
	"errors"
	"net/http"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

// Words writes errors in a service's dialect, for its tools.
type Words interface {
	httpkit.Dialect
	httpkit.Breakable
}

// operations returns the names of the called tools in recordings.
func (c calls) operations(s *Server) (names []string) {
	for i := range c.list {
		if name := c.list[i].tool(); s.tools[name] {
			names = append(names, record.ToolPrefix+name)
		}
	}
	return names
}

// begin records the tools that a request calls and its caller, and applies fault
// rules. It returns false if it has replied.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, o opened, c calls) bool {
	if o.caller.Principal != "" {
		record.SetCaller(w, o.caller)
	}
	operations := c.operations(o.server)
	if operations == nil {
		return true
	}
	record.SetOperations(w, operations)
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

// answerInjected replies to calls of tools with an injected error, in the form of
// the tools for an error of the service.
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
			continue // a notification has no reply
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

// Refusal returns the error of the service's dialect with a code, nil for an
// unknown code. The status is unused: calls of tools have status 200 and a result
// with the error.
func (h *Handler) Refusal(status int, code string) (*fault.Error, int) {
	e, _ := h.words.Refusal(status, code)
	return e, 0
}
