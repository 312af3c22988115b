package httpkit

import "net/http"

// SetPageHeaders sets the headers of an HTML page: what it may load, that no
// page of another site may frame it, and that links from it do not show its
// address. policy is a Content-Security-Policy without frame-ancestors.
func SetPageHeaders(w http.ResponseWriter, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}
