package httpkit

import "net/http"

// SetPageHeaders sets the headers of an HTML page: its Content-Security-Policy,
// that other sites may not frame it, and that links do not send its address.
// policy must not contain frame-ancestors.
func SetPageHeaders(w http.ResponseWriter, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}
