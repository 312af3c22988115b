package formula

import (
	"math"
	"strconv"
	"time"
)

// value is the value of an expression for one record.
type value struct {
	number float64
	string string
	bool   bool
	null   bool
}

// text returns a value in the form of properties: numbers as plain decimals with
// 15 digits.
func (v value) text(k Kind) string {
	switch k {
	case Number:
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v.number, 'g', 15, 64), 64)
		if f == 0 || math.IsInf(f, 0) {
			f = 0 // -0 becomes 0
		}
		return strconv.FormatFloat(f, 'f', -1, 64)
	case Bool:
		return strconv.FormatBool(v.bool)
	}
	return v.string
}

// node is a node of a formula's syntax tree.
type node interface {
	kind() Kind
	compute(read func(name string) string) value
}

type literal struct {
	value
	of Kind
}

func (l literal) kind() Kind                        { return l.of }
func (l literal) compute(func(string) string) value { return l.value }

// property reads the value of a property as a kind.
type property struct {
	name string
	of   Kind
}

func (p property) kind() Kind { return p.of }

func (p property) compute(read func(string) string) value {
	s := read(p.name)
	if s == "" {
		return value{null: true}
	}
	switch p.of {
	case Text:
		return txt(s)
	case Bool:
		return value{bool: s == "true", null: s != "true" && s != "false"}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return num(f)
	}
	at, ok := readTime(s)
	return value{number: float64(at.UnixMilli()), null: !ok}
}

// readTime parses a date or a time in the form of properties.
func readTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// datePart extracts the year or the month of a date.
type datePart struct {
	name string
	year bool
}

func (d datePart) kind() Kind { return Number }

func (d datePart) compute(read func(string) string) value {
	t, ok := readTime(read(d.name))
	if d.year {
		return value{number: float64(t.Year()), null: !ok}
	}
	return value{number: float64(t.Month()), null: !ok}
}

// presence evaluates whether an expression has a value.
type presence struct{ of node }

func (p presence) kind() Kind                             { return Bool }
func (p presence) compute(read func(string) string) value { return yes(!p.of.compute(read).null) }

// coalesce has the first value that there is.
type coalesce []node

func (c coalesce) kind() Kind { return c[0].kind() }

func (c coalesce) compute(read func(string) string) (v value) {
	for _, n := range c {
		if v = n.compute(read); !v.null {
			break
		}
	}
	return v
}

// operation applies an operator or a function; it has no value if an operand has
// none.
type operation struct {
	signature
	args []node
}

func (o operation) kind() Kind { return o.returns }

func (o operation) compute(read func(string) string) value {
	v := make([]value, len(o.args))
	for i, a := range o.args {
		if v[i] = a.compute(read); v[i].null {
			return v[i]
		}
	}
	return o.signature.compute(v)
}

// condition has the value of the first branch whose condition is true.
type condition struct {
	when      []node
	then      []node // with an else, one more than when
	otherwise node
}

func (c *condition) kind() Kind { return c.then[0].kind() }

func (c *condition) compute(read func(string) string) value {
	for i, w := range c.when {
		switch v := w.compute(read); {
		case v.null:
			return v
		case v.bool:
			return c.then[i].compute(read)
		}
	}
	if c.otherwise == nil {
		return value{null: true}
	}
	return c.otherwise.compute(read)
}
