// Package args reads the arguments of a Web API call from the query string and
// from a body in JSON, form, multipart or plain text. It is independent of the
// methods: it keeps every argument, and callers read them by name.
//
// A body argument overrides a query argument of the same name, a later one an
// earlier one. All strings returned are valid UTF-8 without NUL.
package args

import (
	"math"
	"strconv"
	"strings"

	"understudy/internal/messaging/rawjson"
	"understudy/internal/platform/fault"
)

// Args are the arguments of one call. They refer to the body that they were read
// from, which must not be changed. The zero value has no arguments.
type Args struct {
	// Token is the caller's token: from the Authorization header, else the body,
	// else the query; "" if absent.
	Token string
	// Warnings are the warning codes for the reply, such as missing_charset.
	Warnings []string

	fields []field
}

// A field keeps its value as received; it is decoded on access.
type field struct {
	name  []byte // decoded
	value []byte
	code  coding
}

type coding uint8

const (
	plain      coding = iota // plain text
	plainLatin               // plain text in ISO 8859-1
	form                     // percent-encoded text
	formLatin                // percent-encoded text in ISO 8859-1
	jsonValue                // any JSON value
)

func (a *Args) find(name string) *field {
	for i := len(a.fields) - 1; i >= 0; i-- {
		if string(a.fields[i].name) == name {
			return &a.fields[i]
		}
	}
	return nil
}

// String returns an argument as text. A number keeps its literal, so that a ts
// sent as a number loses no digit. An array or object becomes its JSON text, as a
// form would contain it. present is true for an argument that was sent, even if
// empty, and false if absent or null. Most methods treat empty as absent.
func (a *Args) String(name string) (value string, present bool) {
	f := a.find(name)
	if f == nil || f.isNull() {
		return "", false
	}
	return f.text(), true
}

// Raw returns a structured argument as JSON text: the value itself in a JSON
// body, the content of the string elsewhere, which is not validated. present is
// false for an empty one.
func (a *Args) Raw(name string) (value []byte, present bool) {
	f := a.find(name)
	if f == nil || f.isNull() {
		return nil, false
	}
	if f.code == jsonValue && f.value[0] != '"' {
		return rawjson.Clean(f.value), true
	}
	s := f.text()
	if s == "" {
		return nil, false
	}
	return []byte(s), true
}

// Composites returns the names of the arguments of a JSON body whose values are
// arrays or objects.
func (a *Args) Composites() (names []string) {
	for i := range a.fields {
		if f := &a.fields[i]; f.code == jsonValue && (f.value[0] == '{' || f.value[0] == '[') {
			names = append(names, string(f.name))
		}
	}
	return names
}

// Bool reads true, 1, yes and on, and their opposites, in any case. It returns
// def for any other value, also if empty or absent.
func (a *Args) Bool(name string, def bool) bool {
	s, _ := a.String(name)
	switch strings.ToLower(s) {
	case "true", "1", "yes", "on":
		return true
	case "false", "0", "no", "off":
		return false
	}
	return def
}

// Int reads an integer, sent as a number or as text. present is false for an
// absent or empty argument. It returns invalid_arguments, with the argument's
// name as the field, for anything but an integer that fits.
func (a *Args) Int(name string) (n int64, present bool, err *fault.Error) {
	s, _ := a.String(name)
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false, nil
	}
	if n, e := strconv.ParseInt(s, 10, 64); e == nil {
		return n, true, nil
	}
	// Some JSON encoders write integers as 2.0 or 2e1.
	if f, e := strconv.ParseFloat(s, 64); e == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f), true, nil
	}
	return 0, true, Invalid(name, "[ERROR] must provide an integer [json-pointer:/"+name+"]")
}

// List reads a list of names or ids: separated by commas, or a JSON array, also
// as a string. It trims the items and drops empty ones. present is false for an
// empty list.
func (a *Args) List(name string) (items []string, present bool) {
	s, _ := a.String(name)
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, false
	}
	if s[0] == '[' && rawjson.Valid([]byte(s), 2) {
		for _, v := range rawjson.Elements([]byte(s)) {
			item := string(v)
			if v[0] == '"' {
				item = clean(rawjson.Unquote(v))
			}
			items = appendItem(items, item)
		}
		return items, true
	}
	for item := range strings.SplitSeq(s, ",") {
		items = appendItem(items, item)
	}
	return items, true
}

func appendItem(items []string, item string) []string {
	if item = strings.TrimSpace(item); item == "" || item == "null" {
		return items
	}
	return append(items, item)
}

func (f *field) isNull() bool { return f.code == jsonValue && f.value[0] == 'n' }

func (f *field) text() string {
	switch f.code {
	case form, formLatin:
		b, _ := unescape(f.value)
		if f.code == formLatin {
			return clean(latin1(b))
		}
		return clean(string(b))
	case plainLatin:
		return clean(latin1(f.value))
	case jsonValue:
		if f.value[0] == '"' {
			return clean(rawjson.Unquote(f.value))
		}
		return string(rawjson.Clean(f.value))
	}
	return clean(string(f.value))
}

// clean removes what databases cannot store: NUL and invalid UTF-8.
func clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func latin1(b []byte) string {
	var s strings.Builder
	s.Grow(len(b) + 8)
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}
