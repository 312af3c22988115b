package budget

import (
	"bytes"
	"context"

	"understudy/internal/platform/jsontext"
)

const (
	// MaxValues is the most values of one document: scalars, arrays and objects.
	MaxValues = 200_000
	// valueBytes is the most memory of one built value, measured on arrays, objects,
	// objects in arrays and YAML.
	valueBytes = 340
)

// JSON reserves memory for what is built from a JSON text. It returns TooLarge
// for more than MaxValues values, and the errors of Work.
func JSON(ctx context.Context, text []byte) error {
	return JSONWithin(ctx, text, MaxValues, valueBytes)
}

// JSONWithin is JSON with the caller's own bounds: the number of values, and the
// bytes for each.
func JSONWithin(ctx context.Context, text []byte, values, each int) error {
	return hold(ctx, len(text), jsontext.Values(text), values, each)
}

// YAML is JSON for a YAML text. It also counts keys, line ends and separators.
func YAML(ctx context.Context, text []byte) error {
	return hold(ctx, len(text), yamlValues(text), MaxValues, valueBytes)
}

// Form is JSON for the fields of a form.
func Form(ctx context.Context, text []byte) error {
	return hold(ctx, len(text), 1+bytes.Count(text, []byte("&")), MaxValues, valueBytes)
}

// hold reserves memory for a copy of a text, its decoded strings, and its values.
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

// yamlValues returns an upper bound for the number of nodes of a YAML text,
// including keys: the parser builds nodes before they can be counted. It counts
// commas only after the first bracket that may open a sequence or mapping, so
// that plain texts are not overestimated; each of those may separate a key and
// its value.
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
