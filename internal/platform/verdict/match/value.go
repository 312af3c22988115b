package match

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/platform/seeddoc"
)

// Normal converts a value to the types of the comparisons: nil, bool, string,
// json.Number, []any and map[string]any.
func Normal(v any) any {
	switch v := v.(type) {
	case nil, bool, string, json.Number, []any, map[string]any:
		return v
	case json.RawMessage:
		return decoded(v)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case int:
		return json.Number(strconv.Itoa(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	}
	if b, err := json.Marshal(v); err == nil {
		return decoded(b)
	}
	return nil
}

func decoded(text []byte) any {
	if v, ok := plain(text); ok {
		return v
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var out any
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}

// plain decodes a text of printable ASCII without escapes, or an integer: most
// values are one, and need no JSON decoder.
func plain(text []byte) (v any, ok bool) {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		inner := text[1 : n-1]
		for _, c := range inner {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				return nil, false
			}
		}
		return string(inner), true
	}
	if len(text) == 0 || text[0] == '0' && len(text) > 1 {
		return nil, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return nil, false
		}
	}
	return json.Number(text), true
}

// equal compares two values. A number equals a text with the same number, and a
// boolean its text, since some services have only texts.
func equal(v, w any, ig ignore) bool {
	switch w := w.(type) {
	case string:
		if s, ok := v.(string); ok {
			return s == w || ig != 0 && ig.apply(s) == ig.apply(w)
		}
		if b, ok := v.(bool); ok {
			return strconv.FormatBool(b) == w
		}
		return isNumber(v) && sameNumber(v, w)
	case json.Number:
		return sameNumber(v, w)
	case bool:
		return v == any(w) || v == strconv.FormatBool(w)
	case []any:
		list, ok := v.([]any)
		if !ok || len(list) != len(w) {
			return false
		}
		for i := range w {
			if !equal(list[i], Normal(w[i]), ig) {
				return false
			}
		}
		return true
	case map[string]any:
		members, ok := v.(map[string]any)
		if !ok || len(members) != len(w) {
			return false
		}
		for name, wanted := range w {
			if found, ok := members[name]; !ok || !equal(found, Normal(wanted), ig) {
				return false
			}
		}
		return true
	}
	return v == nil && w == nil
}

func isNumber(v any) bool { _, ok := v.(json.Number); return ok }

func sameNumber(v, w any) bool {
	if reflect.TypeOf(v) == reflect.TypeOf(w) && v == w {
		return true
	}
	a, b := numberOf(v), numberOf(w)
	return a != nil && b != nil && a.Cmp(b) == 0
}

// numberOf returns a number, or the number in a text; nil for anything else.
func numberOf(v any) *big.Rat {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	if !isDecimal(text) {
		return nil
	}
	if len(text) <= 100 && !strings.ContainsAny(text, "eE") {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			return nil
		}
		return r
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return new(big.Rat).SetFloat64(f)
}

// wireTime is the form in which services write times.
const wireTime = "2006-01-02T15:04:05.000Z"

// Alike returns the values that a text stands for in a field of a type: the text
// itself, and the same number, or the same time as services write it. It returns
// nil for a text that is neither.
func Alike(kind, text string) []any {
	switch kind {
	case "number", "integer":
		if numberOf(text) != nil {
			return []any{text, json.Number(text)}
		}
	case "time":
		if at, ok := timeOf(text); ok && numberOf(text) == nil {
			return []any{text, at.UTC().Format(wireTime)}
		}
	}
	return nil
}

// isDecimal reports whether a text is a number in JSON syntax; leading zeros are
// allowed.
func isDecimal(s string) bool {
	digits := false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c == '-' && i == 0, c == '.' && digits, (c == 'e' || c == 'E') && digits, (c == '+' || c == '-') && i > 0 && s[i-1]|0x20 == 'e':
		default:
			return false
		}
	}
	return digits
}

// compare compares a value with a number or a time. It returns false if they
// cannot be compared.
func compare(v, w any, e Env) (order int, ok bool) {
	if b := numberOf(w); b != nil {
		a := numberOf(v)
		if a == nil {
			return 0, false
		}
		return a.Cmp(b), true
	}
	text, _ := w.(string)
	b, ok := momentOf(text, e.Now)
	if !ok {
		return 0, false
	}
	a, ok := timeOf(v)
	return a.Compare(b), ok
}

// momentOf parses "now", "now-5m" or an absolute time.
func momentOf(text string, now time.Time) (time.Time, bool) {
	if rest, ok := strings.CutPrefix(text, "now"); ok && rest != "" {
		if rest[0] != '+' && rest[0] != '-' {
			return time.Time{}, false
		}
		text = rest
	} else if text != "" && (text[0] == '+' || text[0] == '-') {
		return time.Time{}, false
	}
	return seeddoc.ParseTime(text, now)
}

// timeOf returns the time in a value of a record: a text in RFC 3339 or a day, or
// a number or its text in seconds, milliseconds or microseconds since 1970,
// depending on its size.
func timeOf(v any) (t time.Time, ok bool) {
	if s, isText := v.(string); isText {
		if t, ok = momentOf(s, time.Time{}); ok && s != "now" {
			return t, true
		}
	}
	n := numberOf(v)
	if n == nil {
		return t, false
	}
	scale := int64(1)
	switch size := new(big.Rat).Abs(n); {
	case size.Cmp(big.NewRat(1e11, 1)) < 0:
		scale = 1e6
	case size.Cmp(big.NewRat(1e14, 1)) < 0:
		scale = 1e3
	case size.Cmp(big.NewRat(1e17, 1)) >= 0:
		return t, false
	}
	n.Mul(n, big.NewRat(scale, 1))
	return time.UnixMicro(new(big.Int).Quo(n.Num(), n.Denom()).Int64()), true
}

// textOf returns a text, a number or a boolean as text.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// length returns the number of characters of a text, items of a list or members
// of an object.
func length(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case []any:
		return len(v), true
	case map[string]any:
		return len(v), true
	}
	return 0, false
}

// jsonOf encodes a value as JSON on one line, without blanks and with sorted
// members.
func jsonOf(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // values of Normal always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// Text returns a value in the form for messages.
func Text(v any) string {
	if s, ok := textOf(Normal(v)); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
