package app

import (
	"errors"
	"net/http"
	"strings"

	"understudy/internal/platform/edge"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// ServeHTTP finds the environment and service by the first parts of the path. A
// mux would redirect paths that are not clean, which clients of the services
// cannot handle.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch first {
	case "", "healthz", "readyz", "metrics":
		a.serveState(w, r, first)
	case "admin":
		if a.o.AdminListen != "" {
			a.console.WriteError(w, r, httpkit.NoRoute)
			return
		}
		a.console.ServeHTTP(w, r)
	case "e":
		a.serveEnvironment(w, r)
	case "ui":
		a.serveUI(w, r)
	default:
		a.serveDefault(w, r, first, "/"+first)
	}
}

// serveState serves what the program says about itself, for reading only.
func (a *App) serveState(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		a.console.WriteError(w, r, httpkit.WrongMethod)
		return
	}
	switch name {
	case "healthz":
		httpkit.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	case "readyz":
		a.serveReady(w, r)
	case "metrics":
		a.serveMetrics(w, r)
	default:
		a.serveRoot(w, r)
	}
}

// serveAdmin serves the separate address of the admin plane.
func (a *App) serveAdmin(w http.ResponseWriter, r *http.Request) {
	switch name := strings.TrimPrefix(r.URL.Path, "/"); name {
	case "healthz", "readyz":
		a.serveState(w, r, name)
	default:
		a.console.ServeHTTP(w, r)
	}
}

// serveMetricsAlone serves the separate address of the metrics.
func (a *App) serveMetricsAlone(w http.ResponseWriter, r *http.Request) {
	switch name := strings.TrimPrefix(r.URL.Path, "/"); name {
	case "metrics":
		a.metrics.handler.ServeHTTP(w, r)
	case "healthz", "readyz":
		a.serveState(w, r, name)
	default:
		a.console.WriteError(w, r, httpkit.NoRoute)
	}
}

// serveMetrics serves the metrics to clients on this machine, and to others with
// the admin key.
func (a *App) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !edge.IsLoopback(edge.HostName(r.RemoteAddr)) {
		ok, err := a.admin.check(httpkit.ClientAddress(r), httpkit.Bearer(r))
		if err == nil && !ok {
			err = errMetricsKey
		}
		if err != nil {
			a.console.WriteError(w, r, err)
			return
		}
	}
	a.metrics.handler.ServeHTTP(w, r)
}

var errMetricsKey = fault.New(fault.Unauthenticated, "unauthorized",
	"From another machine /metrics needs the admin key, as Authorization: Bearer <key>; --metrics-listen serves it on an address without one.")

// serveEnvironment serves /e/<environment>/<service>/….
func (a *App) serveEnvironment(w http.ResponseWriter, r *http.Request) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/e/"), "/")
	service, _, _ := strings.Cut(rest, "/")
	env, leave, err := a.envs.Enter(r.Context(), id)
	if err != nil {
		if !errors.Is(err, environment.NotFound) {
			a.log.Error("an environment could not be opened", "environment", id, "error", err)
		}
		a.console.WriteError(w, r, err)
		return
	}
	defer leave()
	defer edge.Enter(r, &env.ID)()
	a.serveService(w, r, env, service, "/e/"+id+"/"+service)
}

// serveDefault serves the default environment, which it finds for each request: a
// reset opens it again.
func (a *App) serveDefault(w http.ResponseWriter, r *http.Request, service, prefix string) {
	env, leave, err := a.envs.Enter(r.Context(), environment.Default)
	if err != nil {
		a.console.WriteError(w, r, err)
		return
	}
	defer leave()
	defer edge.Enter(r, &env.ID)()
	a.serveService(w, r, env, service, prefix)
}

func (a *App) serveService(w http.ResponseWriter, r *http.Request, env *environment.Environment, service, prefix string) {
	in := env.Service(service)
	if in == nil {
		a.console.WriteError(w, r, httpkit.NoRoute)
		return
	}
	if !env.Asked.Load() { // a load is cheaper than a store, which would invalidate the other processors' caches
		env.Asked.Store(true)
	}
	httpkit.StripPrefix(r, prefix)
	in.ServeHTTP(w, r)
}

func (a *App) serveRoot(w http.ResponseWriter, r *http.Request) {
	if a.ui != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, "/ui/", http.StatusFound)
		return
	}
	urls := map[string]string{}
	for _, s := range a.services() {
		urls[s.Name()] = a.baseURL(environment.Default, s.Name())
	}
	httpkit.WriteJSON(w, http.StatusOK, map[string]any{"name": "understudy", "services": urls})
}
