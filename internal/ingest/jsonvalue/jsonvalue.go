// Package jsonvalue writes JSON: texts, and values that fastjson has read.
package jsonvalue

import "github.com/valyala/fastjson"

// Append writes a value as JSON. The decoder's own writer quotes some
// texts in Go's way, which is no JSON. The depth was bounded when it was read.
func Append(b []byte, v *fastjson.Value) []byte {
	switch v.Type() {
	case fastjson.TypeString:
		s, _ := v.StringBytes()
		return AppendString(b, string(s))
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
			b = AppendString(b, string(key))
			b = Append(append(b, ':'), m)
			i++
		})
		return append(b, '}')
	}
	return v.MarshalTo(b) // numbers as they came, true, false and null
}

// AppendString writes s as a JSON string.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[start:]...), '"')
}
