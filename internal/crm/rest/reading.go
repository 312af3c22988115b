package rest

import (
	"net/http"
	"strings"
)

// IsReading reports whether a POST request only reads: a search, or records by
// ids.
func IsReading(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	return r.Method == http.MethodPost && (strings.HasSuffix(path, "/search") || strings.HasSuffix(path, "/batch/read"))
}
