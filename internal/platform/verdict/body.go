package verdict

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/verdict/match"
)

// bodyOf returns what a body holds: JSON, or the fields of a form, of which a
// value that is JSON counts as what it says.
func bodyOf(text []byte) any {
	if json.Valid(text) {
		return match.Normal(json.RawMessage(text))
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil
	}
	out := map[string]any{}
	for name, list := range values {
		v := list[len(list)-1]
		out[name] = v
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if inner := match.Normal(json.RawMessage(v)); inner != nil {
				out[name] = inner
			}
		}
	}
	return out
}

// pointed returns what a JSON pointer leads to; nil for nothing.
func pointed(v any, pointer string) any {
	if pointer == "" {
		return v
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
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

// codePlaces are where the dialects of services have the code of a refusal.
var codePlaces = []string{"/errors/0/extensions/code", "/category", "/error/code", "/error", "/code"}

// codeOf returns the code of a refusal, nil for a reply that has none.
func codeOf(reply []byte) any {
	body := match.Normal(json.RawMessage(reply))
	for _, place := range codePlaces {
		if code, ok := pointed(body, place).(string); ok {
			return code
		}
	}
	return nil
}

// readsBodies reports whether a rule of the document looks into requests or replies.
func (d *Document) readsBodies() bool {
	return slices.ContainsFunc(d.trajectory, func(r *rule) bool {
		return r.act == noRepeats || slices.ContainsFunc(r.selectors, func(s *selector) bool { return s.code != nil || len(s.body) > 0 })
	})
}
