package rest

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest/redaction"
	"understudy/internal/platform/record"
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

// redact replaces credentials in an object or array, at any depth, and hides them from
// the recording of the request. It keeps numbers and booleans: a count of tokens is not
// a token.
func (c *caller) redact(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeObject:
		o, _ := v.Object()
		var found []string
		o.Visit(func(key []byte, m *fastjson.Value) {
			if mayHold(key) && isSecret(key, m) {
				found = append(found, string(key))
				c.hide(m)
				return
			}
			if t := m.Type(); t == fastjson.TypeObject || t == fastjson.TypeArray {
				c.redact(m)
			}
		})
		for _, key := range found {
			o.Set(key, redactedValue)
		}
	case fastjson.TypeArray:
		items, _ := v.Array()
		for _, m := range items {
			c.redact(m)
		}
	}
}

// hide hides the texts of a credential from the recording of the request.
func (c *caller) hide(v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeString:
		text, _ := v.StringBytes()
		record.Hide(c.recording, string(text))
	case fastjson.TypeObject:
		o, _ := v.Object()
		o.Visit(func(_ []byte, m *fastjson.Value) { c.hide(m) })
	case fastjson.TypeArray:
		items, _ := v.Array()
		for _, m := range items {
			c.hide(m)
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
func (c *caller) redactMember(key []byte, v *fastjson.Value) {
	if isSecret(key, v) {
		c.hide(v)
		*v = *redactedValue
		return
	}
	c.redact(v)
}

// blank replaces the caller's own credential in a text from a published client:
// such clients write it into bodies and session ids. Other texts stay unchanged.
func (c *caller) blank(s string) string {
	if !c.lenient || c.credential == "" || !strings.Contains(s, c.credential) {
		return s
	}
	return strings.ReplaceAll(s, c.credential, redaction.Text)
}
