package mcpkit

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"understudy/internal/platform/httpkit"
)

// refusals is a ResponseWriter that holds back what the protocol library refuses
// in plain text, so that it can be answered as JSON-RPC.
type refusals struct {
	http.ResponseWriter
	status int // of the refusal; 0 for none
	text   []byte
}

func (w *refusals) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.Header().Del("Content-Type")
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *refusals) Write(b []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(b)
	}
	w.text = append(w.text, b...)
	return len(b), nil
}

// Unwrap allows http.ResponseController to reach the server's writer.
func (w *refusals) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish answers a request with the refusal that was held back, if there is one.
// A call of a method that the library does not know is answered with 200 and the
// error of JSON-RPC, as MCP has it until the version 2026-07-28 (for later ones
// the library answers by itself): clients read no reply of another status. Other
// refusals have their status.
func (w *refusals) finish(c calls) {
	if w.status == 0 {
		return
	}
	message := strings.TrimSpace(string(w.text))
	status, id, code := w.status, json.RawMessage("null"), int64(jsonrpc.CodeInvalidRequest)
	switch {
	case c.isUnknown(message):
		status, id, code = http.StatusOK, c.list[0].ID, jsonrpc.CodeMethodNotFound
		message = "There is no method " + strconv.Quote(c.list[0].Method) + "."
	case strings.HasPrefix(message, "malformed payload"):
		code = jsonrpc.CodeParseError
	}
	httpkit.WriteJSON(w.ResponseWriter, status, map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
}

// isUnknown reports whether a refusal of the library says that the method of the
// one call of a request is unknown.
func (c calls) isUnknown(refusal string) bool {
	return !c.batch && len(c.list) == 1 && c.list[0].ID != nil && strings.HasSuffix(refusal, strconv.Quote(c.list[0].Method)+" unsupported")
}
