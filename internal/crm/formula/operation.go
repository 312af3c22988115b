package formula

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// signature lists the operand kinds and the result kind of an operator or
// function.
type signature struct {
	takes    []Kind
	optional int  // how many trailing operands may be omitted
	more     bool // the last operand may be repeated
	returns  Kind
	compute  func(v []value) value
}

func num(f float64) value { return value{number: f, null: math.IsNaN(f) || math.IsInf(f, 0)} }
func txt(s string) value  { return value{string: s, null: len(s) > maxResult} }
func yes(b bool) value    { return value{bool: b} }

func numbers(f func(a, b float64) float64) signature {
	return signature{takes: []Kind{Number, Number}, returns: Number, compute: func(v []value) value { return num(f(v[0].number, v[1].number)) }}
}

// extreme is the largest or the smallest of two or more numbers.
func extreme(f func(a, b float64) float64) signature {
	return signature{takes: []Kind{Number, Number}, more: true, returns: Number, compute: func(v []value) value {
		out := v[0].number
		for _, one := range v[1:] {
			out = f(out, one.number)
		}
		return num(out)
	}}
}

func ofNumber(f func(a float64) float64) signature {
	return signature{takes: []Kind{Number}, returns: Number, compute: func(v []value) value { return num(f(v[0].number)) }}
}

func compare(f func(order int) bool) []signature {
	return []signature{
		{takes: []Kind{Number, Number}, returns: Bool, compute: func(v []value) value {
			switch {
			case v[0].number < v[1].number:
				return yes(f(-1))
			case v[0].number > v[1].number:
				return yes(f(1))
			}
			return yes(f(0))
		}},
		{takes: []Kind{Text, Text}, returns: Bool, compute: func(v []value) value { return yes(f(strings.Compare(v[0].string, v[1].string))) }},
	}
}

func equal(is bool) []signature {
	return append(compare(func(order int) bool { return order == 0 == is }),
		signature{takes: []Kind{Bool, Bool}, returns: Bool, compute: func(v []value) value { return yes(v[0].bool == v[1].bool == is) }})
}

func rounding(round func(float64) float64) []signature {
	return []signature{{takes: []Kind{Number, Number}, optional: 1, returns: Number, compute: func(v []value) value {
		if len(v) == 1 {
			return num(round(v[0].number))
		}
		scale := math.Pow(10, math.Trunc(v[1].number))
		return num(round(v[0].number*scale) / scale)
	}}}
}

func texts(f func(a, b string) bool) []signature {
	return []signature{{takes: []Kind{Text, Text}, returns: Bool, compute: func(v []value) value { return yes(f(v[0].string, v[1].string)) }}}
}

// operations maps operators and functions to their signatures, except is_present
// and coalesce, which read operands without a value.
var operations = map[string][]signature{
	"or":  {{takes: []Kind{Bool, Bool}, returns: Bool, compute: func(v []value) value { return yes(v[0].bool || v[1].bool) }}},
	"and": {{takes: []Kind{Bool, Bool}, returns: Bool, compute: func(v []value) value { return yes(v[0].bool && v[1].bool) }}},
	"not": {{takes: []Kind{Bool}, returns: Bool, compute: func(v []value) value { return yes(!v[0].bool) }}},
	"=":   equal(true), "!=": equal(false),
	"<": compare(func(o int) bool { return o < 0 }), "<=": compare(func(o int) bool { return o <= 0 }),
	">": compare(func(o int) bool { return o > 0 }), ">=": compare(func(o int) bool { return o >= 0 }),
	"+": {numbers(func(a, b float64) float64 { return a + b }),
		{takes: []Kind{Text, Text}, returns: Text, compute: func(v []value) value { return txt(v[0].string + v[1].string) }}},
	"-": {numbers(func(a, b float64) float64 { return a - b })}, "*": {numbers(func(a, b float64) float64 { return a * b })},
	"/": {numbers(func(a, b float64) float64 { return a / b })}, "negative": {ofNumber(func(a float64) float64 { return -a })},
	"max": {extreme(math.Max)}, "min": {extreme(math.Min)}, "pow": {numbers(math.Pow)},
	"abs": {ofNumber(math.Abs)}, "sqrt": {ofNumber(math.Sqrt)},
	"round_nearest": rounding(math.Round), "round_up": rounding(math.Ceil), "round_down": rounding(math.Floor),
	"contains": texts(strings.Contains), "begins_with": texts(strings.HasPrefix),
	"concatenate": {{takes: []Kind{Text, Text}, more: true, returns: Text, compute: func(v []value) value {
		var b strings.Builder
		for _, one := range v {
			b.WriteString(one.string)
		}
		return txt(b.String())
	}}},
	"parse_number": {{takes: []Kind{Text}, returns: Number, compute: func(v []value) value {
		f, err := strconv.ParseFloat(strings.TrimSpace(v[0].string), 64)
		if err != nil {
			return value{null: true}
		}
		return num(f)
	}}},
	"number_to_string": {{takes: []Kind{Number}, returns: Text, compute: func(v []value) value { return txt(v[0].text(Number)) }}},
}

var synonyms = map[string]string{"||": "or", "&&": "and", "==": "=", "equals": "=", "!": "not"}

// operation returns an operator or function with its operands.
func (p *parser) operation(op string, args ...node) (node, error) {
	if s := synonyms[op]; s != "" {
		op = s
	}
	if op == "is_present" {
		if len(args) != 1 {
			return nil, p.fail("is_present has one argument")
		}
		return presence{args[0]}, nil
	}
	if op == "coalesce" {
		return p.coalesce(args)
	}
	forms, ok := operations[op]
	if !ok {
		return nil, p.fail("there is no function %q", op)
	}
	kinds := make([]string, len(args))
	for i, a := range args {
		kinds[i] = string(a.kind())
	}
	i := slices.IndexFunc(forms, func(s signature) bool { return s.fits(args) })
	if i < 0 {
		return nil, p.fail("%q cannot be used with (%s)", op, strings.Join(kinds, ", "))
	}
	return operation{forms[i], args}, nil
}

func (p *parser) coalesce(args []node) (node, error) {
	if len(args) < 2 {
		return nil, p.fail("coalesce has two or more arguments")
	}
	for _, a := range args {
		if a.kind() != args[0].kind() {
			return nil, p.fail("the arguments of coalesce must have one type, not %s and %s", args[0].kind(), a.kind())
		}
	}
	return coalesce(args), nil
}

func (s signature) fits(args []node) bool {
	if len(args) < len(s.takes)-s.optional || len(args) > len(s.takes) && !s.more {
		return false
	}
	for i, a := range args {
		if a.kind() != s.takes[min(i, len(s.takes)-1)] {
			return false
		}
	}
	return true
}
