package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// values are what placeholders stand for.
type values struct {
	given map[string]string          // lower case, from credentials.json
	kept  map[string]json.RawMessage // upper case, from replies: a JSON string or number
}

var (
	placeholder = regexp.MustCompile(`\$([a-z][a-z_]+|[A-Z]+[0-9]*)`)
	tsForm      = regexp.MustCompile(`^\d{10}\.\d{6}$`)
	idForm      = regexp.MustCompile(`^[A-Z][A-Z0-9]{8,}$`)
	intForm     = regexp.MustCompile(`^-?\d+$`)
)

// fill replaces every placeholder by what it stands for.
func (v *values) fill(text string) (string, error) {
	var unknown error
	out := placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if s, ok := v.lookup(p[1:]); ok {
			return s
		}
		unknown = fmt.Errorf("%s stands for nothing yet", p)
		return p
	})
	return out, unknown
}

func (v *values) lookup(name string) (string, bool) {
	if s, ok := v.given[name]; ok {
		return s, true
	}
	raw, ok := v.kept[name]
	if !ok {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	return string(raw), true
}

// compareBody returns the differences between a body and the one wanted.
func (v *values) compareBody(got []byte, want string, partly bool) ([]string, error) {
	if want == "" && partly {
		return nil, nil
	}
	w, err := decode([]byte(want))
	if err != nil {
		filled, err := v.fill(want)
		if err != nil {
			return nil, err
		}
		if string(got) != filled {
			return []string{fmt.Sprintf("body %q, want %q", got, filled)}, nil
		}
		return nil, nil
	}
	g, err := decode(got)
	if err != nil {
		return []string{fmt.Sprintf("the body is not JSON: %v", err)}, nil
	}
	return v.compare("", g, w, partly), nil
}

func decode(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var x any
	err := d.Decode(&x)
	return x, err
}

// compare walks both trees. With partly, members that want does not name may be there.
func (v *values) compare(path string, got, want any, partly bool) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{differ(path, got, "an object")}
		}
		var out []string
		for _, key := range slices.Sorted(maps.Keys(w)) {
			value, ok := g[key]
			if !ok {
				out = append(out, path+"."+key+" is missing")
				continue
			}
			out = append(out, v.compare(path+"."+key, value, w[key], partly)...)
		}
		for _, key := range slices.Sorted(maps.Keys(g)) {
			if _, ok := w[key]; !ok && !partly {
				out = append(out, path+"."+key+" is not wanted: "+show(g[key]))
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{differ(path, got, fmt.Sprintf("a list of %d", len(w)))}
		}
		var out []string
		for i := range w {
			out = append(out, v.compare(fmt.Sprintf("%s[%d]", path, i), g[i], w[i], partly)...)
		}
		return out
	case string:
		return v.compareString(path, got, w)
	}
	if !reflect.DeepEqual(got, want) {
		return []string{differ(path, got, show(want))}
	}
	return nil
}

func (v *values) compareString(path string, got any, want string) []string {
	if kind, ok := strings.CutPrefix(want, "<"); ok && strings.HasSuffix(kind, ">") {
		switch kind = strings.TrimSuffix(kind, ">"); kind {
		case "any":
			return nil
		case "string", "int", "ts", "id":
			if !isKind(kind, got) {
				return []string{differ(path, got, want)}
			}
			return nil
		}
	}
	if name := strings.TrimPrefix(want, "$"); placeholder.FindString(want) == want && want != "" {
		if _, known := v.lookup(name); !known {
			kind := kindOf(name)
			if !isKind(kind, got) {
				return []string{differ(path, got, "what "+want+" may hold ("+kind+")")}
			}
			raw, err := json.Marshal(got)
			if err != nil {
				return []string{path + ": " + err.Error()}
			}
			v.kept[name] = raw
			return nil
		}
		if raw, ok := v.kept[name]; ok && show(got) == string(raw) {
			return nil
		}
	}
	filled, err := v.fill(want)
	if err != nil {
		return []string{path + ": " + err.Error()}
	}
	if got != filled {
		return []string{differ(path, got, fmt.Sprintf("%q", filled))}
	}
	return nil
}

// kindOf returns what a placeholder may stand for, by the letters of its name.
func kindOf(name string) string {
	letters := strings.TrimRight(name, "0123456789")
	switch {
	case letters == "TS":
		return "ts"
	case letters == "N":
		return "int"
	case len(letters) == 1 && strings.Contains("TUBACDG", letters):
		return letters
	}
	return "string"
}

func isKind(kind string, got any) bool {
	n, number := got.(json.Number)
	s, text := got.(string)
	switch kind {
	case "int":
		return number && intForm.MatchString(n.String())
	case "ts":
		return text && tsForm.MatchString(s)
	case "id":
		return text && idForm.MatchString(s)
	case "string":
		return text
	}
	return text && idForm.MatchString(s) && strings.HasPrefix(s, kind)
}

func differ(path string, got any, want string) string {
	return fmt.Sprintf("%s is %s, want %s", path, show(got), want)
}

func show(x any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
