package app

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/internal/platform/config"
)

// An environment was asked once a service of it was sent a request: until then its
// databases stay open for longer. The admin plane does not count.
func TestARequestToAServiceIsNoted(t *testing.T) {
	a, err := New(t.Context(), config.Serve{Listen: "127.0.0.1:0", Data: t.TempDir(), RateLimits: "off"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	call := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+a.admin.text())
		w := httptest.NewRecorder()
		if a.ServeHTTP(w, r); w.Code >= 500 {
			t.Fatal(path, w.Code, w.Body)
		}
	}
	asked := func(id string) bool {
		env, leave, err := a.envs.Enter(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		return env.Asked.Load()
	}
	const admin = "/admin/v1/environments"
	call("POST", admin, `{"id": "other"}`)
	call("POST", admin, `{"id": "new"}`)
	call("GET", admin+"/new", "")
	call("POST", "/e/other/messaging/api/auth.test", "")
	if asked("new") || !asked("other") {
		t.Errorf("the one that nobody asked was asked: %t, the other: %t", asked("new"), asked("other"))
	}
	call("POST", "/messaging/api/auth.test", "")
	if !asked("default") {
		t.Error("the default environment was not asked")
	}
}
