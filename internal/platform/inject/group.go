package inject

import (
	"encoding/json"
	"slices"
	"strings"

	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

// conditions are the conditions of a rule on a request, except on its body.
type conditions struct{ service, operation, method, path, by, principal, tool string }

// group is the rules on requests with the same conditions except on the body, so
// that these are tested once.
type group struct {
	conditions
	open  bool       // one of them matches any body, or needs a complete test
	texts []expected // used unless open
}

// expected is the texts of which rules expect one at a place in the body.
type expected struct {
	at    match.Pointer
	texts map[string]struct{}
}

// grouped groups rules by their conditions.
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

// add adds the body condition of a rule: one text of it, because all must match.
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

// mayFit reports whether one of the rules may match a request.
func (r *rules) mayFit(q *Request) bool {
	for i := range r.groups {
		if r.groups[i].mayFit(q) {
			return true
		}
	}
	return false
}

// mayFit reports whether one of the rules may match a request. It has no false
// negatives.
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
		case bool, json.Number: // a text may equal it
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
		(!called || strings.HasPrefix(c.operation, record.ToolPrefix)) && // of a client calling a tool; all other rules apply to the tool's own requests
		(c.operation == "" || slices.ContainsFunc(q.Operations, func(name string) bool { return record.Matches(c.operation, name) })) &&
		(c.method == "" || strings.EqualFold(c.method, q.Method)) && (c.path == "" || record.Matches(c.path, q.Path)) &&
		(c.by == "" || c.by == q.By.Actor.String()) && (c.principal == "" || c.principal == q.By.ID || c.principal == q.By.Principal) &&
		(c.tool == "" || tool != "" && record.Matches(c.tool, tool))
}
