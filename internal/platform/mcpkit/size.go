package mcpkit

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// MaxResult is the most bytes of JSON that a tool should return: what a model can
// read at once. Tools that list return fewer items then, with a cursor.
const MaxResult = 60_000

// envelope is the size reserved for what surrounds the items of a list.
const envelope = 1000

// Fitting returns how many items of a list fit into one result.
func Fitting(list []json.RawMessage) int {
	size := envelope
	for i, item := range list {
		if size += len(item) + 1; size > MaxResult {
			return i
		}
	}
	return len(list)
}

// Encode encodes a value as JSON without HTML escapes, on one line.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Shortened encodes a value of maps and slices as JSON, truncating its longest
// texts until the result is short enough. A truncated text gets a member
// "truncated" beside it.
func Shortened(v any) (json.RawMessage, error) {
	for longest := MaxResult / 3; ; longest /= 2 {
		shorten(v, longest)
		out, err := Encode(v)
		if err != nil || len(out) <= MaxResult || longest < 100 {
			return out, err
		}
	}
}

func shorten(v any, longest int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			shorten(item, longest)
		}
	case map[string]any:
		for key, item := range v {
			if s, isText := item.(string); isText && len(s) > longest {
				v[key], v["truncated"] = CutText(s, longest), true
				continue
			}
			shorten(item, longest)
		}
	}
}

// CutText truncates a text to at most longest bytes, between characters, and
// marks the cut.
func CutText(s string, longest int) string {
	if len(s) <= longest {
		return s
	}
	for longest > 0 && !utf8.RuneStart(s[longest]) {
		longest--
	}
	return s[:longest] + "…"
}
