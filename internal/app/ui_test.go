package app_test

import (
	"net/http"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

// A browser that opens the root is sent to the web UI, a program gets the
// addresses of the services; without a web UI everybody gets these.
func TestTheRootSendsBrowsersToTheWebUI(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, test := range []struct {
		mode, accept string
		status       int
		to           string
	}{
		{"full", browser, http.StatusFound, "/ui/"},
		{"full", "text/html", http.StatusFound, "/ui/"},
		{"full", "application/json", http.StatusOK, ""},
		{"full", "", http.StatusOK, ""},
		{"api", browser, http.StatusOK, ""},
	} {
		s := apptest.Start(t, func(o *config.Serve) { o.Mode = test.mode })
		r, err := http.NewRequest(http.MethodGet, s.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", test.accept)
		reply, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		if reply.StatusCode != test.status || reply.Header.Get("Location") != test.to {
			t.Errorf("%s, %q: %d to %q", test.mode, test.accept, reply.StatusCode, reply.Header.Get("Location"))
		}
		if kind := reply.Header.Get("Content-Type"); test.to == "" && kind != "application/json; charset=utf-8" && kind != "application/json" {
			t.Errorf("%s, %q: %s", test.mode, test.accept, kind)
		}
		if status, reply := s.Call("GET", "/ui/e/default/messaging", "", nil); test.mode == "api" && (status != http.StatusNotFound || reply["error"] == nil) {
			t.Errorf("without a web UI /ui/ answers %d %v", status, reply)
		}
	}
}
