package httpkit_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// One table serves many handlers, each with its own replies.
func TestRoutesReachTheHandlerOfTheRequest(t *testing.T) {
	var table httpkit.Routes[string]
	table.Handle("GET /things/{id}", func(h string, w http.ResponseWriter, r *http.Request) {
		if _, ok := w.(*httptest.ResponseRecorder); !ok {
			t.Errorf("the route writes to a %T", w)
		}
		_, _ = w.Write([]byte(h + " " + r.PathValue("id")))
	})
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/things/1", "one 1"}, {"POST", "/things/1", "method_not_allowed GET, HEAD"}, {"GET", "/other", "not_found "}, {"GET", "//things/1", "not_found "},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil)
		table.Serve("one", w, r, func(err error) {
			f, _ := fault.As(err)
			_, _ = w.Write([]byte(string(f.Reason) + " " + w.Header().Get("Allow")))
		})
		if w.Body.String() != c.want {
			t.Errorf("%s %s: %q, not %q", c.method, c.path, w.Body, c.want)
		}
	}
}
