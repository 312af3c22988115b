package verdict

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/verdict/match"
)

// The kinds of rules: each is the member that holds what it is about.
const (
	never     = "never"
	called    = "called"
	before    = "before"
	atMost    = "at_most"
	noRepeats = "no_repeats"
)

// rule is a sentence about the requests.
type rule struct {
	common
	act       string
	selectors []*selector
	count     count
	most      int    // of at_most
	within    int    // of no_repeats
	operation string // of no_repeats
}

// selector picks requests.
type selector struct {
	service   string
	operation string
	status    *match.Matcher
	code      *match.Matcher
	tool      *match.Matcher
	by        by
	body      []bodyMatch
}

// bodyMatch is what is expected of a value in the body of a request.
type bodyMatch struct {
	pointer string
	matcher *match.Matcher
}

func (r *reader) rule(n *seeddoc.Node, at seeddoc.Pos) *rule {
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
			out.selectors = append(out.selectors, r.selector(n, at))
		}}
	}
	members := []member{one(never), one(called),
		{before, func(n *seeddoc.Node, at seeddoc.Pos) {
			act(before)
			r.list(n, at, 20, func(_ int, n *seeddoc.Node, at seeddoc.Pos) { out.selectors = append(out.selectors, r.selector(n, at)) })
			if len(out.selectors) < 2 {
				r.Problem(at, "must list what comes first and what comes after it")
			}
		}},
		{atMost, func(n *seeddoc.Node, at seeddoc.Pos) { act(atMost); out.most = r.whole(n, at) }},
		{noRepeats, func(n *seeddoc.Node, at seeddoc.Pos) {
			act(noRepeats)
			out.within, out.operation = 2, "*"
			r.object(n, at, member{"within", into(&out.within, r.whole)}, member{"operation", into(&out.operation, r.text)})
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
		r.gateOf(&out.common, n)
	}
	switch {
	case out.act == "":
		r.Problem(at, "must have one of %s", strings.Join([]string{never, called, before, atMost, noRepeats}, ", "))
	case counted && out.act != called:
		r.Problem(at, "count goes with called alone")
	}
	return out
}

// gateOf makes a check a gate, without weight unless one is given.
func (r *reader) gateOf(c *common, n *seeddoc.Node) {
	if n.Member("gate") == nil {
		c.gate = true
	}
	if n.Member("weight") == nil {
		c.weight = 0
	}
}

func (r *reader) selector(n *seeddoc.Node, at seeddoc.Pos) *selector {
	s := &selector{}
	matcher := func(to **match.Matcher) func(n *seeddoc.Node, at seeddoc.Pos) { return into(to, r.matcher) }
	r.object(n, at,
		member{"service", into(&s.service, r.service)}, member{"operation", into(&s.operation, r.text)},
		member{"status", matcher(&s.status)}, member{"code", matcher(&s.code)}, member{"tool", matcher(&s.tool)},
		member{"by", func(n *seeddoc.Node, at seeddoc.Pos) { s.by = r.by(n, at) }},
		member{"body", func(n *seeddoc.Node, at seeddoc.Pos) {
			for _, m := range r.fields(n, at) {
				if m.Name != "" && m.Name[0] != '/' {
					r.Problem(below(at, m), "must be a JSON pointer, such as /properties/email")
				}
				s.body = append(s.body, bodyMatch{m.Name, r.matcher(m.Value, below(at, m))})
			}
		}})
	if n.Kind == seeddoc.Map && len(n.Members) == 0 {
		r.Problem(at, "must name a service, an operation or something else of a request")
	}
	return s
}

// glob reports whether a text has the form of a pattern, in which * is any text.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// picks returns how many operations of a request a selector picks, and whether
// that is known: a body that was not kept may be any.
func (e *evaluation) picks(s *selector, q *Request) (n int, known bool, err error) {
	if q.Calls && !strings.HasPrefix(s.operation, "mcp.") || !s.by.is(q.Actor) || s.service != "" && s.service != q.Service {
		return 0, true, nil
	}
	for _, c := range []struct {
		m *match.Matcher
		v any
	}{{s.status, q.Status}, {s.code, orNull(q.Code)}, {s.tool, orNull(q.Tool)}} {
		if c.m != nil && !c.m.Matches(c.v, e.env) {
			return 0, true, nil
		}
	}
	n = len(q.Operations)
	if s.operation != "" {
		n = 0
		for _, o := range q.Operations {
			if glob(s.operation, o) {
				n++
			}
		}
	} else if n == 0 {
		n = 1
	}
	if n == 0 || len(s.body) == 0 {
		return n, true, nil
	}
	if q.Dropped {
		return n, false, nil
	}
	body := bodyOf(q.Body)
	for _, b := range s.body {
		want, err := e.bind(b.matcher, diff.Field{})
		if err != nil {
			return 0, true, err
		}
		if !want.Matches(pointed(body, b.pointer), e.env) {
			return 0, true, nil
		}
	}
	return n, true, nil
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// byAgent returns how many requests the agent made; a call of a tool counts as
// the requests that the tool made.
func (e *evaluation) byAgent() (n int) {
	for i := range e.requests {
		if e.isCounted(&e.requests[i]) {
			n++
		}
	}
	return n
}

func (e *evaluation) isCounted(q *Request) bool { return q.Actor.Kind == Agent && !q.Calls }

// hits are the requests that a selector picks.
type hits struct {
	calls    []Call
	n        int   // operations
	perhaps  int   // operations of requests whose body is not known
	first    int64 // the number of the first request; 0 for none
	firstMay int64 // that of the first that may be picked
}

func (e *evaluation) hits(s *selector) (h hits, err error) {
	for i := range e.requests {
		q := &e.requests[i]
		n, known, err := e.picks(s, q)
		if err != nil {
			return h, err
		}
		if n == 0 {
			continue
		}
		if h.firstMay == 0 {
			h.firstMay = q.Seq
		}
		if !known {
			h.perhaps += n
			continue
		}
		if h.first == 0 {
			h.first = q.Seq
		}
		h.n += n
		h.calls = append(h.calls, callOf(q))
	}
	return h, nil
}

func callOf(q *Request) Call {
	return Call{Seq: q.Seq, Operation: strings.Join(q.Operations, ", "), Status: q.Status}
}

func evidence(list []Call) Evidence { return Evidence{Requests: list[:min(len(list), maxEvidence)]} }

// rule decides one rule.
func (e *evaluation) rule(r *rule) (Check, error) {
	switch r.act {
	case atMost:
		n := e.byAgent()
		switch {
		case n > r.most:
			return r.result(decided(false), fmt.Sprintf("the agent made %s", plural(n, "request")), Evidence{}), nil
		case !e.complete:
			return r.result(nil, incomplete, Evidence{}), nil
		}
		return r.result(decided(true), "", Evidence{}), nil
	case noRepeats:
		return e.noRepeats(r), nil
	case before:
		return e.before(r)
	}
	h, err := e.hits(r.selectors[0])
	if err != nil {
		return unmet(r, err)
	}
	c := r.count
	if r.act == never {
		c = count{0, 0}
	}
	most := h.n + h.perhaps
	if !e.complete {
		most = max(most, c.most, c.least) + 1 // there may have been any number
	}
	can, must := false, true
	for n := h.n; n <= most; n++ {
		can, must = can || c.holds(n), must && c.holds(n)
	}
	switch {
	case must:
		return r.result(decided(true), "", evidence(h.calls)), nil
	case can:
		return r.result(nil, incomplete, evidence(h.calls)), nil
	case r.act == never:
		return r.result(decided(false), "it was called", evidence(h.calls)), nil
	}
	return r.result(decided(false), fmt.Sprintf("it was called %d times, wanted %s", h.n, c), evidence(h.calls)), nil
}

const incomplete = "the recording is incomplete"

// unmet decides a rule that refers to what is not there.
func unmet(r *rule, err error) (Check, error) {
	if missing, ok := err.(unbound); ok {
		return r.result(decided(r.act == never), missing.Error(), Evidence{}), nil
	}
	return Check{}, err
}

// before decides whether each operation was called, the first time before the
// first time of the next.
func (e *evaluation) before(r *rule) (Check, error) {
	var list []Call
	last := int64(0)
	for i, s := range r.selectors {
		h, err := e.hits(s)
		if err != nil {
			return unmet(r, err)
		}
		switch {
		case !e.complete || h.firstMay != 0 && h.firstMay != h.first:
			return r.result(nil, incomplete, evidence(list)), nil
		case h.first == 0:
			return r.result(decided(false), fmt.Sprintf("what %s[%d] selects was never called", before, i), evidence(list)), nil
		}
		list = append(list, h.calls[0])
		if h.first <= last {
			return r.result(decided(false), fmt.Sprintf("what %s[%d] selects was called first", before, i), evidence(list)), nil
		}
		last = h.first
	}
	return r.result(decided(true), "", evidence(list)), nil
}

// noRepeats decides whether the agent made the same request twice within so many.
func (e *evaluation) noRepeats(r *rule) Check {
	type done struct {
		place int
		call  Call
	}
	last := map[uint64]done{}
	place, unsure := 0, !e.complete
	for i := range e.requests {
		q := &e.requests[i]
		if !e.isCounted(q) || !slices.ContainsFunc(q.Operations, func(o string) bool { return glob(r.operation, o) }) {
			if e.isCounted(q) {
				place++
			}
			continue
		}
		place++
		if q.Dropped {
			unsure = true
			continue
		}
		h := fnv.New64a()
		for _, o := range q.Operations {
			_, _ = h.Write(append([]byte(o), 0))
		}
		_, _ = h.Write(q.Body)
		if d, ok := last[h.Sum64()]; ok && place-d.place < r.within {
			return r.result(decided(false), "the same request was made twice", evidence([]Call{d.call, callOf(q)}))
		}
		last[h.Sum64()] = done{place, callOf(q)}
	}
	if unsure {
		return r.result(nil, incomplete, Evidence{})
	}
	return r.result(decided(true), "", Evidence{})
}
