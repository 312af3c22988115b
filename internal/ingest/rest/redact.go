package rest

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest/redaction"
)

var redactedValue = func() *fastjson.Value {
	v := fastjson.MustParse(`"` + redaction.Text + `"`)
	v.Type() // the first call writes to the value, which is a race once requests share it
	return v
}()

// mayHold reports whether a name contains a letter that the names of credentials
// have. It excludes most other names without a comparison.
func mayHold(name []byte) bool {
	return len(name) >= 5 && bytes.ContainsAny(name, "kpstwxKPSTWX")
}

// redact replaces credentials in an object or array, at any depth. It keeps numbers
// and booleans: a count of tokens is not a token.
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

// redactMember is redact for one member of an object.
func redactMember(key []byte, v *fastjson.Value) {
	if isSecret(key, v) {
		*v = *redactedValue
		return
	}
	redact(v)
}

// blank replaces the caller's own credential in a text from a published client:
// such clients write it into bodies and session ids. Other texts stay unchanged.
func (c *caller) blank(s string) string {
	if !c.lenient || c.credential == "" || !strings.Contains(s, c.credential) {
		return s
	}
	return strings.ReplaceAll(s, c.credential, redaction.Text)
}
