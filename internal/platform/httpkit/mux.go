package httpkit

import (
	"net/http"
	"reflect"
)

// ServeMux serves a request with a mux. When no pattern matches, no is
// called, with the methods that the path would take, or "" for an unknown
// path. The mux's own redirects to clean paths count as unknown.
func ServeMux(mux *http.ServeMux, w http.ResponseWriter, r *http.Request, no func(allow string)) {
	h, pattern := mux.Handler(r)
	if pattern != "" && !isRedirect(h) {
		mux.ServeHTTP(w, r)
		return
	}
	probe := &probe{header: http.Header{}}
	h.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		no(probe.header.Get("Allow"))
		return
	}
	no("")
}

var redirect = http.RedirectHandler("/", http.StatusMovedPermanently)

func isRedirect(h http.Handler) bool { return reflect.TypeOf(h) == reflect.TypeOf(redirect) }

// probe is a ResponseWriter that keeps only status and header.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) WriteHeader(status int)      { p.status = status }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
