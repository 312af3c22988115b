package rest

import (
	"net/http"
	"strings"
)

// IsReading reports whether a request with POST reads only: a search, or records by their ids.
func IsReading(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	return r.Method == http.MethodPost && (strings.HasSuffix(path, "/search") || strings.HasSuffix(path, "/batch/read"))
}
