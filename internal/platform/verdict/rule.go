package verdict

import (
	"slices"
	"strconv"
	"strings"

	"understudy/internal/platform/record"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
	"understudy/internal/platform/verdict/match"
)

// The kinds of rules: each is the member that contains the selector.
const (
	never     = "never"
	called    = "called"
	before    = "before"
	atMost    = "at_most"
	noRepeats = "no_repeats"
)

// rule is an expectation of the requests.
type rule struct {
	common
	act       string
	selectors []*selector
	count     count
	most      int    // of at_most
	within    int    // of no_repeats
	operation string // of no_repeats
}

// selector selects requests.
type selector struct {
	service   string
	operation string
	status    *match.Matcher
	code      *match.Matcher
	tool      *match.Matcher
	by        by
	body      []bodyMatch
}

// bodyMatch is the expectation of a value in the body of a request.
type bodyMatch struct {
	place   match.Pointer
	matcher *match.Matcher
}

// readRule reads a rule.
func readRule(r *reader, n *seeddoc.Node, at seeddoc.Pos) *rule {
	out := &rule{common: common{weight: 1}, count: count{1, -1}}
	counted := false
	act := func(name string) {
		if out.act != "" {
			r.Problem(at, "there is %s already: a rule is about one thing", out.act)
		}
		out.act = name
	}
	one := func(name string) member {
		return member{name, func(n *seeddoc.Node, at seeddoc.Pos) {
			act(name)
			out.selectors = append(out.selectors, readSelector(r, n, at))
		}}
	}
	members := []member{one(never), one(called),
		{before, func(n *seeddoc.Node, at seeddoc.Pos) {
			act(before)
			r.list(n, at, 20, func(_ int, n *seeddoc.Node, at seeddoc.Pos) {
				out.selectors = append(out.selectors, readSelector(r, n, at))
			})
			if len(out.selectors) < 2 {
				r.Problem(at, "must list what comes first and what comes after it")
			}
		}},
		{atMost, func(n *seeddoc.Node, at seeddoc.Pos) { act(atMost); out.most = r.whole(n, at) }},
		{noRepeats, func(n *seeddoc.Node, at seeddoc.Pos) {
			act(noRepeats)
			out.within, out.operation = 2, "*"
			r.object(n, at, member{"within", into(&out.within, r.whole)}, member{"operation", into(&out.operation, r.operation)})
			if out.within < 2 {
				r.Problem(at, "within must be at least 2 requests")
			}
		}},
		{"count", func(n *seeddoc.Node, at seeddoc.Pos) { out.count, counted = r.count(n, at), true }}}
	r.object(n, at, append(members, r.shared(&out.common, at)...)...)
	if n.Kind != seeddoc.Map {
		return out
	}
	if out.act == never {
		makeGate(&out.common, n)
	}
	switch {
	case out.act == "":
		r.Problem(at, "must have one of %s", strings.Join([]string{never, called, before, atMost, noRepeats}, ", "))
	case counted && out.act != called:
		r.Problem(at, "count goes with called alone")
	}
	return out
}

// makeGate makes a check a gate, by default without weight.
func makeGate(c *common, n *seeddoc.Node) {
	if n.Member("gate") == nil {
		c.gate = true
	}
	if n.Member("weight") == nil {
		c.weight = 0
	}
}

// operation reads a pattern of operations, and reports one that matches none.
func (r *reader) operation(n *seeddoc.Node, at seeddoc.Pos) string {
	name := r.text(n, at)
	near, ok := r.vocabulary.operations.Check(name)
	switch {
	case ok || n.Kind != seeddoc.String:
	case near != "":
		r.Problem(at, "there is no operation %q; perhaps %q is meant", name, near)
	default:
		r.Problem(at, "there is no operation %q; GET /admin/v1/entities lists them", name)
	}
	return name
}

// readSelector reads a selector.
func readSelector(r *reader, n *seeddoc.Node, at seeddoc.Pos) *selector {
	s := &selector{}
	matcher := func(to **match.Matcher, check func(r *reader, text string, at seeddoc.Pos)) func(n *seeddoc.Node, at seeddoc.Pos) {
		return func(n *seeddoc.Node, at seeddoc.Pos) {
			if *to = r.matcher(n, at); *to != nil && check != nil {
				if text, ok := (*to).Text(); ok {
					check(r, text, at)
				}
			}
		}
	}
	r.object(n, at,
		member{"service", into(&s.service, r.service)}, member{"operation", into(&s.operation, r.operation)},
		member{"status", matcher(&s.status, checkStatus)}, member{"code", matcher(&s.code, nil)}, member{"tool", matcher(&s.tool, checkTool)},
		member{"by", func(n *seeddoc.Node, at seeddoc.Pos) { s.by = r.by(n, at) }},
		member{"body", func(n *seeddoc.Node, at seeddoc.Pos) {
			for _, m := range readFields(r.form, n, at) {
				place, ok := match.ParsePointer(m.Name)
				if !ok {
					r.Problem(below(at, m), "must be a JSON pointer, such as /properties/email")
				}
				s.body = append(s.body, bodyMatch{place, r.matcher(m.Value, below(at, m))})
			}
		}})
	switch {
	case n.Kind == seeddoc.Map && len(n.Members) == 0:
		r.Problem(at, "must name a service, an operation or something else of a request")
	case s.service != "" && s.operation != "" && !has(r.vocabulary, s.service, s.operation):
		r.Problem(at, "%s has no operation %q", s.service, s.operation)
	}
	return s
}

// has reports whether a service may have an operation that matches a pattern. It
// returns true for a pattern that matches no operation at all, which is reported
// elsewhere.
func has(v *Vocabulary, service, pattern string) bool {
	if _, ok := v.operations.Check(pattern); !ok {
		return true
	}
	return v.operations == nil || slices.ContainsFunc(v.operations.In(service), func(name string) bool { return record.Matches(pattern, name) })
}

// checkStatus reports a text that is no status, such as 4xx.
func checkStatus(r *reader, text string, at seeddoc.Pos) {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		r.Problem(at, "must be a number such as 404, or a matcher such as {at_least: 400, below: 500}")
	}
}

// checkTool reports a name that no tool has.
func checkTool(r *reader, name string, at seeddoc.Pos) {
	tools := r.vocabulary.operations.Tools()
	if tools == nil || slices.Contains(tools, name) {
		return
	}
	meant := "GET /admin/v1/entities lists them among the operations, with mcp. before their names"
	if near := strict.Nearest(name, tools); near != "" {
		meant = "perhaps " + strconv.Quote(near) + " is meant"
	}
	r.Problem(at, "there is no tool %q; %s", name, meant)
}
