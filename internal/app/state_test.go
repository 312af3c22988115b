package app_test

import (
	"testing"

	"understudy/internal/app/apptest"
)

// What the program says about itself can only be read.
func TestTheStateIsOnlyRead(t *testing.T) {
	p := planeOf(t, apptest.Start(t))
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics"} {
		for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "DELETE": 405, "OPTIONS": 405} {
			a := p.send(method, p.Server.URL+path, "", nil)
			if a.status != want || (want == 405) != (a.header.Get("Allow") == "GET, HEAD" && at(a.body, "error", "code") == "method_not_allowed") {
				t.Errorf("%s %s: %d %v %v", method, path, a.status, a.header, a.body)
			}
		}
	}
}
