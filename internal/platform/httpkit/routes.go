package httpkit

import "net/http"

// Routes is a mux for all handlers of a kind: one table of patterns serves
// every environment, since a mux costs more memory than most handlers.
type Routes[H any] struct{ mux http.ServeMux }

// bound carries the handler that a request is for through the mux.
type bound[H any] struct {
	http.ResponseWriter
	handler H
}

// Handle registers serve for the requests that a pattern matches.
func (t *Routes[H]) Handle(pattern string, serve func(h H, w http.ResponseWriter, r *http.Request)) {
	t.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		b := w.(*bound[H])
		serve(b.handler, b.ResponseWriter, r)
	})
}

// Serve serves a request with h. When no pattern matches, no is called: see ServeMux.
func (t *Routes[H]) Serve(h H, w http.ResponseWriter, r *http.Request, no func(allow string)) {
	ServeMux(&t.mux, &bound[H]{w, h}, r, no)
}

// Match reports whether a pattern matches a request.
func (t *Routes[H]) Match(r *http.Request) bool {
	h, pattern := t.mux.Handler(r)
	return pattern != "" && !isRedirect(h)
}
