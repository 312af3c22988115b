package rest

import (
	"net/http"
	"strings"
)

// Routes returns the method and pattern of every route below {base_url}/api.
func Routes() (out []string) {
	for _, r := range routes {
		out = append(out, r.method+" "+r.pattern)
	}
	return out
}

// RouteOf returns the method and pattern of the route that serves a request.
func RouteOf(method, path string) string {
	r, err := http.NewRequest(method, "http://crm.test"+strings.TrimSuffix(path, "/"), nil)
	if err != nil {
		return ""
	}
	mux := http.NewServeMux()
	for _, route := range Routes() {
		mux.HandleFunc(route, func(http.ResponseWriter, *http.Request) {})
	}
	_, pattern := mux.Handler(r)
	return pattern
}
