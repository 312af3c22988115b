package match

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
)

const (
	maxPattern = 1000  // characters of a regular expression
	maxProgram = 2_500 // instructions of the compiled expression: matching a text tests all of them at each character
)

// Members lists the members of matcher objects.
var Members = []string{"is", "not", "any_of", "none_of", "contains", "not_contains", "starts_with", "ends_with", "matches",
	"above", "below", "at_least", "at_most", "present", "length", "json", "includes", "includes_all", "ignoring"}

// BadMatcher rejects an invalid matcher.
var BadMatcher = fault.New(fault.Invalid, "invalid_value", "This is not a matcher.")

// Report receives the problems of a document.
type Report interface {
	// Problem reports a problem at a place.
	Problem(at seeddoc.Pos, format string, args ...any)
	// Unknown reports an unknown member of an object.
	Unknown(at seeddoc.Pos, name string, known []string)
}

// Parse parses a matcher from JSON; field is its name in errors. It returns
// BadMatcher with the field, strict.Unknown for an unknown member, and
// seeddoc.Malformed.
func Parse(field string, text []byte) (*Matcher, error) {
	n, err := seeddoc.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	var r first
	m := Read(&r, n, seeddoc.Pos{Place: n.Place, Field: field})
	return m, r.err
}

// first keeps the first problem.
type first struct{ err error }

func (f *first) Problem(at seeddoc.Pos, format string, args ...any) {
	if f.err == nil {
		f.err = BadMatcher.At(at.Field).Detailf(format, args...)
	}
}

func (f *first) Unknown(at seeddoc.Pos, name string, known []string) {
	if f.err == nil {
		f.err = strict.Refuse("member", at.Field, name, known)
	}
}

// Read reads the matcher at a place. It reports problems to r; the result is
// never nil.
func Read(r Report, n *seeddoc.Node, at seeddoc.Pos) *Matcher {
	return read(r, n, at, decoded(n.JSON()))
}

// read is Read with the matcher's JSON form. A nested matcher shares that of the
// outer one: otherwise each level would hold a copy of everything below it.
func read(r Report, n *seeddoc.Node, at seeddoc.Pos, shown any) *Matcher {
	m := &Matcher{At: at, shown: shown}
	if n.Kind != seeddoc.Map {
		m.tests = []test{{op: "is", operands: []operand{literal(n)}}}
		return m
	}
	if len(n.Members) == 0 {
		r.Problem(at, "an empty matcher expects nothing")
	}
	seen := map[string]bool{}
	object, _ := shown.(map[string]any)
	for _, member := range n.Members {
		there := seeddoc.Pos{Place: member.Place, Field: at.Field + "." + member.Name}
		switch {
		case !slices.Contains(Members, member.Name):
			r.Unknown(there, member.Name, Members)
		case seen[member.Name]:
			r.Problem(there, "is given twice")
		case member.Name == "ignoring":
			m.ignore = readIgnored(r, member.Value, there)
		default:
			m.tests = append(m.tests, readTest(r, member.Name, member.Value, there, object[member.Name]))
		}
		seen[member.Name] = true
	}
	if len(m.tests) == 0 && seen["ignoring"] {
		r.Problem(at, "a matcher that only ignores expects nothing")
	}
	if m.ignore&ignoreCase != 0 {
		for i := range m.tests {
			if t := &m.tests[i]; t.op == "matches" && t.pattern != nil {
				t.pattern = compile(r, at, "(?i)"+t.pattern.String())
			}
		}
	}
	return m
}

func readIgnored(r Report, n *seeddoc.Node, at seeddoc.Pos) (out ignore) {
	items := n.Items
	if n.Kind == seeddoc.String {
		items = []*seeddoc.Node{n}
	}
	if len(items) == 0 {
		r.Problem(at, "must be a list of %s", strings.Join(Ignorable, ", "))
	}
	for _, item := range items {
		one, ok := ignorable[item.Scalar]
		if !ok || item.Kind != seeddoc.String {
			r.Problem(at, "must be a list of %s", strings.Join(Ignorable, ", "))
		}
		out |= one
	}
	return out
}

func readTest(r Report, op string, n *seeddoc.Node, at seeddoc.Pos, shown any) test {
	t := test{op: op}
	switch op {
	case "any_of", "none_of", "includes_all":
		if n.Kind == seeddoc.String && strings.HasPrefix(n.Scalar, "$") { // a capture that may be a list
			t.operands = []operand{literal(n)}
			break
		}
		if n.Kind != seeddoc.List {
			r.Problem(at, "must be a list")
		} else if len(n.Items) == 0 {
			r.Problem(at, "must have at least one value: without any it has the same result for everything")
		}
		list, _ := shown.([]any)
		for i, item := range n.Items {
			if item.Kind != seeddoc.Map {
				t.operands = append(t.operands, literal(item))
				continue
			}
			var part any
			if i < len(list) { // shown is shorter if the member is repeated, which is an error
				part = list[i]
			}
			there := seeddoc.Pos{Place: item.Place, Field: at.Field + "[" + strconv.Itoa(i) + "]"}
			t.operands = append(t.operands, operand{inner: read(r, item, there, part)})
		}
	case "present":
		if n.Kind != seeddoc.Bool {
			r.Problem(at, "must be true or false")
		}
		t.want = n.Scalar == "true"
	case "length":
		t.inner = read(r, n, at, shown)
		if n.Kind != seeddoc.Map && n.Kind != seeddoc.Number {
			r.Problem(at, "must be a number or a matcher")
		}
	case "json":
		t.inner = read(r, n, at, shown)
		if n.Kind != seeddoc.Map {
			r.Problem(at, "must be a matcher, such as {contains: '\"type\":\"table\"'}")
		}
	case "not", "includes":
		if n.Kind == seeddoc.Map {
			t.inner = read(r, n, at, shown)
			break
		}
		t.operands = []operand{literal(n)}
	case "matches":
		t.pattern = readPattern(r, n, at)
	case "above", "below", "at_least", "at_most":
		t.operands = []operand{literal(n)}
		if n.Kind != seeddoc.Number && (n.Kind != seeddoc.String || !isBound(n.Scalar)) {
			r.Problem(at, "must be a number or a time, such as 2026-01-31T09:00:00Z or now-5m")
		}
	case "contains", "not_contains", "starts_with", "ends_with":
		t.operands = []operand{literal(n)}
		if n.Kind != seeddoc.String && n.Kind != seeddoc.Number && n.Kind != seeddoc.Bool {
			r.Problem(at, "must be a text")
		}
	default: // the member "is"
		t.operands = []operand{literal(n)}
	}
	return t
}

// isBound reports whether a text is a number, a time, or a name that may resolve
// to one.
func isBound(text string) bool {
	_, ok := momentOf(text, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return ok || isDecimal(text) || strings.HasPrefix(text, "$")
}

func readPattern(r Report, n *seeddoc.Node, at seeddoc.Pos) *regexp.Regexp {
	if n.Kind != seeddoc.String {
		r.Problem(at, "must be a regular expression")
		return never
	}
	if utf8.RuneCountInString(n.Scalar) > maxPattern {
		r.Problem(at, "must have at most %d characters", maxPattern)
		return never
	}
	return compile(r, at, n.Scalar)
}

// never matches no text; it replaces an invalid pattern.
var never = regexp.MustCompile(`[^\x00-\x{10FFFF}]`)

func compile(r Report, at seeddoc.Pos, text string) *regexp.Regexp {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		r.Problem(at, "is no regular expression (RE2): %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return never
	}
	if p, err := syntax.Compile(tree.Simplify()); err != nil || len(p.Inst) > maxProgram {
		r.Problem(at, "repeats too much")
		return never
	}
	re, err := regexp.Compile(text)
	if err != nil {
		r.Problem(at, "is no regular expression (RE2)")
		return never
	}
	return re
}

// literal returns the value of a node.
func literal(n *seeddoc.Node) operand {
	v := decoded(n.JSON())
	if n.Digits != "" { // such as 0049: a number in YAML, but perhaps meant as text
		return operand{values: []any{v, n.Digits}}
	}
	return operand{values: []any{v}}
}

// UnmarshalJSON reads a matcher of a request body. It returns what Parse returns.
func (m *Matcher) UnmarshalJSON(text []byte) error {
	read, err := Parse("", text)
	if err == nil {
		*m = *read
	}
	return err
}

// MarshalJSON returns the matcher as it was written.
func (m *Matcher) MarshalJSON() ([]byte, error) { return json.Marshal(m.shown) }
