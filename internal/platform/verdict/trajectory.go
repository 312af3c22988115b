package verdict

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

// course evaluates rules on the recorded requests.
type course struct {
	*scope
	requests []Request
	complete bool
}

// picks returns how many operations of a request a selector selects; known is
// false if that depends on a body that was not kept.
func (e *course) picks(s *selector, q *Request) (n int, known bool, err error) {
	if q.isInternal() || q.callsTool() && !strings.HasPrefix(s.operation, record.ToolPrefix) || !s.by.is(q.Actor) || s.service != "" && s.service != q.Service {
		return 0, true, nil
	}
	for _, c := range []struct {
		m *match.Matcher
		v any
	}{{s.status, q.Status}, {s.tool, orNull(q.Tool)}} {
		if c.m != nil && !c.m.Matches(c.v, e.env) {
			return 0, true, nil
		}
	}
	n = len(q.Operations)
	if s.operation != "" {
		n = 0
		for _, o := range q.Operations {
			if record.Matches(s.operation, o) {
				n++
			}
		}
	} else if n == 0 {
		n = 1
	}
	if n == 0 || len(s.body) == 0 && s.code == nil {
		return n, true, nil
	}
	if q.Dropped {
		return n, false, nil
	}
	if s.code != nil && !s.code.Matches(codeOf(q.Reply), e.env) {
		return 0, true, nil
	}
	if len(s.body) == 0 {
		return n, true, nil
	}
	body := match.ReadBody(q.content())
	defer body.Close()
	for _, b := range s.body {
		want, err := e.bind(b.matcher, diff.Field{})
		if err != nil {
			return 0, true, err
		}
		if !want.Matches(body.At(b.place), e.env) {
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

// byAgent returns the number of requests by the agent; a call of a tool counts as
// the tool's requests.
func (e *course) byAgent() (n int) {
	for i := range e.requests {
		if isCounted(&e.requests[i]) {
			n++
		}
	}
	return n
}

func isCounted(q *Request) bool {
	return q.Actor.Kind == Agent && !q.callsTool() && !q.isInternal()
}

// hits is the requests that a selector selects.
type hits struct {
	calls    []Call
	n        int   // operations
	perhaps  int   // operations of requests with unknown bodies
	first    int64 // the number of the first request; 0 for none
	firstMay int64 // that of the first possible one
}

func (e *course) hits(s *selector) (h hits, err error) {
	for i := range e.requests {
		q := &e.requests[i]
		if err := e.alive(); err != nil {
			return h, err
		}
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

// rule evaluates one rule.
func (e *course) rule(r *rule) (Check, error) {
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
		most = max(most, c.most, c.least) + 1 // the number is unbounded
	}
	can, must := c.decides(h.n, most)
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

// unmet evaluates a rule that refers to something that does not exist.
func unmet(r *rule, err error) (Check, error) {
	if missing, ok := err.(unbound); ok {
		return r.result(decided(r.act == never), missing.Error(), Evidence{}), nil
	}
	return Check{}, err
}

// before checks that the operations were called, and each first called before the
// first call of the next.
func (e *course) before(r *rule) (Check, error) {
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

// noRepeats checks that the agent did not repeat a request within r.within
// requests.
func (e *course) noRepeats(r *rule) Check {
	type done struct {
		place int
		call  Call
	}
	last := map[uint64]done{}
	place, unsure := 0, !e.complete
	for i := range e.requests {
		q := &e.requests[i]
		if !isCounted(q) || !slices.ContainsFunc(q.Operations, func(o string) bool { return record.Matches(r.operation, o) }) {
			if isCounted(q) {
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
		for _, part := range append(slices.Clone(q.Operations), q.Path, q.Query) { // two records or pages of a list are two requests
			_, _ = h.Write(append([]byte(part), 0))
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
