package webui_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/webui"
)

var built = fstest.MapFS{
	"index.html":           {Data: []byte(`<!doctype html><meta name="nonce" content="__NONCE__">`)},
	"assets/index-1.js":    {Data: []byte("plain")},
	"assets/index-1.js.gz": {Data: []byte("packed")},
	"assets/only.css":      {Data: []byte("css")},
	".placeholder":         {},
}

func serve(t *testing.T, files fs.FS) func(path string, header ...string) *http.Response {
	t.Helper()
	h, err := webui.New(webui.Options{Files: files, Config: webui.Config{Mode: "full", Services: map[string]string{"messaging": "/messaging"}},
		WriteError: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusNotFound) }})
	if err != nil {
		t.Fatal(err)
	}
	return func(path string, header ...string) *http.Response {
		r := httptest.NewRequest("GET", path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	var b strings.Builder
	if err := errors.Join(r.Write(&b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPagesCarryAPolicyWithAFreshNonce(t *testing.T) {
	get := serve(t, built)
	nonce := regexp.MustCompile(`'nonce-([0-9a-f]{32})'`)
	seen := map[string]bool{}
	for _, path := range []string{"/ui/", "/ui/e/default/messaging", "/ui/e/default/traces/users/ann@example.com"} {
		r := get(path)
		policy := r.Header.Get("Content-Security-Policy")
		m := nonce.FindStringSubmatch(policy)
		if r.StatusCode != 200 || m == nil || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Fatalf("%s: %d %q", path, r.StatusCode, policy)
		}
		if text := body(t, r); !strings.Contains(text, `content="`+m[1]+`"`) || strings.Contains(text, "__NONCE__") {
			t.Errorf("%s: the page does not carry the nonce of its policy: %s", path, text)
		}
		if seen[m[1]] {
			t.Errorf("%s: a nonce comes twice", path)
		}
		seen[m[1]] = true
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Set-Cookie": ""} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		for feature := range strings.SplitSeq("camera fullscreen geolocation microphone midi payment serial storage-access usb", " ") {
			if got := r.Header.Get("Permissions-Policy"); !strings.Contains(got, feature+"=()") {
				t.Errorf("%s: Permissions-Policy %q leaves %s on", path, got, feature)
			}
		}
	}
}

func TestAssetsAreCompressedAndKept(t *testing.T) {
	get := serve(t, built)
	r := get("/ui/assets/index-1.js", "Accept-Encoding", "br, gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || !strings.HasSuffix(body(t, r), "packed") || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v", r.Header)
	}
	if r := get("/ui/assets/index-1.js"); r.Header.Get("Content-Encoding") != "" || !strings.HasSuffix(body(t, r), "plain") ||
		r.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%v", r.Header)
	}
	if r := get("/ui/assets/only.css", "Accept-Encoding", "gzip"); r.Header.Get("Content-Encoding") != "" || !strings.HasSuffix(body(t, r), "css") {
		t.Errorf("%v", r.Header)
	}
	for _, path := range []string{"/ui/assets/none.js", "/ui/assets/../index.html", "/ui/assets//etc/passwd", "/ui/assets/"} {
		if r := get(path); r.StatusCode != 404 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}

func TestOtherAddresses(t *testing.T) {
	get := serve(t, built)
	if r := get("/ui"); r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != "/ui/" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if r := get("/ui/config.json"); r.StatusCode != 200 || !strings.Contains(body(t, r), `"messaging":"/messaging"`) {
		t.Errorf("%d", r.StatusCode)
	}
	if r := serve(t, nil)("/ui/e/default/messaging"); r.StatusCode != 404 || !strings.Contains(body(t, r), "make build") {
		t.Errorf("a program without pages: %d", r.StatusCode)
	}
}

// A browser gets the page at a GraphQL endpoint, and its files beside it; the endpoint answers all others.
func TestConsoleOfAnEndpoint(t *testing.T) {
	files := fstest.MapFS{"index.html": {Data: []byte(`<script src="./assets/index-1.js"></script>`)}, "assets/index-1.js": {Data: []byte("plain")}}
	c, err := webui.NewConsole(webui.Options{Files: files, WriteError: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusNotFound) }}, "/graphql")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, path, accept string
		wants                bool
		status               int
		has                  string
	}{
		{"GET", "/graphql", "text/html,*/*;q=0.8", true, 200, `src="./graphql/assets/index-1.js"`},
		{"GET", "/graphql/assets/index-1.js", "*/*", true, 200, "plain"},
		{"GET", "/graphql/assets/none.js", "*/*", true, 404, ""},
		{"GET", "/graphql/assets/../index.html", "*/*", true, 404, ""},
		{"GET", "/graphql", "application/json", false, 0, ""},
		{"GET", "/graphql", "*/*", false, 0, ""},
		{"POST", "/graphql", "text/html", false, 0, ""},
		{"GET", "/graphql/other", "text/html", false, 0, ""},
	} {
		r := httptest.NewRequest(test.method, test.path, nil)
		r.Header.Set("Accept", test.accept)
		if c.Wants(r) != test.wants {
			t.Errorf("%s %s for %s: wanted is %v", test.method, test.path, test.accept, !test.wants)
		}
		if !test.wants {
			continue
		}
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.has) {
			t.Errorf("%s: %d %s", test.path, w.Code, w.Body)
		}
	}
	var none *webui.Console
	if none.Wants(httptest.NewRequest("GET", "/graphql", nil)) {
		t.Error("a build without pages has a page")
	}
}
