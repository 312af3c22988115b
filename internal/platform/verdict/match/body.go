package match

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// Body decodes the body of a request to the types of Normal: JSON, or the fields
// of a form as an object of texts; nil for anything else. Of repeated fields the
// last wins, as in the services. A field that contains a JSON object or array is
// decoded.
func Body(text []byte) any {
	if mayBeJSON(text) && json.Valid(text) {
		return Normal(json.RawMessage(text))
	}
	values, err := url.ParseQuery(string(text))
	if err != nil || len(values) == 0 {
		return nil
	}
	fields := make(map[string]any, len(values))
	for name, list := range values {
		v := list[len(list)-1]
		fields[name] = v
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if inner := Normal(json.RawMessage(v)); inner != nil {
				fields[name] = inner
			}
		}
	}
	return fields
}

// mayBeJSON reports whether a text begins like JSON: forms seldom do, and trying
// to parse one as JSON takes longer than parsing it as a form.
func mayBeJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && strings.IndexByte(`{["-0123456789`, text[0]) >= 0 ||
		bytes.HasPrefix(text, []byte("true")) || bytes.HasPrefix(text, []byte("false")) || bytes.HasPrefix(text, []byte("null"))
}

// Content is the body of one request, from which matchers read a few places. It
// decodes no more of a JSON text than these. It is not safe for concurrent use.
type Content struct {
	text   []byte
	parser *fastjson.Parser
	parsed *fastjson.Value // of a JSON text; nil for any other
	isForm bool            // a form, in which fields are searched without decoding it
	value  any             // otherwise the result of Body
	known  []place         // cache of results: many matchers read the same place
	room   [2]place        // of the first results
}

// place is the value at a pointer.
type place struct {
	at    Pointer
	value any
}

// mostPlaces is how many places are searched in the text: for more, decoding it
// completely is faster.
const mostPlaces = 16

var parsers fastjson.ParserPool

// ReadBody returns the content of a body, which must not change until Close.
func ReadBody(text []byte) *Content {
	c := &Content{}
	c.Read(text)
	return c
}

// Read makes c, which is empty, the content of a body, as ReadBody.
func (c *Content) Read(text []byte) {
	switch {
	case !mayBeJSON(text) && isForm(text):
		c.text, c.isForm = text, true
		return
	// Unlike Body, the parser does not replace escaped lone surrogates and invalid
	// UTF-8.
	case !mayBeJSON(text), bytes.Contains(text, []byte(`\u`)), !utf8.Valid(text), fastjson.ValidateBytes(text) != nil:
		c.value = Body(text)
		return
	}
	c.text, c.parser = text, parsers.Get()
	var err error
	if c.parsed, err = c.parser.ParseBytes(text); err != nil { // nested deeper than the parser accepts
		c.Close()
		c.value = Body(text)
	}
}

// Close releases the content; results of At remain valid.
func (c *Content) Close() {
	if c.parser != nil {
		parsers.Put(c.parser)
		c.parser, c.parsed = nil, nil
	}
}

// At returns the value at a place: the result of Pointer.In on the result of
// Body.
func (c *Content) At(p Pointer) any {
	if c.parsed == nil && !c.isForm {
		return p.In(c.value)
	}
	for i := range c.known {
		if slices.Equal(c.known[i].at, p) {
			return c.known[i].value
		}
	}
	if len(c.known) == mostPlaces {
		c.Close()
		c.isForm, c.value = false, Body(c.text)
		return p.In(c.value)
	}
	var value any
	if c.isForm {
		value = findInForm(c.text, p)
	} else {
		value = c.find(p)
	}
	if c.known == nil {
		c.known = c.room[:0]
	}
	c.known = append(c.known, place{p, value})
	return value
}

// mostPairs is the most fields of a form that is searched: url.ParseQuery rejects
// forms with very many.
const mostPairs = 1000

// isForm reports whether Body would parse a text as a form without error.
func isForm(text []byte) bool {
	if bytes.IndexByte(text, ';') >= 0 || bytes.Count(text, []byte{'&'}) >= mostPairs {
		return false
	}
	for rest := text; ; {
		at := bytes.IndexByte(rest, '%')
		if at < 0 {
			return true
		}
		if at+3 > len(rest) || !isHex(rest[at+1]) || !isHex(rest[at+2]) {
			return false
		}
		rest = rest[at+3:]
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// findInForm is At for a form.
func findInForm(text []byte, p Pointer) any {
	if len(p) == 0 {
		return Body(text)
	}
	var last []byte
	found := false
	for rest := text; len(rest) > 0; {
		var pair []byte
		pair, rest, _ = bytes.Cut(rest, []byte{'&'})
		if name, value, _ := bytes.Cut(pair, []byte{'='}); len(pair) > 0 && isName(name, p[0]) {
			last, found = value, true
		}
	}
	if !found {
		return nil
	}
	v := unescaped(last)
	if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
		if inner := Normal(json.RawMessage(v)); inner != nil {
			return p[1:].In(inner)
		}
	}
	return p[1:].In(v)
}

func isName(text []byte, name string) bool {
	if isEscaped(text) {
		return unescaped(text) == name
	}
	return string(text) == name
}

func isEscaped(text []byte) bool {
	return bytes.IndexByte(text, '%') >= 0 || bytes.IndexByte(text, '+') >= 0
}

// unescaped decodes a part of a form with valid escapes.
func unescaped(text []byte) string {
	if !isEscaped(text) {
		return string(text)
	}
	var room [64]byte
	out := room[:0]
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '+':
			out = append(out, ' ')
		case '%':
			out = append(out, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		default:
			out = append(out, text[i])
		}
	}
	return string(out)
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// find returns the value at a place in a JSON text.
func (c *Content) find(p Pointer) any {
	v := c.parsed
	for _, step := range p {
		if v = member(v, step); v == nil {
			return nil
		}
	}
	switch v.Type() {
	case fastjson.TypeString:
		return string(v.GetStringBytes())
	case fastjson.TypeNull:
		return nil
	}
	return Normal(json.RawMessage(v.MarshalTo(nil)))
}

// member returns the member or element of a value, nil for none. Of a repeated
// name the last wins, as in encoding/json.
func member(v *fastjson.Value, name string) (found *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeObject:
		v.GetObject().Visit(func(key []byte, value *fastjson.Value) {
			if string(key) == name {
				found = value
			}
		})
	case fastjson.TypeArray:
		list := v.GetArray()
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
			found = list[i]
		}
	}
	return found
}

// Pointer is a JSON pointer (RFC 6901): the names and indexes that lead to a
// place in a value.
type Pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// ParsePointer parses a pointer such as "/properties/email"; "" is the whole
// value. It returns false for a text that does not begin with a slash.
func ParsePointer(text string) (Pointer, bool) {
	if text == "" {
		return nil, true
	}
	if text[0] != '/' {
		return nil, false
	}
	p := Pointer(strings.Split(text[1:], "/"))
	for i := range p {
		p[i] = unescape.Replace(p[i])
	}
	return p, true
}

// In returns the value at the place in v, nil for none.
func (p Pointer) In(v any) any {
	for _, step := range p {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}
