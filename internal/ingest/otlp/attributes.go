package otlp

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"understudy/internal/ingest/redaction"
	"understudy/internal/platform/jsontext"
)

// attributes are the attributes of a span or resource. used marks the attributes that
// a field of the event contains, and those that are ignored: repeated ones and those
// without a name. The others become the event's metadata.
type attributes struct {
	list   []*commonpb.KeyValue
	places map[string]int
	used   []bool
}

func newAttributes(list []*commonpb.KeyValue) *attributes {
	a := &attributes{list: list, places: make(map[string]int, len(list)), used: make([]bool, len(list))}
	for i, kv := range list {
		if _, twice := a.places[kv.GetKey()]; twice || kv.GetKey() == "" {
			a.used[i] = true // of several with one name, the first counts
			continue
		}
		a.places[kv.GetKey()] = i
	}
	return a
}

// get returns the value of an attribute, nil if the attribute is missing.
func (a *attributes) get(key string) *commonpb.AnyValue {
	if i, ok := a.places[key]; ok {
		return a.list[i].GetValue()
	}
	return nil
}

// text returns the value of an attribute as text, "" if the attribute is missing.
func (a *attributes) text(key string) string { return textOf(a.get(key)) }

// first returns the first non-empty one of some attributes as text, and marks it as
// used. It returns "" if there is none.
func (a *attributes) first(keys ...string) string {
	for _, key := range keys {
		if text := a.text(key); text != "" {
			a.use(key)
			return text
		}
	}
	return ""
}

// number returns the first of some attributes that is a number of 0 or more, or a
// text with such a number, and marks it as used. It returns -1 if there is none.
func (a *attributes) number(keys ...string) int64 {
	for _, key := range keys {
		if n := numberOf(a.get(key)); n >= 0 {
			a.use(key)
			return n
		}
	}
	return -1
}

func (a *attributes) use(key string) {
	if i, ok := a.places[key]; ok {
		a.used[i] = true
	}
}

func (a *attributes) useAll(keys []string) {
	for _, key := range keys {
		a.use(key)
	}
}

// each calls fn for each unused attribute with a prefix. rest is the name without the
// prefix. It marks the attribute as used if fn returns true.
func (a *attributes) each(prefix string, fn func(rest string, v *commonpb.AnyValue) bool) {
	for i, kv := range a.list {
		if rest, ok := strings.CutPrefix(kv.GetKey(), prefix); ok && !a.used[i] && rest != "" && fn(rest, kv.GetValue()) {
			a.used[i] = true
		}
	}
}

// textOf returns a text unchanged, and any other value as JSON.
func textOf(v *commonpb.AnyValue) string {
	switch x := v.GetValue().(type) {
	case nil:
		return ""
	case *commonpb.AnyValue_StringValue:
		return x.StringValue
	}
	return string(appendValue(nil, v))
}

func numberOf(v *commonpb.AnyValue) int64 {
	var f float64
	switch x := v.GetValue().(type) {
	case *commonpb.AnyValue_IntValue:
		return max(x.IntValue, -1)
	case *commonpb.AnyValue_DoubleValue:
		f = x.DoubleValue
	case *commonpb.AnyValue_StringValue:
		var err error
		if f, err = strconv.ParseFloat(x.StringValue, 64); err != nil {
			return -1
		}
	default:
		return -1
	}
	if !(f >= 0 && f < 1<<53) {
		return -1
	}
	return int64(math.Round(f))
}

// appendValue appends a value as JSON, without credentials. decode has bounded the
// depth of the value.
func appendValue(b []byte, v *commonpb.AnyValue) []byte {
	switch x := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return jsontext.Append(b, x.StringValue)
	case *commonpb.AnyValue_BoolValue:
		return strconv.AppendBool(b, x.BoolValue)
	case *commonpb.AnyValue_IntValue:
		return strconv.AppendInt(b, x.IntValue, 10)
	case *commonpb.AnyValue_DoubleValue:
		if math.IsNaN(x.DoubleValue) || math.IsInf(x.DoubleValue, 0) {
			return jsontext.Append(b, strconv.FormatFloat(x.DoubleValue, 'g', -1, 64))
		}
		return appendFloat(b, x.DoubleValue)
	case *commonpb.AnyValue_BytesValue:
		return jsontext.Append(b, base64.StdEncoding.EncodeToString(x.BytesValue))
	case *commonpb.AnyValue_ArrayValue:
		b = append(b, '[')
		for i, item := range x.ArrayValue.GetValues() {
			b = appendValue(comma(b, i), item)
		}
		return append(b, ']')
	case *commonpb.AnyValue_KvlistValue:
		return appendObject(b, x.KvlistValue.GetValues())
	}
	return append(b, "null"...)
}

// appendFloat appends a number. It uses an exponent only for very small and very
// large numbers.
func appendFloat(b []byte, f float64) []byte {
	if abs := math.Abs(f); f != 0 && (abs < 1e-9 || abs >= 1e21) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

func appendObject(b []byte, list []*commonpb.KeyValue) []byte {
	b = append(b, '{')
	seen := make(map[string]bool, len(list))
	for _, kv := range list {
		if seen[kv.GetKey()] {
			continue
		}
		b = appendMember(comma(b, len(seen)), kv)
		seen[kv.GetKey()] = true
	}
	return append(b, '}')
}

func appendMember(b []byte, kv *commonpb.KeyValue) []byte {
	b = append(jsontext.Append(b, kv.GetKey()), ':')
	if isSecret(kv) {
		return jsontext.Append(b, redaction.Text)
	}
	return appendValue(b, kv.GetValue())
}

// isSecret reports whether the name of a value is that of a credential. Numbers and
// booleans are no credentials: a count of tokens is not a token.
func isSecret(kv *commonpb.KeyValue) bool {
	switch kv.GetValue().GetValue().(type) {
	case nil, *commonpb.AnyValue_BoolValue, *commonpb.AnyValue_IntValue, *commonpb.AnyValue_DoubleValue:
		return false
	}
	return redaction.IsCredential(kv.GetKey())
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}
