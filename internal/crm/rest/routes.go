package rest

import (
	"slices"
	"sync"

	"understudy/internal/platform/httpkit"
)

// route is one row of the table of routes.
type route struct {
	method, pattern string
	access          access
	handle          func(*call) error
}

// routes lists all routes below {base_url}/api. A literal segment takes
// precedence over a parameter.
var routes = slices.Concat(undated, datedForms(undated), oauthRoutes, tokenRoutes, docsRoutes)

var undated = slices.Concat(recordRoutes, searchRoutes, associationRoutes, associationRoutesV3, propertyRoutes, schemaRoutes, pipelineRoutes, ownerRoutes, accountRoutes)

// table is the routing table, shared by the handlers of all environments. It
// ignores a trailing slash, and serves HEAD like GET.
var table = sync.OnceValue(func() *httpkit.Routes[*Handler] {
	t := &httpkit.Routes[*Handler]{Name: operation}
	add := func(prefix string, rows []route) {
		for _, row := range rows {
			for _, path := range versions(row.pattern) {
				t.Handle(row.method+" "+prefix+path, row.serve)
				t.Handle(row.method+" "+prefix+path+"/{$}", row.serve)
			}
		}
	}
	add("/api", routes)
	add("", consentRoutes)
	return t
})
