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

// routes is everything that is served below {base_url}/api. A literal segment
// wins over a parameter.
var routes = slices.Concat(undated, datedForms(undated), oauthRoutes, tokenRoutes, docsRoutes)

var undated = slices.Concat(recordRoutes, searchRoutes, associationRoutes, associationRoutesV3, propertyRoutes, schemaRoutes, pipelineRoutes, ownerRoutes, accountRoutes)

// table finds the routes, for the handlers of all environments. A slash at the
// end of a path does not matter, and HEAD is served wherever GET is.
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
