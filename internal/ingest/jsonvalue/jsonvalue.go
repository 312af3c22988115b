// Package jsonvalue writes JSON: texts, and values that fastjson has read.
package jsonvalue

import (
	"unsafe"

	"github.com/valyala/fastjson"

	"understudy/internal/platform/jsontext"
)

// Append writes a value as JSON. The decoder's own writer quotes some
// texts in Go's way, which is no JSON. The depth was bounded when it was read.
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
	return v.MarshalTo(b) // numbers as they came, true, false and null
}
