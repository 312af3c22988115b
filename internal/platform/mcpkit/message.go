package mcpkit

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxID bounds ids that are numbers: the protocol library reads them as floats, and
// would reply with another one.
const maxID = 1 << 53

// malformed is an error about a text that is no message of JSON-RPC.
type malformed struct {
	code int64
	id   json.RawMessage // of the message, or null
	text string
}

// reply returns the error as a message.
func (m *malformed) reply() map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": m.id, "error": map[string]any{"code": m.code, "message": m.text}}
}

// status returns the HTTP status of the error: 200 for a call that fails, since
// clients do not read its reply with another status.
func (m *malformed) status() int {
	if m.code == jsonrpc.CodeInvalidParams {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// message is the part of a message of JSON-RPC that this package reads.
type message struct {
	ID      json.RawMessage // nil if absent
	Method  string
	isReply bool // it has no method
	params  json.RawMessage
}

// tool returns the name of the tool that a message calls, "" if it calls none.
func (m *message) tool() string {
	if m.Method != "tools/call" {
		return ""
	}
	return textOf(membersOf(m.params)["name"])
}

// calls are the messages of one text.
type calls struct {
	list  []message
	batch bool // the text is an array, and so is the reply
}

// readCalls returns the messages of a text, or an error for a text that is neither a
// message nor a batch of messages. The library has no reply to some of them: it ends
// the connection.
func readCalls(text []byte) (c calls, wrong *malformed) {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return c, &malformed{jsonrpc.CodeParseError, noID, "Parse error: a message must be JSON."}
	}
	c.batch = text[0] == '['
	all := batch(text)
	if len(all) == 0 {
		return c, invalidMessage(noID, "the batch is empty")
	}
	for _, one := range all {
		m, wrong := readMessage(one)
		if wrong != nil {
			return c, wrong
		}
		if c.batch && m.isStray() {
			return c, invalidMessage(noID, "a reply in the batch has no id")
		}
		c.list = append(c.list, m)
	}
	return c, nil
}

var noID = json.RawMessage("null")

func invalidMessage(id json.RawMessage, text string) *malformed {
	return &malformed{jsonrpc.CodeInvalidRequest, id, "Invalid request: " + text + "."}
}

// readMessage returns a message, or an error for JSON that is none.
func readMessage(text []byte) (message, *malformed) {
	if text = bytes.TrimSpace(text); text[0] != '{' {
		return message{}, invalidMessage(noID, "a message must be a JSON object")
	}
	members := membersOf(text)
	id, method, params := members["id"], members["method"], members["params"]
	m := message{ID: id, Method: textOf(method), isReply: method == nil, params: params}
	if idKey(id) == "" {
		id = noID
	}
	switch {
	case textOf(members["jsonrpc"]) != "2.0":
		return m, invalidMessage(id, `jsonrpc must be "2.0"`)
	case m.isReply && members["result"] == nil && members["error"] == nil:
		return m, invalidMessage(id, "it has no method")
	case !m.isReply && method[0] != '"':
		return m, invalidMessage(id, "method must be a string")
	case !m.isReply && m.ID != nil && idKey(m.ID) == "":
		return m, invalidMessage(noID, "id must be a string or an integer")
	case params != nil && !bytes.ContainsAny(params[:1], "{[n"):
		return m, invalidMessage(id, "params must be an object")
	case m.Method == "initialize" && m.ID != nil && !canInitialize(params):
		return m, &malformed{jsonrpc.CodeInvalidParams, id, "Invalid params: of initialize, protocolVersion must be a string, capabilities and clientInfo objects."}
	}
	return m, nil
}

// canInitialize reports whether the parameters of the method initialize have the right
// types. To others the library replies with an error that has no code.
func canInitialize(params json.RawMessage) bool {
	var read *mcp.InitializeParams
	return json.Unmarshal(params, &read) == nil && read != nil
}

// isStray reports whether a message is a reply to nothing, which is ignored: the
// library would end the connection.
func (m *message) isStray() bool { return m.isReply && idKey(m.ID) == "" }

// membersOf returns the members of a message. Their names are compared as they are: a
// struct would also accept other cases, which the library does not.
func membersOf(text []byte) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(text, &m) // none of what is no object
	return m
}

// textOf returns a JSON string, "" for anything else.
func textOf(value json.RawMessage) (s string) {
	_ = json.Unmarshal(value, &s)
	return s
}

// idKey returns a text that is the same for equal ids, "" for what is no id.
func idKey(id json.RawMessage) string {
	if len(id) == 0 {
		return ""
	}
	if id[0] == '"' {
		var s string
		if json.Unmarshal(id, &s) != nil {
			return ""
		}
		return strconv.Quote(s)
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n > maxID || n < -maxID {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
