package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// Scalar describes how a custom scalar is parsed and written.
type Scalar struct {
	// Parse returns the value for Args of a value in the document or the
	// variables, or an error. It receives a string, bool, int64, float64,
	// map[string]any or []any. nil accepts every value unchanged.
	Parse func(v any) (any, error)
	// Time appends a time as JSON; nil means ISO 8601 in UTC with milliseconds.
	Time func(buf []byte, t time.Time) []byte
}

// parseBuiltIn parses a value of one of the five scalars of GraphQL. Values of
// the document are int64, float64, string and bool; values of the variables are
// json.Number, string and bool.
func parseBuiltIn(name string, v any) (any, error) {
	switch name {
	case "Int":
		return parseInt(v)
	case "Float":
		if n, ok := number(v); ok && !math.IsInf(n, 0) {
			return n, nil
		}
		return nil, fmt.Errorf("Float cannot represent non numeric value: %s", inspect(v))
	case "Boolean":
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, fmt.Errorf("Boolean cannot represent a non boolean value: %s", inspect(v))
	case "ID":
		if s, ok := v.(string); ok {
			return s, nil
		}
		if n, ok := number(v); ok && n == math.Trunc(n) {
			if raw, ok := v.(json.Number); ok && !strings.ContainsAny(raw.String(), ".eE") {
				return raw.String(), nil
			}
			if i, ok := v.(int64); ok {
				return strconv.FormatInt(i, 10), nil
			}
			return string(appendFloat(nil, n)), nil
		}
		return nil, fmt.Errorf("ID cannot represent value: %s", inspect(v))
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	return nil, fmt.Errorf("String cannot represent a non string value: %s", inspect(v))
}

func parseInt(v any) (any, error) {
	n, ok := number(v)
	if !ok || n != math.Trunc(n) || math.IsInf(n, 0) {
		return nil, fmt.Errorf("Int cannot represent non-integer value: %s", inspect(v))
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return nil, fmt.Errorf("Int cannot represent non 32-bit signed integer value: %s", inspect(v))
	}
	return int(n), nil
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil || errors.Is(err, strconv.ErrRange)
	}
	return 0, false
}

var errRange = errors.New("A number is too large.")

// untyped returns a literal as the Go value that Scalar.Parse receives.
func untyped(v *ast.Value, vars map[string]any) (any, error) {
	switch v.Kind {
	case ast.Variable:
		return vars[v.Raw], nil
	case ast.IntValue, ast.FloatValue:
		return plain(json.Number(v.Raw))
	case ast.BooleanValue:
		return v.Raw == "true", nil
	case ast.NullValue:
		return nil, nil
	case ast.ListValue:
		list := make([]any, len(v.Children))
		for i, c := range v.Children {
			var err error
			if list[i], err = untyped(c.Value, vars); err != nil {
				return nil, err
			}
		}
		return list, nil
	case ast.ObjectValue:
		m := make(map[string]any, len(v.Children))
		for _, c := range v.Children {
			var err error
			if m[c.Name], err = untyped(c.Value, vars); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	if strings.IndexByte(v.Raw, 0) >= 0 {
		return nil, errors.New("Text must not hold the NUL character.")
	}
	return v.Raw, nil
}

// plain returns a value of the JSON decoder as the one that Scalar.Parse
// receives.
func plain(v any) (any, error) {
	var err error
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n, nil
		}
		n, err := x.Float64()
		if err != nil {
			return nil, errRange
		}
		return n, nil
	case []any:
		out := make([]any, len(x))
		for i := range x {
			if out[i], err = plain(x[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(x))
		for k := range x {
			if out[k], err = plain(x[k]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}
