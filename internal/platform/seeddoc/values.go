package seeddoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Named is a mapping from the document's own names to values.
type Named[T any] []Entry[T]

// Entry is a name with its value.
type Entry[T any] struct {
	Pos
	Name  string
	Value T
}

// maxOwnName is the longest own name of a document, in characters. It is not part
// of the regular expression, which would become large.
const maxOwnName = 200

var ownName = regexp.MustCompile(`^[^\s\x00-\x1f]+$`)

func isOwnName(s string) bool {
	return utf8.RuneCountInString(s) <= maxOwnName && ownName.MatchString(s)
}

func (l *Named[T]) read(r *Reader, n *Node, at Pos) {
	if !r.is(n, at, Map) {
		return
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		there := Pos{Place: m.Place, Field: at.nameOf(m.Name), node: m.Value}
		switch {
		case seen[m.Name]:
			r.Refuse(there, "is given twice")
		case !isOwnName(m.Name):
			r.Refuse(there, "is not a name: names have 1 to 200 characters and no blanks")
		}
		seen[m.Name] = true
		e := Entry[T]{Pos: there, Name: m.Name}
		value := m.Value
		if value.Kind == Null && reflect.TypeFor[T]().Kind() == reflect.Struct { // a name without a value, such as "general:"
			value = &Node{Place: m.Place, Kind: Map}
		}
		if value.Kind != Null {
			r.read(value, there, reflect.ValueOf(&e.Value).Elem(), "")
		}
		*l = append(*l, e)
	}
}

// Ref refers to another entity: by the document's own name, or by a name that the
// environment knows.
type Ref struct {
	Pos
	Name string
}

func (f *Ref) read(r *Reader, n *Node, at Pos) {
	f.Pos = at
	if r.is(n, at, String) {
		if f.Name = n.Scalar; !isOwnName(n.Scalar) {
			r.Refuse(at, "is not a name: names have 1 to 200 characters and no blanks")
		}
	}
}

// Text is a text that may be written as a number or a boolean.
type Text string

func (t *Text) read(r *Reader, n *Node, at Pos) {
	if n.Kind != Number && n.Kind != Bool && !r.is(n, at, String) {
		return
	}
	if *t = Text(n.Scalar); n.Digits != "" { // such as a telephone number or postal code
		*t = Text(n.Digits)
	}
}

// Raw is any JSON value.
type Raw json.RawMessage

func (j *Raw) read(_ *Reader, n *Node, _ Pos) { *j = n.JSON() }

// JSON returns the node as a JSON text.
func (n *Node) JSON() []byte { return appendJSON(nil, n) }

func appendJSON(b []byte, n *Node) []byte {
	switch n.Kind {
	case Bool, Number:
		return append(b, n.Scalar...)
	case String:
		return appendString(b, n.Scalar)
	case List:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case Map:
		b = append(b, '{')
		for i, m := range n.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(append(appendString(b, m.Name), ':'), m.Value)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

func appendString(b []byte, s string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// Object is a JSON object with members as raw JSON.
type Object map[string]json.RawMessage

func (o *Object) read(r *Reader, n *Node, at Pos) {
	if !r.is(n, at, Map) {
		return
	}
	*o = Object{}
	for _, m := range n.Members {
		if _, twice := (*o)[m.Name]; twice {
			r.Refuse(Pos{Place: m.Place, Field: at.nameOf(m.Name)}, "is given twice")
		}
		(*o)[m.Name] = m.Value.JSON()
	}
}

// Time is a time: absolute, or relative to the environment's clock.
type Time struct {
	Micros int64 // since 1970; 0 if absent
	Pos
}

const timeHelp = "must be a time such as 2026-01-31T09:00:00Z or 2026-01-31, or one relative to the environment's clock such as -3d2h"

func (t *Time) read(r *Reader, n *Node, at Pos) {
	t.Pos = at
	if !r.is(n, at, String) {
		return
	}
	when, ok := ParseTime(n.Scalar, r.Now)
	if !ok {
		r.Refuse(at, timeHelp)
		return
	}
	t.Micros = when.UnixMicro()
}

// Or returns the time, or micros if it is absent.
func (t Time) Or(micros int64) int64 {
	if t.Micros == 0 {
		return micros
	}
	return t.Micros
}

var relative = regexp.MustCompile(`^([+-])((?:\d{1,6}(?:w|d|h|ms|m|s))+)$`)
var step = regexp.MustCompile(`(\d+)(w|d|h|ms|m|s)`)

var units = map[string]time.Duration{"w": 7 * 24 * time.Hour, "d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond}

// The range of times that a document may contain.
var earliest, latest = time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// ParseTime parses a time: "now", an offset from now such as -3d2h (w, d, h, m,
// s, ms), an RFC 3339 time or a date. It reports whether s is valid.
func ParseTime(s string, now time.Time) (t time.Time, ok bool) {
	switch m := relative.FindStringSubmatch(s); {
	case s == "now":
		return now, true
	case m != nil:
		var d time.Duration
		for _, part := range step.FindAllStringSubmatch(m[2], -1) {
			n, _ := strconv.Atoi(part[1])
			if n > 200*365*24*3600 || d > 200*365*24*time.Hour {
				return t, false
			}
			d += min(time.Duration(n), 200*365*24*time.Hour/units[part[2]]) * units[part[2]]
		}
		if m[1] == "-" {
			d = -d
		}
		t = now.Add(d)
	default:
		layout := time.RFC3339Nano
		if len(s) == len(time.DateOnly) {
			layout = time.DateOnly
		}
		var err error
		if t, err = time.Parse(layout, strings.ToUpper(s)); err != nil {
			return t, false
		}
	}
	return t, t.After(earliest) && t.Before(latest)
}

// Day is a calendar day, YYYY-MM-DD; it may be written as any Time.
type Day string

func (d *Day) read(r *Reader, n *Node, at Pos) {
	if !r.is(n, at, String) {
		return
	}
	when, ok := ParseTime(n.Scalar, r.Now)
	if !ok {
		r.Refuse(at, timeHelp)
		return
	}
	*d = Day(when.UTC().Format(time.DateOnly))
}
