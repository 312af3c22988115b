package rest

import "understudy/internal/platform/jsontext"

// appendJSON appends v as JSON, without HTML escapes.
func appendJSON(b []byte, v any) []byte {
	b, err := jsontext.AppendAny(b, v)
	if err != nil {
		panic(err) // the types of this package always encode
	}
	return b
}
