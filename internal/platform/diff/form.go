package diff

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Form returns a column's value as JSON shows it; nil is null.
type Form func(raw any) any

// Text shows a text, a number or null as it is.
func Text(raw any) any { return raw }

// Ref shows a text of which "" is null.
func Ref(raw any) any {
	if raw == "" {
		return nil
	}
	return raw
}

// Int shows an integer.
func Int(raw any) any { return raw }

// IntText shows an integer as a string.
func IntText(raw any) any { return keyText(raw) }

// Real shows a float; one without a fraction looks like an integer.
func Real(raw any) any { return raw }

// Bool shows a boolean, which SQLite keeps as 0 and 1.
func Bool(raw any) any {
	if n, ok := raw.(int64); ok {
		return n != 0
	}
	return raw
}

// Unix shows microseconds as whole seconds.
func Unix(raw any) any {
	if n, ok := raw.(int64); ok {
		return n / 1e6
	}
	return raw
}

// UnixMilli shows microseconds as milliseconds.
func UnixMilli(raw any) any {
	if n, ok := raw.(int64); ok {
		return n / 1e3
	}
	return raw
}

// TS shows microseconds as seconds with six digits after the dot; 0 is null.
func TS(raw any) any {
	n, ok := raw.(int64)
	if !ok || n == 0 {
		return nil
	}
	return fmt.Sprintf("%d.%06d", n/1e6, n%1e6)
}

// ISO shows microseconds as a time with milliseconds; 0 is null.
func ISO(raw any) any {
	n, ok := raw.(int64)
	if !ok || n == 0 {
		return nil
	}
	return time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.000Z")
}

// Time shows microseconds as RFC 3339 with the digits it needs; 0 is null.
func Time(raw any) any {
	n, ok := raw.(int64)
	if !ok || n == 0 {
		return nil
	}
	return time.UnixMicro(n).UTC().Format(time.RFC3339Nano)
}

// List shows a text of parts as an array; "" is empty.
func List(separator string) Form {
	return func(raw any) any {
		text, _ := raw.(string)
		if text == "" {
			return []string{}
		}
		return strings.Split(text, separator)
	}
}

// JSON shows a text of JSON as what it says; "" is null.
func JSON(raw any) any {
	text, _ := raw.(string)
	if text == "" || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// keyText returns a value as a part of a key.
func keyText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(v)
}
