// Package agentdiff translates suites of Agent-Diff, files of tests with
// assertions about inserted, deleted and changed rows, to tasks and seed
// documents.
//
// What a task cannot express is a Problem, and its test is left out.
package agentdiff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// suite is a file of tests.
type suite struct {
	ID      string              `json:"id"`
	Service string              `json:"service"`
	Strict  *bool               `json:"strict"`
	Ignored map[string][]string `json:"ignore_fields"`
	Tests   []test              `json:"tests"`
}

// test is an assignment of an agent with the assertions about the outcome.
type test struct {
	ID         string              `json:"id"`
	Name       string              `json:"name"`
	Prompt     string              `json:"prompt"`
	Type       string              `json:"type"`
	Template   string              `json:"seed_template"`
	Agent      string              `json:"impersonate_user_id"`
	Strict     *bool               `json:"strict"`
	Ignored    map[string][]string `json:"ignore_fields"`
	Assertions []assertion         `json:"assertions"`
	Aggregates []json.RawMessage   `json:"aggregates"`
	Metadata   map[string]any      `json:"metadata"`
}

// assertion is an assertion about the rows of a table.
type assertion struct {
	DiffType string         `json:"diff_type"`
	Entity   string         `json:"entity"`
	Where    map[string]any `json:"where"`
	Count    any            `json:"expected_count"`
	Changes  map[string]any `json:"expected_changes"`
	Ignore   []string       `json:"ignore"`
	Ignored  []string       `json:"ignore_fields"`
	About    string         `json:"description"`
}

// rows are the rows of a table of a seed template.
type rows []map[string]any

// decode decodes a JSON text, keeping integers exact. It accepts a byte order
// mark, which editors on Windows write.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	d.UseNumber()
	return d.Decode(into)
}

// Problem is something that a task or a seed document cannot express.
type Problem struct {
	Test  string // "" for the suite or a seed template
	Where string // such as assertions[2].where.blocks
	Text  string
}

// String returns the problem with its place.
func (p Problem) String() string {
	switch {
	case p.Test == "":
		return p.Where + ": " + p.Text
	case p.Where == "":
		return p.Test + ": " + p.Text
	}
	return p.Test + ", " + p.Where + ": " + p.Text
}

// text returns a column as text; "" for null.
func text(row map[string]any, column string) string {
	switch v := row[column].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// flag returns a column that is true or false.
func flag(row map[string]any, column string) bool {
	b, _ := row[column].(bool)
	return b
}

// number converts the numbers in a value to integers where possible.
func number(v any) any {
	switch n := v.(type) {
	case json.Number:
		if i, err := n.Int64(); err == nil {
			return i
		}
		f, err := n.Float64()
		switch {
		case err != nil:
			return n.String()
		case f == float64(int64(f)):
			return int64(f)
		}
		return f
	case []any:
		out := slices.Clone(n)
		for i := range out {
			out[i] = number(out[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(n))
		for name, one := range n {
			out[name] = number(one)
		}
		return out
	}
	return v
}
