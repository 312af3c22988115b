package budget

import (
	"bytes"
	"context"

	"understudy/internal/platform/jsontext"
)

const (
	// MaxValues bounds the values of one document: scalars, lists and objects.
	MaxValues = 200_000
	// valueBytes is what a value takes at most once it is built, measured on
	// lists, objects, objects in lists and YAML.
	valueBytes = 340
)

// JSON makes room for what is built from a JSON text. It returns TooLarge for
// one of more than MaxValues values, and what Work returns.
func JSON(ctx context.Context, text []byte) error {
	return JSONWithin(ctx, text, MaxValues, valueBytes)
}

// JSONWithin is JSON for a reader with bounds of its own: the values that it
// accepts, and the bytes that it needs for each.
func JSONWithin(ctx context.Context, text []byte, values, each int) error {
	return hold(ctx, len(text), jsontext.Values(text), values, each)
}

// YAML makes room for what is built from a YAML text, as JSON does. It counts
// keys too, and line ends and separators wherever they stand.
func YAML(ctx context.Context, text []byte) error {
	return hold(ctx, len(text), yamlValues(text), MaxValues, valueBytes)
}

// Form makes room for the fields of a form, as JSON does.
func Form(ctx context.Context, text []byte) error {
	return hold(ctx, len(text), 1+bytes.Count(text, []byte("&")), MaxValues, valueBytes)
}

// hold makes room for a copy of a text, one of what its strings become, and its values.
func hold(ctx context.Context, size, values, most, each int) error {
	if values > most {
		return TooLarge.Detailf("The request body has more than %d values.", most)
	}
	return Work(ctx, 2*int64(size)+int64(values)*int64(each))
}

// yamlMarks separate the nodes of a YAML text: line breaks, and the indicators
// of lists, mappings and keys.
var yamlMarks = [][]byte{{'\n'}, {'\r'}, []byte("\u0085"), []byte("\u2028"), []byte("\u2029"), {'['}, {'{'},
	[]byte(": "), []byte(":\t"), []byte(":\n"), []byte(":\r"), []byte("- "), []byte("-\t"), []byte("? "), []byte("?\t")}

// yamlValues returns at least the number of nodes of a YAML text, keys
// included: its reader builds nodes before anything can count them. Commas
// separate nothing before the first bracket that may open a list or a mapping,
// which spares texts; afterwards each may stand for a key and its value.
func yamlValues(b []byte) int {
	n := 1
	for _, mark := range yamlMarks {
		n += bytes.Count(b, mark)
	}
	for i, c := range b {
		if (c == '[' || c == '{') && (i == 0 || bytes.IndexByte([]byte(" \t\r\n,[{:-"), b[i-1]) >= 0) {
			return n + 2*bytes.Count(b[i:], []byte(","))
		}
	}
	return n
}
