package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// AppendAny appends v as encoding/json encodes it without escapes for HTML: the
// members of an object by name. It needs no reflection for objects and lists of
// texts, numbers and truth values. It returns the errors of encoding/json.
func AppendAny(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return Append(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 && (v != 0 || !math.Signbit(v)) {
			return strconv.AppendInt(dst, int64(v), 10), nil
		}
	case []string:
		if v != nil {
			return list(dst, v, func(dst []byte, s string) ([]byte, error) { return Append(dst, s), nil })
		}
	case []any:
		if v != nil {
			return list(dst, v, AppendAny)
		}
	case map[string]any:
		if v != nil {
			return object(dst, v)
		}
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...), err
}

func list[T any](dst []byte, v []T, one func([]byte, T) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, x := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = one(dst, x); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func object(dst []byte, v map[string]any) (_ []byte, err error) {
	var room [48]string // on the stack for most objects
	names := room[:0]
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendAny(append(Append(dst, name), ':'), v[name]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
