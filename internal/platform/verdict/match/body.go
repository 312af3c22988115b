package match

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// Body returns what the body of a request holds, in the types of Normal: JSON, or
// the fields of a form as an object of texts; nil for anything else. Of a field
// that is sent twice the last value counts, as the services read it. A field whose
// text is a JSON object or array counts as that.
func Body(text []byte) any {
	if json.Valid(text) {
		return Normal(json.RawMessage(text))
	}
	values, err := url.ParseQuery(string(text))
	if err != nil || len(values) == 0 {
		return nil
	}
	fields := make(map[string]any, len(values))
	for name, list := range values {
		v := list[len(list)-1]
		fields[name] = v
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if inner := Normal(json.RawMessage(v)); inner != nil {
				fields[name] = inner
			}
		}
	}
	return fields
}

// Pointer is a JSON pointer (RFC 6901): a place in a value, as the names and
// indexes that lead to it.
type Pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// ParsePointer reads a pointer such as "/properties/email"; "" is the whole value.
// It reports false for a text that does not begin with a slash.
func ParsePointer(text string) (Pointer, bool) {
	if text == "" {
		return nil, true
	}
	if text[0] != '/' {
		return nil, false
	}
	p := Pointer(strings.Split(text[1:], "/"))
	for i := range p {
		p[i] = unescape.Replace(p[i])
	}
	return p, true
}

// In returns what stands at the place in a value, nil for nothing.
func (p Pointer) In(v any) any {
	for _, step := range p {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}
