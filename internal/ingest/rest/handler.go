// Package rest is the HTTP API of ingestion: the three capture endpoints, the
// reading endpoints for dashboards, and the endpoints for keys, prices, scores,
// retention and erasure. It handles JSON, HTTP and the peculiarities of the
// published clients, but contains no rules of the service.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"understudy/internal/ingest"
	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
)

// Deps are the dependencies of the handler.
type Deps struct {
	Ingest        *ingest.Ingest
	Auth          *auth.Auth
	CheckAdminKey func(address, text string) (bool, error)
	Traces        http.Handler // of OpenTelemetry
	// Holders counts the snapshots and forks of the environment that contain the
	// sessions or the user to be erased from a project.
	Holders func(ctx context.Context, project string, what ingest.Erased) (ingest.Holders, error)
	// EraseRecordings removes the recorded requests for which named returns true.
	EraseRecordings func(ctx context.Context, named func(*record.Request) bool) error
	Log             *slog.Logger
}

// Handler serves paths relative to the service's base URL.
type Handler struct {
	d Deps
}

// NewHandler returns a handler with the dependencies d.
func NewHandler(d Deps) *Handler { return &Handler{d: d} }

// table returns the router, which the handlers of all environments share.
var table = sync.OnceValue(func() *httpkit.Routes[*Handler] {
	t := &httpkit.Routes[*Handler]{Name: operation}
	for _, route := range routes() {
		t.Handle(route.method+" "+route.path, func(h *Handler, w http.ResponseWriter, r *http.Request) {
			if err := route.answer(h, w, r); err != nil {
				h.WriteError(w, r, err)
			}
		})
	}
	return t
})

// The addresses to which OpenTelemetry's exporters send traces.
const (
	tracesPath   = "/v1/traces"
	langfusePath = "/api/public/otel/v1/traces"
)

func (h *Handler) traces(w http.ResponseWriter, r *http.Request) error {
	h.d.Traces.ServeHTTP(w, r)
	return nil
}

// OperationNames returns the names of all operations of the API.
func OperationNames() []string { return table().Operations() }

// operation returns the name of the operation with a pattern. Capture operations
// have the names that upstream's clients use.
func operation(pattern string) string {
	if name, ok := strings.CutPrefix(pattern, "POST /api/v1/capture-"); ok {
		return ingest.Name + ".capture-" + name
	}
	return ingest.Name + "." + pattern
}

type serveFunc func(h *Handler, w http.ResponseWriter, r *http.Request) error

// route describes one route, for the router and the API document.
type route struct {
	method, path string
	serve        serveFunc
	summary      string
	doc          apidocs.Operation
	read         readFunc // used instead of serve by routes with filters
}

// readFunc handles a read.
type readFunc func(h *Handler, w http.ResponseWriter, r *http.Request, q *readRequest) error

// strict are the groups of routes that reject undocumented parameters at once.
// Reading routes reject them after authentication.
var strict = []string{settingGroup, keepingGroup, keyGroup}

// ownFilters are the parameters of routes that are filters on other routes.
var ownFilters = map[string][]string{"/api/v1/facets": {"name", "q"}}

func (route *route) answer(h *Handler, w http.ResponseWriter, r *http.Request) error {
	if route.read == nil {
		if slices.Contains(strict, route.doc.Group) {
			if err := knownParameters(r.URL.Query(), route.doc.Parameters); err != nil {
				return err
			}
		}
		return route.serve(h, w, r)
	}
	q, err := h.parseRead(w, r, route.doc.Parameters, ownFilters[route.path]...)
	if err != nil {
		return err
	}
	return route.read(h, w, r, &q)
}

func routes() []route { return slices.Concat(writingRoutes(), readingRoutes(), keepingRoutes()) }

func writingRoutes() []route {
	return []route{
		{"POST", "/api/v1/capture-session", (*Handler).captureSession, "Register a conversation", capture(sessionBody{}, 200, map[string]string{}), nil},
		{"POST", "/api/v1/capture-event", (*Handler).captureEvent, "Record one event", capture(eventBody{}, 200, map[string]string{}), nil},
		{"POST", "/api/v1/capture-events", (*Handler).captureEvents, "Record up to 500 events", capture(batchBody{}, 202, batchResult{}), nil},
		{"POST", tracesPath, (*Handler).traces, "Record the spans of traces, as OTLP over HTTP", traces(), nil},
		{"POST", langfusePath, (*Handler).traces, "The same at the address that Langfuse's clients call", traces(), nil},
		{"POST", "/api/v1/api-keys", (*Handler).makeKey, "Make an ingestion key", keyRoute(keyRequest{}, 201, keyReply{}), nil},
		{"GET", "/api/v1/api-keys", (*Handler).listKeys, "List the ingestion keys in force", keyRoute(nil, 200, keyList{}, pages...), nil},
		{"GET", "/api/v1/projects", (*Handler).listProjects, "List the projects, oldest first", keyRoute(nil, 200, projectList{}, pages...), nil},
		{"DELETE", "/api/v1/api-keys/{id}", (*Handler).revokeKey, "Revoke an ingestion key", keyRoute(nil, 204, nil), nil},
		{"GET", "/api/v1/prices", listPrices, "What tokens cost, by model", settingRoute(nil, 200, priceList{}), nil},
		{"PUT", "/api/v1/prices", putPrices, "Replace the prices; they apply at reading, also to the past", settingRoute(priceList{}, 200, priceList{}), nil},
		{"POST", "/api/v1/scores", addScore, "Judge a session or an event", settingRoute(scoreBody{}, 201, shownScore{}), nil},
		{"GET", "/api/v1/scores", listScores, "List scores, newest first", settingRoute(nil, 200, map[string]any{},
			append(pages[:len(pages):len(pages)], apidocs.Parameter{Name: "session_id"}, apidocs.Parameter{Name: "event_id"}, apidocs.Parameter{Name: "name"})...), nil},
		{"GET", "/api/health", (*Handler).health, "Whether the service is up",
			apidocs.Operation{Group: "Health", Replies: map[int]any{200: map[string]string{}}}, nil},
	}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if slices.Contains(openToPages, r.URL.Path) {
		allowOrigins(w)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	if r.Method == http.MethodGet && docs().Serve(w, r) {
		return
	}
	// A mux would redirect a path that is not clean. Clients would follow the
	// redirect with a GET and assume that their data has arrived. An id may contain
	// what makes a path unclean, when it is escaped.
	if p := r.URL.EscapedPath(); strings.Contains(p, "//") || strings.Contains(p, "/./") || strings.Contains(p, "/../") {
		h.WriteError(w, r, httpkit.NoRoute)
		return
	}
	table().Serve(h, w, r, func(err error) { h.WriteError(w, r, err) })
}

// openToPages are the addresses for capture and OpenTelemetry. Web pages of any site
// may call them, because published clients run in web pages.
var openToPages = []string{"/api/v1/capture-session", "/api/v1/capture-event", "/api/v1/capture-events", tracesPath, langfusePath}

// allowOrigins sets the headers that allow requests from web pages. A request still
// needs a key.
func allowOrigins(w http.ResponseWriter) {
	header := w.Header()
	header["Access-Control-Allow-Origin"] = allowedOrigins
	header["Access-Control-Allow-Methods"] = allowedMethods
	header["Access-Control-Allow-Headers"] = allowedHeaders
}

// The values of allowOrigins, which all replies share and none changes.
var (
	allowedOrigins = []string{"*"}
	allowedMethods = []string{"POST"}
	allowedHeaders = []string{"content-type, x-api-key, x-org-id, content-encoding, authorization, " +
		"x-langfuse-public-key, x-langfuse-sdk-name, x-langfuse-sdk-version, traceparent, tracestate, baggage"}
)

func (h *Handler) health(w http.ResponseWriter, _ *http.Request) error {
	reply(w, http.StatusOK, []byte(`{"status":"ok"}`))
	return nil
}
