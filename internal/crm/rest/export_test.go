package rest

import "net/http"

// Routes gives the method and pattern of every route below {base_url}/api.
func Routes() (out []string) {
	for _, r := range routes {
		out = append(out, r.method+" "+r.pattern)
	}
	return out
}

// RouteOf gives the method and pattern of the route that serves a request.
func RouteOf(method, path string) string {
	r, err := http.NewRequest(method, "http://crm.test/api"+path, nil)
	if err != nil {
		return ""
	}
	if found, _ := routeTree().match(r, map[string]string{}); found != nil {
		return found.method + " " + found.pattern
	}
	return ""
}
