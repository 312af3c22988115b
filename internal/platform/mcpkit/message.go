package mcpkit

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// checkMessages returns an error for a text that is neither a message nor a batch of
// messages. The library has no reply to some of them: it ends the connection.
func checkMessages(text []byte) *malformed {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return &malformed{jsonrpc.CodeParseError, noID, "Parse error: a message must be JSON."}
	}
	if text[0] != '[' {
		return checkMessage(text)
	}
	all := batch(text)
	if len(all) == 0 {
		return invalidMessage(noID, "the batch is empty")
	}
	for _, one := range all {
		if wrong := checkMessage(one); wrong != nil {
			return wrong
		}
		if isStray(one) {
			return invalidMessage(noID, "a reply in the batch has no id")
		}
	}
	return nil
}

var noID = json.RawMessage("null")

func invalidMessage(id json.RawMessage, text string) *malformed {
	return &malformed{jsonrpc.CodeInvalidRequest, id, "Invalid request: " + text + "."}
}

// checkMessage returns an error for JSON that is no message.
func checkMessage(text []byte) *malformed {
	if text = bytes.TrimSpace(text); text[0] != '{' {
		return invalidMessage(noID, "a message must be a JSON object")
	}
	m := membersOf(text)
	id, method, params := m["id"], m["method"], m["params"]
	if idKey(id) == "" {
		id = noID
	}
	switch {
	case textOf(m["jsonrpc"]) != "2.0":
		return invalidMessage(id, `jsonrpc must be "2.0"`)
	case method == nil && m["result"] == nil && m["error"] == nil:
		return invalidMessage(id, "it has no method")
	case method != nil && method[0] != '"':
		return invalidMessage(id, "method must be a string")
	case method != nil && m["id"] != nil && idKey(m["id"]) == "":
		return invalidMessage(noID, "id must be a string or an integer")
	case params != nil && !bytes.ContainsAny(params[:1], "{[n"):
		return invalidMessage(id, "params must be an object")
	}
	return nil
}

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
