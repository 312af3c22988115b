package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"understudy/internal/platform/jsontext"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// inspect returns a decoded JSON value as text for a message. It shortens a large
// value as the reference implementation does, to two levels and ten items.
func inspect(v any) string { return inspectAt(v, 0) }

const inspectItems, inspectKeys, inspectDepth, inspectBytes = 10, 40, 2, 200

func inspectAt(v any, depth int) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		if len(x) > inspectBytes {
			x = strings.ToValidUTF8(x[:inspectBytes], "") + "…"
		}
		return string(jsontext.Append(nil, x))
	case json.Number:
		if len(x) > inspectBytes {
			x = x[:inspectBytes] + "…"
		}
		if f, err := x.Float64(); err == nil {
			return string(appendFloat(nil, f))
		}
		return x.String()
	case float64:
		return string(appendFloat(nil, x))
	case []any:
		if depth >= inspectDepth && len(x) > 0 {
			return "[Array]"
		}
		var items []string
		for i, item := range x {
			if i == inspectItems {
				rest := len(x) - i
				items = append(items, "... "+strconv.Itoa(rest)+" more item"+plural(rest))
				break
			}
			items = append(items, inspectAt(item, depth+1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		if len(x) == 0 {
			return "{}"
		}
		if depth >= inspectDepth {
			return "[Object]"
		}
		var items []string
		for i, k := range sortedKeys(x) {
			if i == inspectKeys {
				items = append(items, "...")
				break
			}
			items = append(items, k+": "+inspectAt(x[k], depth+1))
		}
		return "{ " + strings.Join(items, ", ") + " }"
	}
	return fmt.Sprint(v)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// printValue returns a literal in the syntax of documents.
func printValue(v *ast.Value) string {
	switch v.Kind {
	case ast.Variable:
		return "$" + v.Raw
	case ast.StringValue, ast.BlockValue:
		return string(jsontext.Append(nil, v.Raw))
	case ast.NullValue:
		return "null"
	case ast.ListValue:
		items := make([]string, len(v.Children))
		for i, c := range v.Children {
			items[i] = printValue(c.Value)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case ast.ObjectValue:
		if len(v.Children) == 0 {
			return "{}"
		}
		items := make([]string, len(v.Children))
		for i, c := range v.Children {
			items[i] = c.Name + ": " + printValue(c.Value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return v.Raw
}
