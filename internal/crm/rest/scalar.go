package rest

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"understudy/internal/platform/opt"
)

// Upstream's parser converts scalars: it accepts "5" and 5.0 for 5, "true" for
// true, and 5 for "5". Clients that build bodies from text rely on this.

// text is a JSON string, number or boolean as text; null is "".
type text string

// UnmarshalJSON accepts any scalar.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || string(b) == "null":
		*t = ""
	case b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b): // without escapes, so no decoding is needed
		*t = text(b[1 : len(b)-1])
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = text(s)
	case b[0] == '{' || b[0] == '[':
		return errBadInput.Detailf("a single value was expected, not %s", map[byte]string{'{': "an object", '[': "an array"}[b[0]]).With(misfit(bytes.Clone(b)))
	default:
		*t = text(b)
	}
	return nil
}

// values are property values of a request.
type values map[string]text

func (v values) strings() map[string]string {
	out := make(map[string]string, len(v))
	for k, s := range v {
		out[k] = string(s)
	}
	return out
}

// misfit is the text of a value that is not a scalar.
type misfit []byte

// whole is an integer, also as text or with a fraction, which is dropped.
type whole int64

// UnmarshalJSON accepts a number, or a string with an integer; null changes
// nothing.
func (w *whole) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if n, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64); err == nil {
		*w = whole(n)
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.Abs(f) > 1<<53 {
		return &json.UnmarshalTypeError{Type: reflect.TypeFor[int64]()}
	}
	*w = whole(f)
	return nil
}

// truth is a boolean, also as text.
type truth bool

// UnmarshalJSON accepts true, false, "true" and "false"; null changes nothing.
func (t *truth) UnmarshalJSON(b []byte) error {
	switch string(bytes.Trim(b, `"`)) {
	case "true":
		*t = true
	case "false":
		*t = false
	case "null":
	default:
		return &json.UnmarshalTypeError{Type: reflect.TypeFor[bool]()}
	}
	return nil
}

func optInt(o opt.Opt[whole]) opt.Opt[int] {
	return opt.Opt[int]{Value: int(o.Value), Set: o.Set, Null: o.Null}
}

func optBool(o opt.Opt[truth]) opt.Opt[bool] {
	return opt.Opt[bool]{Value: bool(o.Value), Set: o.Set, Null: o.Null}
}
