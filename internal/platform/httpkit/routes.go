package httpkit

import (
	"net/http"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/record"
)

// The errors of a request without a route. Each dialect replies to WrongMethod
// with status 405.
var (
	NoRoute     = fault.New(fault.NotFound, "not_found", "There is nothing at this address.")
	WrongMethod = fault.New(fault.Invalid, "method_not_allowed", "This address does not accept this method.")
)

// Routes is a mux that handlers of all environments share, since a mux uses more
// memory than most handlers.
type Routes[H any] struct {
	// Name returns the operation name of a pattern, for recordings; nil for none.
	Name func(pattern string) string

	mux   http.ServeMux
	names []string
}

// Operations returns the names of all operations, in the order of their patterns.
func (t *Routes[H]) Operations() []string { return t.names }

// bound carries the handler of a request through the mux. The mux writes to it
// only when no pattern matches.
type bound[H any] struct {
	unserved
	handler H
	reply   http.ResponseWriter
	served  bool
}

// Handle registers serve for a pattern.
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
// NoRoute, or with WrongMethod after setting the header Allow. A path that is not
// clean, which the mux would redirect, matches nothing.
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

// unserved is a ResponseWriter that stores the status and header of the mux's own
// replies.
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
