// Package jsonvalue writes the values that fastjson has parsed as JSON.
package jsonvalue

import (
	"unsafe"

	"github.com/valyala/fastjson"

	"understudy/internal/platform/jsontext"
)

// Append appends a value as JSON. It replaces fastjson's MarshalTo, which quotes some
// texts in the syntax of Go, which is not JSON. The parser has bounded the depth of
// the value.
func Append(b []byte, v *fastjson.Value) []byte {
	switch v.Type() {
	case fastjson.TypeString:
		s, _ := v.StringBytes()
		return jsontext.Append(b, unsafe.String(unsafe.SliceData(s), len(s)))
	case fastjson.TypeArray:
		items, _ := v.Array()
		b = append(b, '[')
		for i, item := range items {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(b, item)
		}
		return append(b, ']')
	case fastjson.TypeObject:
		o, _ := v.Object()
		b = append(b, '{')
		i := 0
		o.Visit(func(key []byte, m *fastjson.Value) {
			if i > 0 {
				b = append(b, ',')
			}
			b = jsontext.Append(b, unsafe.String(unsafe.SliceData(key), len(key)))
			b = Append(append(b, ':'), m)
			i++
		})
		return append(b, '}')
	}
	return v.MarshalTo(b) // numbers in their original form, true, false and null
}
