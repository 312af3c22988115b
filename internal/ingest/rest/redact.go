package rest

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest/redaction"
)

var redactedValue = func() *fastjson.Value {
	v := fastjson.MustParse(`"` + redaction.Text + `"`)
	v.Type() // the first look at a parsed value changes it, which two requests must not do at once
	return v
}()

// mayHold reports whether a name may be a credential's, by the letters that all
// such names contain. Most names need no closer look.
func mayHold(name []byte) bool {
	return len(name) >= 5 && bytes.ContainsAny(name, "ktpKTPwsWS")
}

// redact removes credentials from an object or array, at any depth. Numbers and
// booleans stay: a count of tokens is not a token.
func redact(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeObject:
		o, _ := v.Object()
		var found []string
		o.Visit(func(key []byte, m *fastjson.Value) {
			if mayHold(key) && isSecret(key, m) {
				found = append(found, string(key))
				return
			}
			if t := m.Type(); t == fastjson.TypeObject || t == fastjson.TypeArray {
				redact(m)
			}
		})
		for _, key := range found {
			o.Set(key, redactedValue)
		}
	case fastjson.TypeArray:
		items, _ := v.Array()
		for _, m := range items {
			redact(m)
		}
	}
}

func isSecret(key []byte, v *fastjson.Value) bool {
	switch v.Type() {
	case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse, fastjson.TypeNull:
		return false
	}
	return redaction.IsCredential(string(key))
}

// redactMember is redact for one member.
func redactMember(key []byte, v *fastjson.Value) {
	if isSecret(key, v) {
		*v = *redactedValue
		return
	}
	redact(v)
}

// blank removes the caller's own credential from a text: the published clients
// write it into bodies and session ids.
func (c *caller) blank(s string) string {
	if !c.lenient || c.credential == "" || !strings.Contains(s, c.credential) {
		return s
	}
	return strings.ReplaceAll(s, c.credential, redaction.Text)
}
