package edge

import (
	"net/http"
	"slices"

	"understudy/internal/platform/httpkit"
)

// Edge is the first handler of every request to a listener.
type Edge struct {
	Hosts Hosts
	// Origins lists the origins of other sites that may read replies, "*" for all.
	Origins []string
	// PublicURL is the URL by which clients reach this listener, without a trailing
	// slash; "" for the Host of each request.
	PublicURL string
	// Stray serves requests that are addressed to another host.
	Stray http.HandlerFunc
	Next  http.Handler
}

// The default headers of replies. Most replies contain something that browsers
// and proxies must not store.
var (
	noStore = []string{"no-store"}
	noSniff = []string{"nosniff"}
)

func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Cache-Control"], header["X-Content-Type-Options"] = noStore, noSniff
	conn, _ := r.Context().Value(connKey{}).(*Conn)
	if conn != nil {
		conn.begin(r)
	}
	if !e.Hosts.Answers(r.Host) {
		e.Stray(w, r)
		return
	}
	if origin := r.Header["Origin"]; len(origin) > 0 && e.share(w, r, origin[0]) {
		return
	}
	if e.PublicURL != "" {
		r = r.WithContext(httpkit.WithOrigin(r.Context(), e.PublicURL))
	}
	if conn != nil && conn.broken.Load() || isBroken(r.URL.RawQuery) {
		r = r.WithContext(httpkit.WithBadURL(r.Context()))
	}
	e.Next.ServeHTTP(w, r)
}

// share allows a page of an origin to read the reply if the origin is listed. It
// replies to preflight requests itself, and reports whether it did.
func (e *Edge) share(w http.ResponseWriter, r *http.Request, origin string) (answered bool) {
	if !slices.Contains(e.Origins, origin) && !slices.Contains(e.Origins, "*") {
		return false
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", origin)
	header.Add("Vary", "Origin")
	method := r.Header.Get("Access-Control-Request-Method")
	if r.Method != http.MethodOptions || method == "" {
		header.Set("Access-Control-Expose-Headers", "*")
		return false
	}
	header.Set("Access-Control-Allow-Methods", method)
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		header.Set("Access-Control-Allow-Headers", asked)
	}
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
