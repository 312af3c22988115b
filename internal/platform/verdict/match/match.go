// Package match compares values of records, messages and requests with expected
// ones. A matcher is a value, which must be equal, or an object such as
// {"contains": "sign in", "ignoring": ["case"]}, all of whose members must match.
package match

import (
	"regexp"
	"slices"
	"time"

	"understudy/internal/platform/seeddoc"
)

// Matcher is an expectation of one value. The zero Matcher expects null.
type Matcher struct {
	At     seeddoc.Pos // its place in the document
	tests  []test
	ignore ignore
	shown  any // the matcher's JSON form, with captures replaced by Bind
}

// test is one member of a matcher.
type test struct {
	op       string
	operands []operand
	pattern  *regexp.Regexp // of matches
	inner    *Matcher       // of not, length, json and includes, when their value is an object
	want     bool           // of present
}

// operand is the value to compare with: one of several if a name matches several
// things.
type operand struct {
	values []any
	inner  *Matcher // instead of values
}

// Env is the environment of a comparison.
type Env struct {
	Now time.Time // the reference of "now-5m"
}

// Matches reports whether a value is as expected. A value has a type of JSON:
// nil, bool, string, json.Number or any number type of Go, json.RawMessage,
// []any, []string or map[string]any. A test fails for a value of another type
// than it expects.
func (m *Matcher) Matches(v any, e Env) bool {
	v = Normal(v)
	if len(m.tests) == 0 {
		return v == nil
	}
	for i := range m.tests {
		if !m.tests[i].holds(v, m.ignore, e) {
			return false
		}
	}
	return true
}

// Text returns the text that a matching string must equal, and whether there is
// one. The number or boolean in that text may match too, nothing else.
func (m *Matcher) Text() (text string, ok bool) {
	for i := range m.tests {
		if t := &m.tests[i]; t.op == "is" && m.ignore == 0 && len(t.operands) == 1 && len(t.operands[0].values) == 1 {
			if text, ok = t.operands[0].values[0].(string); ok {
				return text, true
			}
		}
	}
	return "", false
}

// Shown returns the matcher in its JSON form: a value or an object.
func (m *Matcher) Shown() any { return m.shown }

func (t *test) holds(v any, ig ignore, e Env) bool {
	switch t.op {
	case "is":
		return t.operands[0].equals(v, ig, e)
	case "not":
		if t.inner != nil {
			return !t.inner.Matches(v, e)
		}
		return !t.operands[0].equals(v, ig, e)
	case "any_of":
		return slices.ContainsFunc(t.operands, func(o operand) bool { return o.equals(v, ig, e) })
	case "none_of":
		return !slices.ContainsFunc(t.operands, func(o operand) bool { return o.equals(v, ig, e) })
	case "present":
		return (v != nil && v != "") == t.want
	case "length":
		n, ok := length(v)
		return ok && t.inner.Matches(n, e)
	case "json":
		return v != nil && t.inner.Matches(jsonOf(v), e)
	case "includes":
		return t.includes(v, ig, e)
	case "includes_all":
		list, _ := v.([]any)
		return !slices.ContainsFunc(t.operands, func(o operand) bool { return !o.within(list, ig, e) })
	case "above", "below", "at_least", "at_most":
		return t.operands[0].some(func(w any) bool {
			order, ok := compare(v, w, e)
			return ok && (t.op == "above" && order > 0 || t.op == "below" && order < 0 || t.op == "at_least" && order >= 0 || t.op == "at_most" && order <= 0)
		})
	}
	return t.holdsText(v, ig)
}

func (t *test) holdsText(v any, ig ignore) bool {
	text, ok := textOf(v)
	if !ok {
		return t.op == "not_contains"
	}
	text = ig.apply(text)
	if t.op == "matches" {
		return t.pattern.MatchString(text)
	}
	found := t.operands[0].some(func(w any) bool {
		part, ok := textOf(w)
		return ok && textTests[t.op](text, ig.apply(part))
	})
	return found != (t.op == "not_contains")
}

func (t *test) includes(v any, ig ignore, e Env) bool {
	list, _ := v.([]any)
	if t.inner != nil {
		return slices.ContainsFunc(list, func(item any) bool { return t.inner.Matches(item, e) })
	}
	return t.operands[0].within(list, ig, e)
}

func (o operand) some(f func(any) bool) bool { return slices.ContainsFunc(o.values, f) }

// equals reports whether a value equals the operand, or matches its matcher.
func (o operand) equals(v any, ig ignore, e Env) bool {
	if o.inner != nil {
		return o.inner.Matches(v, e)
	}
	return o.some(func(w any) bool { return equal(v, w, ig) })
}

// within reports whether an item of a list equals the operand.
func (o operand) within(list []any, ig ignore, e Env) bool {
	return slices.ContainsFunc(list, func(item any) bool { return o.equals(item, ig, e) })
}
