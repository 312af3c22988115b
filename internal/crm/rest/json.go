package rest

import (
	"bytes"
	"encoding/json"
)

// appendJSON appends v as JSON, without HTML escapes.
func appendJSON(b []byte, v any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the types of this package always encode
	}
	return append(b, bytes.TrimRight(buf.Bytes(), "\n")...)
}
