package edge

import (
	"net/http"
	"slices"

	"understudy/internal/platform/httpkit"
)

// Edge is what every request to a listener passes first.
type Edge struct {
	Hosts Hosts
	// Origins are those of pages on other sites that may read replies, "*" for all.
	Origins []string
	// PublicURL is that by which clients reach this address, without a slash at
	// its end; "" for the Host of each request.
	PublicURL string
	// Stray answers a request that is addressed to another host.
	Stray http.HandlerFunc
	Next  http.Handler
}

// The headers of replies that set none of their own. Most replies hold
// something that must not be kept by a browser or a proxy.
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

// share allows a page of an origin to read the reply, where the origin is named.
// It answers a preflight request itself, and reports whether it did.
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
