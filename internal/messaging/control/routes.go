package control

import (
	"net/http"
	"slices"

	"understudy/internal/platform/httpkit"
)

// route is a row of the route table, which the mux and the docs read.
type route struct {
	pattern string
	summary string
	serve   func(*Handler, http.ResponseWriter, *http.Request) error
}

var routes = slices.Concat(serviceRoutes, accountRoutes, workspaceRoutes, invitationRoutes, appRoutes, provisionRoutes,
	eventRoutes, outgoingRoutes, incomingRoutes, commandRoutes, interactionRoutes, clientRoutes)

var serviceRoutes = []route{
	{"GET /api/health", "Tell that the service is up.", health},
	{"GET /api/docs", "Show this description as a page.", serveDocs},
	{"GET /api/docs/{asset...}", "Serve what the page needs.", serveDocs},
	{"GET /api/openapi.json", "Describe the service as OpenAPI 3.1.", serveDocs},
}

func health(_ *Handler, w http.ResponseWriter, _ *http.Request) error {
	httpkit.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

func serveDocs(h *Handler, w http.ResponseWriter, r *http.Request) error {
	if !h.docs().Serve(w, r) {
		return httpkit.NoRoute
	}
	return nil
}
