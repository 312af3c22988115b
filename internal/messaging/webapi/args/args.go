// Package args reads the arguments of a Web API call, wherever a client put
// them: query string, JSON, form, multipart or plain text. It knows nothing of
// methods; what it does not know how to use it keeps for whoever asks by name.
//
// A body argument wins over a query argument of the same name, a later one
// over an earlier one. Every string that comes out is valid UTF-8 without NUL.
package args

import (
	"math"
	"strconv"
	"strings"

	"understudy/internal/messaging/rawjson"
	"understudy/internal/platform/fault"
)

// Args are the arguments of one call. They look into the body they were read
// from, which must not be written to afterwards. The zero value has no arguments.
type Args struct {
	// Token is the caller's token: of the Authorization header, else the body,
	// else the query. Empty when there is none.
	Token string
	// Warnings are the codes that belong into the reply, such as missing_charset.
	Warnings []string

	fields []field
}

// A field keeps its value as it came in; it is decoded when asked for.
type field struct {
	name  []byte // decoded
	value []byte
	code  coding
}

type coding uint8

const (
	plain      coding = iota // text as it is
	plainLatin               // text in ISO 8859-1
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
// sent as a number loses no digit. An array or object becomes its JSON text, as
// a form would carry it. present is true for an argument that was sent, even if
// empty, and false for one that was left out or null. Most methods treat empty
// as absent.
func (a *Args) String(name string) (value string, present bool) {
	f := a.find(name)
	if f == nil || f.isNull() {
		return "", false
	}
	return f.text(), true
}

// Raw returns a structured argument as JSON text: the value itself in a JSON
// body, the content of the string elsewhere. The text of a string is not checked
// to be JSON. present is false for an empty one.
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

// Bool reads true, 1, yes and on, and their opposites, in any case. It returns
// def for everything else, absent and empty included.
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

// Int reads a whole number, sent as a number or as text. present is false for an
// absent or empty argument. It returns invalid_arguments, with the argument's
// name as the field, for anything but a whole number that fits.
func (a *Args) Int(name string) (n int64, present bool, err *fault.Error) {
	s, _ := a.String(name)
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false, nil
	}
	if n, e := strconv.ParseInt(s, 10, 64); e == nil {
		return n, true, nil
	}
	// 2.0 and 2e1 are whole numbers to a JSON writer.
	if f, e := strconv.ParseFloat(s, 64); e == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f), true, nil
	}
	return 0, true, Invalid(name, "[ERROR] must provide an integer [json-pointer:/"+name+"]")
}

// List reads a list of names or ids: separated by commas, or an array of JSON,
// whether real or inside a string. Blanks around an item and empty items are
// dropped. Empty is not present.
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

// clean removes what no store keeps: NUL, and bytes that are not UTF-8.
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
