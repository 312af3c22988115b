package mcpkit

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"understudy/internal/platform/httpkit"
)

// refusals is a ResponseWriter that holds back plain-text errors of the protocol
// library, so that they can be written as JSON-RPC.
type refusals struct {
	http.ResponseWriter
	status int // of the error; 0 for none
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

// Unwrap returns the server's writer, for http.ResponseController.
func (w *refusals) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish replies with the error that was held back, if any. The reply to a call
// of an unknown method has status 200 and a JSON-RPC error, as in MCP before
// version 2026-07-28 (for later ones the library does so itself): clients do not
// read replies with another status. An unknown notification is accepted and ignored.
// Other errors keep their status.
func (w *refusals) finish(c calls) {
	if w.status == 0 {
		return
	}
	message := strings.TrimSpace(string(w.text))
	status, id, code := w.status, json.RawMessage("null"), int64(jsonrpc.CodeInvalidRequest)
	if !c.batch && len(c.list) == 1 && c.list[0].ID != nil {
		id = c.list[0].ID
	}
	switch {
	case c.isUnknown(message) && c.list[0].ID == nil: // a notification that means nothing here
		w.ResponseWriter.WriteHeader(http.StatusAccepted)
		return
	case c.isUnknown(message):
		status, code = http.StatusOK, jsonrpc.CodeMethodNotFound
		message = "There is no method " + strconv.Quote(c.list[0].Method) + "."
	}
	httpkit.WriteJSON(w.ResponseWriter, status, map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
}

// isUnknown reports whether an error of the library means that the method of a
// request's only message is unknown.
func (c calls) isUnknown(refusal string) bool {
	return !c.batch && len(c.list) == 1 && strings.HasSuffix(refusal, strconv.Quote(c.list[0].Method)+" unsupported")
}
