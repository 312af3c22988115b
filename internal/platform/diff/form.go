package diff

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Form is the JSON form of a column's value.
type Form struct {
	kind string // the type of the field: one of Types
	show func(raw any) any
}

// Types lists the types of fields.
var Types = []string{"text", "integer", "number", "boolean", "time", "list", "any"}

// Shown returns a form of a type; show converts a column's value, nil for null.
func Shown(kind string, show func(raw any) any) Form { return Form{kind, show} }

// The forms that columns have.
var (
	Text      = Shown("text", asItIs)      // a text, a number or null, unchanged
	Ref       = Shown("text", orNull)      // a text; "" is null
	Int       = Shown("integer", asItIs)   // an integer
	IntText   = Shown("text", integerText) // an integer as text
	Real      = Shown("number", asItIs)    // a float; an integer if it has no fraction
	Bool      = Shown("boolean", boolean)  // a boolean, stored as 0 and 1 in SQLite
	Unix      = Shown("time", unix)        // microseconds, as whole seconds
	UnixMilli = Shown("time", unixMilli)   // microseconds, as milliseconds
	TS        = Shown("text", ts)          // microseconds, as seconds with six decimals; 0 is null
	ISO       = Shown("time", iso)         // microseconds, as a time with milliseconds; 0 is null
	Time      = Shown("time", rfc3339)     // microseconds, as RFC 3339 with the digits it needs; 0 is null
	JSON      = Shown("any", jsonOfText)   // a JSON text, decoded; "" is null
)

func asItIs(raw any) any { return raw }

func orNull(raw any) any {
	if raw == "" {
		return nil
	}
	return raw
}

func integerText(raw any) any { return keyText(raw) }

func boolean(raw any) any {
	if n, ok := raw.(int64); ok {
		return n != 0
	}
	return raw
}

func unix(raw any) any {
	if n, ok := raw.(int64); ok {
		return n / 1e6
	}
	return raw
}

func unixMilli(raw any) any {
	if n, ok := raw.(int64); ok {
		return n / 1e3
	}
	return raw
}

func ts(raw any) any {
	n, ok := raw.(int64)
	if !ok || n == 0 {
		return nil
	}
	return fmt.Sprintf("%d.%06d", n/1e6, n%1e6)
}

func iso(raw any) any {
	n, ok := raw.(int64)
	if !ok || n == 0 {
		return nil
	}
	return time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.000Z")
}

func rfc3339(raw any) any {
	n, ok := raw.(int64)
	if !ok || n == 0 {
		return nil
	}
	return time.UnixMicro(n).UTC().Format(time.RFC3339Nano)
}

// List splits a text into an array; "" is an empty one.
func List(separator string) Form {
	return Shown("list", func(raw any) any {
		text, _ := raw.(string)
		if text == "" {
			return []string{}
		}
		return strings.Split(text, separator)
	})
}

func jsonOfText(raw any) any {
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
