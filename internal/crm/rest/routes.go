package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"understudy/internal/platform/httpkit"
)

// route is one row of the table of routes.
type route struct {
	method, pattern string
	access          access
	handle          func(*call) error
}

// routes is everything that is served below {base_url}/api. A literal segment
// wins over a parameter.
var routes = slices.Concat(undated, datedForms(undated), oauthRoutes, tokenRoutes, docsRoutes)

var undated = slices.Concat(recordRoutes, searchRoutes, associationRoutes, associationRoutesV3, propertyRoutes, schemaRoutes, pipelineRoutes, ownerRoutes, accountRoutes)

// node is a segment of the tree of routes.
type node struct {
	literals map[string]*node
	param    *node
	name     string // of the parameter that leads here
	methods  map[string]*route
}

// routeTree returns the tree, one for all environments.
var routeTree = sync.OnceValue(func() *node {
	root := &node{}
	root.add("/api", routes)
	root.add("", consentRoutes)
	return root
})

// add adds a table of routes below a prefix.
func (n *node) add(prefix string, table []route) {
	root := n
	for i := range table {
		r := &table[i]
		n := root
		for s := range strings.SplitSeq(strings.Trim(prefix+r.pattern, "/"), "/") {
			if name, ok := strings.CutPrefix(s, "{"); ok {
				if n.param == nil {
					n.param = &node{name: strings.TrimSuffix(name, "}")}
				}
				n = n.param
				continue
			}
			if n.literals == nil {
				n.literals = map[string]*node{}
			}
			if n.literals[s] == nil {
				n.literals[s] = &node{}
			}
			n = n.literals[s]
		}
		if n.methods == nil {
			n.methods = map[string]*route{}
		}
		n.methods[r.method] = r
	}
}

// match finds the route of a request and its parameters; without one, it
// returns which methods the path has. One trailing slash does not matter.
func (n *node) match(r *http.Request, params map[string]string) (*route, string) {
	path := strings.TrimSuffix(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	found := n.walk(strings.Split(path, "/"), r.Method, params)
	if found == nil {
		return nil, ""
	}
	if rt := found.methods[r.Method]; rt != nil {
		return rt, ""
	}
	if rt := found.methods[http.MethodGet]; rt != nil && r.Method == http.MethodHead {
		return rt, ""
	}
	var allowed []string
	for m := range found.methods {
		if strings.HasSuffix(found.methods[m].pattern, labelsTail) {
			return nil, "" // writes of labels are absent by design, as if the path were not there
		}
		allowed = append(allowed, m)
	}
	slices.Sort(allowed)
	return nil, strings.Join(allowed, ", ")
}

func (n *node) walk(segments []string, method string, params map[string]string) *node {
	if len(segments) == 0 {
		if n.methods == nil {
			return nil
		}
		return n
	}
	s, err := url.PathUnescape(segments[0])
	if err != nil || !httpkit.IsText(s) {
		return nil
	}
	var other *node // fits the path but not the method
	if next := n.literals[s]; next != nil {
		if found := next.walk(segments[1:], method, params); found != nil {
			if found.methods[method] != nil {
				return found
			}
			other = found
		}
	}
	if n.param != nil && s != "" {
		if found := n.param.walk(segments[1:], method, params); found != nil {
			if found.methods[method] != nil || other == nil {
				params[n.param.name] = s
				return found
			}
		}
	}
	return other
}
