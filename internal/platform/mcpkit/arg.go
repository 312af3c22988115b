package mcpkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Kind is the type of an argument.
type Kind int

const (
	Text    Kind = iota
	Integer      // an integer; rejected outside Min and Max
	Count        // a number of results; more than Max means Max
	Flag
	List // of texts
)

// Arg is an argument of a tool.
type Arg struct {
	Name        string
	Aliases     []string // accepted names that are not listed
	Kind        Kind
	Required    bool
	Nullable    bool // null is a value: it removes the current one
	Empty       bool // the empty string is a value; otherwise it counts as absent
	Default     any  // of the Kind's Go type: string, int, bool
	Min, Max    int  // of Integer and Count
	Enum        []string
	Example     string
	Description string
}

func inputSchema(args []Arg) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, a := range args {
		s.Properties[a.Name] = a.schema()
		s.PropertyOrder = append(s.PropertyOrder, a.Name)
		if a.Required {
			s.Required = append(s.Required, a.Name)
		}
	}
	return s
}

func (a *Arg) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Description: a.Description, Type: a.Kind.jsonType()}
	if a.Nullable {
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
	if a.Kind == List {
		s.Items = &jsonschema.Schema{Type: "string"}
	}
	if a.Kind == Integer || a.Kind == Count {
		least, most := float64(a.Min), float64(a.Max)
		s.Minimum, s.Maximum = &least, &most
	}
	for _, v := range a.Enum {
		s.Enum = append(s.Enum, v)
	}
	if a.Default != nil {
		s.Default, _ = json.Marshal(a.Default)
	}
	if a.Example != "" {
		s.Examples = []any{a.Example}
	}
	return s
}

func (k Kind) jsonType() string {
	return [...]string{"string", "integer", "number", "boolean", "array"}[k]
}

// Args are the decoded arguments of a call, with defaults.
type Args struct{ values map[string]any }

// ArgsOf returns arguments with decoded values: string, int, bool, []string or
// nil.
func ArgsOf(values map[string]any) Args { return Args{values} }

// Has reports whether the caller sent the argument; null counts if it is a value.
func (a Args) Has(name string) bool { _, ok := a.values[name]; return ok }

// Null reports whether the caller sent null.
func (a Args) Null(name string) bool { v, ok := a.values[name]; return ok && v == nil }

// Text returns an argument of kind Text, or "".
func (a Args) Text(name string) string { s, _ := a.values[name].(string); return s }

// Int returns an argument of kind Integer or Count, or 0.
func (a Args) Int(name string) int { n, _ := a.values[name].(int); return n }

// Flag returns an argument of kind Flag, or false.
func (a Args) Flag(name string) bool { b, _ := a.values[name].(bool); return b }

// List returns an argument of kind List, or nil.
func (a Args) List(name string) []string { l, _ := a.values[name].([]string); return l }

// readArgs decodes arguments as models write them: it accepts numbers as strings
// and strings as numbers, and treats an empty string as absent. It returns
// unknown names, and a sentence when the arguments are invalid.
func readArgs(spec []Arg, raw json.RawMessage) (out Args, unknown []string, bad string) {
	given := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return out, nil, "The arguments must be a JSON object."
		}
	}
	out.values = map[string]any{}
	var lacking []string
	for i := range spec {
		a := &spec[i]
		value, err := a.read(a.take(given))
		switch {
		case err != nil:
			return out, nil, err.Error()
		case value != nil:
			out.values[a.Name] = value.v
		case a.Required:
			lacking = append(lacking, a.Name)
		case a.Default != nil:
			out.values[a.Name] = a.Default
		}
	}
	if lacking != nil {
		return out, nil, "Missing required arguments: " + strings.Join(lacking, " and ") + "."
	}
	for name := range given {
		unknown = append(unknown, name)
	}
	slices.Sort(unknown)
	return out, unknown, ""
}

// take removes the argument, under any of its names, from given.
func (a *Arg) take(given map[string]json.RawMessage) json.RawMessage {
	var found json.RawMessage
	for _, name := range append([]string{a.Name}, a.Aliases...) {
		if v, ok := given[name]; ok {
			delete(given, name)
			if found == nil {
				found = v
			}
		}
	}
	return found
}

// value is a decoded argument; v is nil for null.
type value struct{ v any }

// read returns nil for an absent argument.
func (a *Arg) read(raw json.RawMessage) (*value, error) {
	text := strings.TrimSpace(string(raw))
	if text == "" || text == "null" && !a.Nullable {
		return nil, nil
	}
	if text == "null" {
		return &value{}, nil
	}
	if text[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" && !a.Empty {
			return nil, nil
		}
		return a.readText(text)
	}
	switch {
	case a.Kind == List && text[0] == '[':
		return a.readList(raw)
	case a.Kind == Text && (text[0] == '-' || text[0] >= '0' && text[0] <= '9'),
		(a.Kind == Integer || a.Kind == Count) && text[0] != '{' && text[0] != '[', a.Kind == Flag:
		return a.readText(text)
	}
	return nil, a.mustBe()
}

func (a *Arg) readText(text string) (*value, error) {
	switch a.Kind {
	case Integer, Count:
		f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || f != float64(int(f)) || int(f) < a.Min || int(f) > a.Max && a.Kind == Integer {
			return nil, a.mustBe()
		}
		return &value{min(int(f), a.Max)}, nil
	case Flag:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, a.mustBe()
		}
		return &value{b}, nil
	case List:
		return &value{split(text)}, nil
	}
	if a.Enum != nil && !slices.Contains(a.Enum, text) {
		return nil, a.mustBe()
	}
	return &value{text}, nil
}

func (a *Arg) readList(raw json.RawMessage) (*value, error) {
	list := []string{}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, a.mustBe()
	}
	return &value{list}, nil
}

func split(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (a *Arg) mustBe() error {
	what := "a text"
	switch a.Kind {
	case Integer, Count:
		what = fmt.Sprintf("a whole number from %d to %d", a.Min, a.Max)
	case Flag:
		what = "true or false"
	case List:
		what = "a list of texts"
	}
	if a.Enum != nil {
		what = orList(a.Enum)
	}
	if a.Nullable {
		what += ", or null"
	}
	return sentence(fmt.Sprintf("The argument %s must be %s.", a.Name, what))
}

// sentence is an error text for a model.
type sentence string

func (s sentence) Error() string { return string(s) }

// usage returns a line that lists a tool's arguments.
func usage(args []Arg) string {
	if len(args) == 0 {
		return "no arguments"
	}
	var out []string
	for _, a := range args {
		s := a.Name
		if a.Required {
			s += " (required)"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
