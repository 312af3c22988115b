package inject

import (
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

// conditions are what a rule asks of a request besides its body.
type conditions struct{ service, operation, method, path, by, principal, tool string }

// group is the rules on requests that ask for the same but for the body: what they
// have in common is asked once.
type group struct {
	conditions
	open  bool       // one of them fits whatever the body holds, or that does not show at once
	texts []expected // else
}

// expected is the texts of which rules expect one at a place in the body.
type expected struct {
	at    match.Pointer
	texts map[string]struct{}
}

// grouped returns the groups of some rules.
func grouped(rules []*armed) (groups []group) {
	places := map[conditions]int{}
	for _, r := range rules {
		at, known := places[r.asks]
		if !known {
			at = len(groups)
			places[r.asks] = at
			groups = append(groups, group{conditions: r.asks})
		}
		groups[at].add(r.body)
	}
	return groups
}

// add adds what a rule expects of a body: one text of it, because all must hold.
func (g *group) add(body []pointer) {
	for _, p := range body {
		text, ok := p.matcher.Text()
		if !ok {
			continue
		}
		at := slices.IndexFunc(g.texts, func(e expected) bool { return slices.Equal(e.at, p.path) })
		if at < 0 {
			at = len(g.texts)
			g.texts = append(g.texts, expected{p.path, map[string]struct{}{}})
		}
		g.texts[at].texts[text] = struct{}{}
		return
	}
	g.open = true
}

// mayFit reports whether one of the rules may fit a request.
func (r *rules) mayFit(q *Request) bool {
	for i := range r.groups {
		if r.groups[i].mayFit(q) {
			return true
		}
	}
	return false
}

// mayFit reports whether one of the rules may fit a request: what it refuses fits none.
func (g *group) mayFit(q *Request) bool {
	if !g.hold(q) {
		return false
	}
	if g.open {
		return true
	}
	body := q.Body()
	for _, e := range g.texts {
		switch v := body.At(e.at).(type) {
		case string:
			if _, is := e.texts[v]; is {
				return true
			}
		case bool, json.Number: // a text may stand for it
			return true
		}
	}
	return false
}

// hold reports whether a request meets the conditions.
func (c *conditions) hold(q *Request) bool {
	tool, called := calledTool(q.Operations)
	if !called {
		tool = q.Tool
	}
	return (c.service == "" || c.service == q.Service) &&
		(!called || strings.HasPrefix(c.operation, record.ToolPrefix)) && // by a client of a tool server: all other rules are about the requests that the tool makes
		(c.operation == "" || slices.ContainsFunc(q.Operations, func(name string) bool { return record.Matches(c.operation, name) })) &&
		(c.method == "" || strings.EqualFold(c.method, q.Method)) && (c.path == "" || record.Matches(c.path, q.Path)) &&
		(c.by == "" || c.by == q.By.Actor.String()) && (c.principal == "" || c.principal == q.By.ID || c.principal == q.By.Principal) &&
		(c.tool == "" || tool != "" && record.Matches(c.tool, tool))
}
