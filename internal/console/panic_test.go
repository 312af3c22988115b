package console_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/internal/console"
)

// A handler that panics is answered and logged: a client that only sees its
// connection end tries again, and nobody learns of it.
func TestAPanicIsAnsweredAndLogged(t *testing.T) {
	serve := func(broken any) (reply *httptest.ResponseRecorder, log string, escaped any) {
		var lines bytes.Buffer
		c := console.New(console.Deps{Log: slog.New(slog.NewTextHandler(&lines, nil)), CheckAdminKey: func(string, string) (bool, error) { panic(broken) }})
		reply = httptest.NewRecorder()
		func() {
			defer func() { escaped = recover() }()
			c.ServeHTTP(reply, httptest.NewRequest("GET", "/admin/v1/environments", nil))
		}()
		return reply, lines.String(), escaped
	}
	reply, log, escaped := serve(errors.New("a list is missing"))
	if escaped != nil || reply.Code != http.StatusInternalServerError || !strings.Contains(reply.Body.String(), `"internal_error"`) {
		t.Errorf("%d %s, and %v went on", reply.Code, reply.Body, escaped)
	}
	id := reply.Header().Get("X-Request-Id")
	if id == "" || !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "a list is missing") || !strings.Contains(log, id) || !strings.Contains(log, "panic_test.go") {
		t.Errorf("the log of request %q:\n%s", id, log)
	}
	if reply, log, escaped = serve(http.ErrAbortHandler); escaped != http.ErrAbortHandler || reply.Body.Len() > 0 || log != "" {
		t.Errorf("a handler that ends its connection: %v, %s, %q", escaped, reply.Body, log)
	}
}
