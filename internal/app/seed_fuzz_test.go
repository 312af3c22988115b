package app

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"understudy/internal/platform/config"
)

// FuzzSeedDocument applies arbitrary documents to a world: each is applied or
// refused, and none is an internal error.
func FuzzSeedDocument(f *testing.F) {
	a, err := New(context.Background(), config.Serve{Listen: "127.0.0.1:0", Data: f.TempDir(), RateLimits: "off"},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(a.close)
	example, err := os.ReadFile("../../docs/seed-example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example), true)
	for _, text := range []string{
		`{"messaging": {"messages": [{"channel": "general", "user": "admin", "text": "<@x> <#general>", "ts": "1.5", "reactions": {"+1": ["admin"]}, "blocks": [{"type": "divider"}]}]}}`,
		`{"crm": {"contacts": {"a": {"properties": {"email": "a@b.example", "createdate": "-1d"}, "associated": ["contacts/a"]}}, "associations": [{"from": "contacts/a", "to": "deals/1", "type": 3}]}}`,
		`{"tracker": {"teams": {"t": {"key": "T", "states": {"s": {"type": "started"}}}}, "issues": {"i": {"team": "t", "title": "x", "state": "s", "estimate": -1, "due_date": "now"}}}}`,
		`{"ingest": {"sessions": {"s": {"user": "u", "traits": {"a": [1, {"b": null}]}, "events": [{"name": "x", "args": {"a": 1}, "children": [{"name": "y", "latency_ms": -5}]}]}}}}`,
	} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, yaml bool) {
		r := httptest.NewRequest("POST", "/admin/v1/environments/default/seed", strings.NewReader(text))
		r.Header.Set("Authorization", "Bearer "+a.admin.text())
		r.Header.Set("Content-Type", "application/json")
		if yaml {
			r.Header.Set("Content-Type", "application/yaml")
		}
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != 200 && (w.Code < 400 || w.Code >= 500) {
			t.Errorf("%q answers %d %s", text, w.Code, w.Body)
		}
	})
}
