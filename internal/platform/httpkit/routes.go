package httpkit

import (
	"net/http"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
)

// The refusals of a request that no route serves. Each dialect answers
// WrongMethod with status 405.
var (
	NoRoute     = fault.New(fault.NotFound, "not_found", "There is nothing at this address.")
	WrongMethod = fault.New(fault.Invalid, "method_not_allowed", "This address does not accept this method.")
)

// Routes is a mux for all handlers of a kind: one table of patterns serves
// every environment, since a mux costs more memory than most handlers.
type Routes[H any] struct {
	// Name returns the name of the operation that a pattern serves, for the
	// recording; nil for none.
	Name func(pattern string) string

	mux   http.ServeMux
	names []string
}

// Operations returns the names of the operations that are served, in the order
// of their patterns.
func (t *Routes[H]) Operations() []string { return t.names }

// bound carries the handler that a request is for through the mux. The mux
// writes to it only when no pattern matches.
type bound[H any] struct {
	unserved
	handler H
	reply   http.ResponseWriter
	served  bool
}

// Handle registers serve for the requests that a pattern matches.
func (t *Routes[H]) Handle(pattern string, serve func(h H, w http.ResponseWriter, r *http.Request)) {
	var names []string
	if t.Name != nil {
		names = []string{t.Name(pattern)}
		t.names = append(t.names, names[0])
	}
	t.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		b := w.(*bound[H])
		b.served = true
		if names != nil {
			record.SetOperations(b.reply, names)
		}
		serve(b.handler, b.reply, r)
	})
}

// Serve serves a request with h. When no pattern matches, it calls refuse with
// NoRoute, or with WrongMethod after it has set the header Allow. A path that
// is not clean, to which the mux would redirect, matches nothing.
func (t *Routes[H]) Serve(h H, w http.ResponseWriter, r *http.Request, refuse func(err error)) {
	b := &bound[H]{handler: h, reply: w}
	t.mux.ServeHTTP(b, r)
	switch {
	case b.served:
	case b.status == http.StatusMethodNotAllowed:
		w.Header().Set("Allow", b.header.Get("Allow"))
		refuse(WrongMethod)
	default:
		refuse(NoRoute)
	}
}

// unserved is a ResponseWriter that keeps status and header of what a mux
// answers by itself.
type unserved struct {
	header http.Header
	status int
}

func (u *unserved) Header() http.Header {
	if u.header == nil {
		u.header = http.Header{}
	}
	return u.header
}
func (u *unserved) WriteHeader(status int)      { u.status = status }
func (u *unserved) Write(b []byte) (int, error) { return len(b), nil }
