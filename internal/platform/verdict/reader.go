package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
	"understudy/internal/platform/verdict/match"
)

// The errors of this package.
var (
	// Invalid means that a document cannot be evaluated; its Attrs are
	// seeddoc.Problems.
	Invalid = fault.New(fault.Unprocessable, "invalid_verdict", "The verdict names something that does not exist.")
	// TooManyRows means that an entity has too many things to search.
	TooManyRows = fault.New(fault.Unprocessable, "too_many_rows", "")
	// TooLong means that an evaluation was aborted.
	TooLong = fault.New(fault.Unprocessable, "verdict_too_long", "It takes too long to reach this verdict: expect less at once, or leave out patterns.")
	// TooManyChanges means that there are too many changes to evaluate.
	TooManyChanges = fault.New(fault.Unprocessable, "too_many_changes", "There are more than 100000 changes.")
)

// The bounds of a document.
const (
	maxExpectations = 500
	maxRules        = 200
	maxProblems     = 50
)

// form parses the values of a document and collects problems.
type form struct {
	problems seeddoc.Problems
	unknown  error // the first unknown member
}

// Problem records a problem at a place.
func (r *form) Problem(at seeddoc.Pos, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, problem(at, format, args...))
	}
}

// Unknown records an unknown member.
func (r *form) Unknown(at seeddoc.Pos, name string, known []string) {
	if r.unknown != nil {
		return
	}
	e, _ := fault.As(strict.Refuse("member", at.Field, name, known))
	near, _ := e.Attrs.(strict.Suggestion)
	r.unknown = e.With(strict.Located{Suggestion: near, Line: at.Line, Column: at.Column})
}

func (r *form) err() error {
	if r.unknown != nil {
		return r.unknown
	}
	return refuse(r.problems)
}

// refuse returns Invalid with the problems in the order of their lines, nil if
// there are none.
func refuse(problems seeddoc.Problems) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b seeddoc.Problem) int { return cmp.Compare(a.Line, b.Line) })
	first := problems[0]
	at := fmt.Sprintf("line %d", first.Line)
	if first.Field != "" {
		at += ", " + first.Field
	}
	return Invalid.Detailf("%s: %s", at, first.Message).With(problems)
}

// member is a possible member of an object, with its parser.
type member struct {
	name string
	read func(n *seeddoc.Node, at seeddoc.Pos)
}

// object reads the members of a mapping. A null member counts as absent.
func (r *form) object(n *seeddoc.Node, at seeddoc.Pos, members ...member) {
	if n.Kind != seeddoc.Map {
		r.Problem(at, "must be a mapping")
		return
	}
	known := make([]string, len(members))
	for i, m := range members {
		known[i] = m.name
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		there := below(at, m)
		i := slices.Index(known, m.Name)
		switch {
		case i < 0:
			r.Unknown(there, m.Name, known)
		case seen[m.Name]:
			r.Problem(there, "is given twice")
		case m.Value.Kind != seeddoc.Null:
			members[i].read(m.Value, there)
		}
		seen[m.Name] = true
	}
}

func below(at seeddoc.Pos, m seeddoc.Member) seeddoc.Pos {
	field := m.Name
	if at.Field != "" {
		field = at.Field + "." + m.Name
	}
	return seeddoc.Pos{Place: m.Place, Field: field}
}

func item(at seeddoc.Pos, i int, n *seeddoc.Node) seeddoc.Pos {
	return seeddoc.Pos{Place: n.Place, Field: at.Field + "[" + strconv.Itoa(i) + "]"}
}

// list reads a list of at most most items.
func (r *form) list(n *seeddoc.Node, at seeddoc.Pos, most int, read func(i int, n *seeddoc.Node, at seeddoc.Pos)) {
	if n.Kind != seeddoc.List {
		r.Problem(at, "must be a list")
		return
	}
	if len(n.Items) > most {
		r.Problem(at, "must have at most %d items", most)
		return
	}
	for i, one := range n.Items {
		read(i, one, item(at, i, one))
	}
}

func (r *form) text(n *seeddoc.Node, at seeddoc.Pos) string {
	if n.Kind != seeddoc.String {
		r.Problem(at, "must be a text")
		return ""
	}
	return n.Scalar
}

func (r *form) flag(n *seeddoc.Node, at seeddoc.Pos) bool {
	if n.Kind != seeddoc.Bool {
		r.Problem(at, "must be true or false")
	}
	return n.Scalar == "true"
}

// whole reads an integer of at least 0.
func (r *form) whole(n *seeddoc.Node, at seeddoc.Pos) int {
	i, err := strconv.Atoi(n.Scalar)
	if n.Kind != seeddoc.Number || err != nil || i < 0 || i > math.MaxInt32 {
		r.Problem(at, "must be a whole number of at least 0")
		return 0
	}
	return i
}

func (r *form) choice(n *seeddoc.Node, at seeddoc.Pos, first, second string) bool {
	if n.Kind != seeddoc.String || n.Scalar != first && n.Scalar != second {
		r.Problem(at, "must be %s or %s", first, second)
	}
	return n.Scalar == second
}

// into returns a parser that stores the result of f.
func into[T any](v *T, f func(n *seeddoc.Node, at seeddoc.Pos) T) func(n *seeddoc.Node, at seeddoc.Pos) {
	return func(n *seeddoc.Node, at seeddoc.Pos) { *v = f(n, at) }
}

// matcher reads a matcher.
func (r *form) matcher(n *seeddoc.Node, at seeddoc.Pos) *match.Matcher { return match.Read(r, n, at) }

// count reads a number, or an object of at_least and at_most.
func (r *form) count(n *seeddoc.Node, at seeddoc.Pos) count {
	if n.Kind != seeddoc.Map {
		i := r.whole(n, at)
		return count{i, i}
	}
	c := count{most: -1}
	r.object(n, at, member{"at_least", into(&c.least, r.whole)}, member{"at_most", into(&c.most, r.whole)})
	if len(n.Members) == 0 || c.most >= 0 && c.most < c.least {
		r.Problem(at, "must be a number, or at_least and at_most")
	}
	return c
}

func (r *form) weight(n *seeddoc.Node, at seeddoc.Pos) float64 {
	f, err := strconv.ParseFloat(n.Scalar, 64)
	if n.Kind != seeddoc.Number || err != nil || f < 0 || f > 1e6 {
		r.Problem(at, "must be a number from 0 to 1000000")
		return 0
	}
	return f
}

// value returns the Go value of a node.
func value(n *seeddoc.Node) any {
	return match.Normal(json.RawMessage(n.JSON()))
}

func problem(at seeddoc.Pos, format string, args ...any) seeddoc.Problem {
	return seeddoc.Problem{Place: at.Place, Field: at.Field, Message: fmt.Sprintf(format, args...)}
}
