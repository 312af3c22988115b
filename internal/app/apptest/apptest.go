// Package apptest starts the whole program inside a test: with a temporary data
// directory, a free port on loopback, and the credentials of the default
// environment.
package apptest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "understudy/cmd/understudy/collector" // tests collect as often as the program does, not four times as often
	"understudy/internal/app"
	"understudy/internal/platform/config"
)

// answerWithin is the time after which a request counts as unanswered. Tests do
// not depend on it: a busy machine may take many times as long as a quiet one.
const answerWithin = 2 * time.Minute

// Server is a running program.
type Server struct {
	URL    string // http://HOST:PORT
	Client *http.Client
	t      testing.TB
	app    *app.App
}

// Start runs the program until the test ends. Rate limits are off unless change says otherwise.
func Start(t testing.TB, change ...func(*config.Serve)) *Server {
	t.Helper()
	o := config.Serve{Listen: "127.0.0.1:0", Data: t.TempDir(), Mode: "api", RateLimits: "off", LogLevel: "info", LogFormat: "text"}
	for _, f := range change {
		f(&o)
	}
	ctx, stop := context.WithCancel(context.Background())
	a, err := app.New(ctx, o, slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		stop()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	s := &Server{Client: &http.Client{Timeout: answerWithin}, t: t, app: a}
	t.Cleanup(func() {
		s.Client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	s.URL = strings.TrimSuffix(s.Credential("admin", "base_url"), "/admin/v1")
	return s
}

// testLog writes the program's log to that of the test.
type testLog struct{ t testing.TB }

func (l testLog) Write(line []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(line)))
	return len(line), nil
}

// Credential reads a member of the current credentials.json.
func (s *Server) Credential(service, member string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.app.CredentialsPath())
	if err != nil {
		s.t.Fatal(err)
	}
	var all map[string]json.RawMessage
	var one map[string]any
	if err = json.Unmarshal(b, &all); err == nil {
		err = json.Unmarshal(all[service], &one)
	}
	text, ok := one[member].(string)
	if err != nil || !ok {
		s.t.Fatalf("credentials.json has no text %s.%s: %v", service, member, err)
	}
	return text
}

// Call sends a JSON body, or none if it is nil, and returns the status and the
// JSON reply, or nil for any other reply. A path without a host is relative to
// this server. headers are alternating names and values.
func (s *Server) Call(method, path, token string, body any, headers ...string) (int, map[string]any) {
	s.t.Helper()
	var send io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		send = strings.NewReader(string(b))
	}
	if strings.HasPrefix(path, "/") {
		path = s.URL + path
	}
	r, err := http.NewRequest(method, path, send)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := s.Client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	var out map[string]any
	if err := json.NewDecoder(reply.Body).Decode(&out); err != nil {
		out = nil
	}
	return reply.StatusCode, out
}

// Data returns the program's data folder.
func (s *Server) Data() string { return filepath.Dir(s.app.CredentialsPath()) }
