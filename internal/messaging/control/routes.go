package control

import (
	"net/http"

	"understudy/internal/platform/httpkit"
)

// route is a row of the table that the mux and the docs read.
type route struct {
	pattern string
	summary string
	serve   func(*Handler, http.ResponseWriter, *http.Request) error
}

var routes []route

func init() {
	routes = []route{
		{"GET /api/health", "Tell that the service is up.", health},
	}
}

func health(_ *Handler, w http.ResponseWriter, _ *http.Request) error {
	httpkit.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}
