package app_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest/throwaway"
)

func TestDocsWorkBelowEveryBaseURL(t *testing.T) {
	var alone string
	s := apptest.Start(t, func(o *config.Serve) {
		port, err := throwaway.Port()
		if err != nil {
			t.Fatal(err)
		}
		alone = fmt.Sprintf("127.0.0.1:%d", port)
		o.MessagingListen = alone
	})
	for base, server := range map[string]string{s.URL + "/messaging": "/messaging", s.URL + "/e/default/messaging": "/e/default/messaging", "http://" + alone: "/"} {
		status, doc := s.Call("GET", base+"/api/openapi.json", "", nil)
		if status != 200 || doc["openapi"] != "3.1.0" {
			t.Fatalf("%s: %d", base, status)
		}
		if got := doc["servers"].([]any)[0].(map[string]any)["url"]; got != server {
			t.Errorf("%s: server %v", base, got)
		}
		paths := doc["paths"].(map[string]any)
		for _, path := range []string{"/api/chat.postMessage", "/api/workspaces/{id}/join", "/api/admin/provision"} {
			if paths[path] == nil {
				t.Errorf("%s is not described", path)
			}
		}
		for path, kind := range map[string]string{"/api/docs": "text/html", "/api/docs/": "text/html", "/api/docs/swagger-ui.css": "text/css",
			"/api/docs/swagger-ui-bundle.js": "javascript"} {
			r, err := s.Client.Get(base + path)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err != nil || r.StatusCode != 200 || !strings.Contains(r.Header.Get("Content-Type"), kind) || len(b) < 1000 {
				t.Errorf("%s%s: %d %s, %d bytes, %v", base, path, r.StatusCode, r.Header.Get("Content-Type"), len(b), err)
			}
		}
	}
}
