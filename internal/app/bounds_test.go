package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// Every parser of the program is bounded by values and by bytes: each route of
// each service refuses a body of 1,000,000 values, and answers one that is
// nested 100 deep, in JSON, in bounded time.
func TestEveryRouteBoundsItsBody(t *testing.T) {
	s := apptest.Start(t)
	tokens := map[string]string{"messaging": s.Credential("messaging", "user_token"), "crm": s.Credential("crm", "access_token"),
		"tracker": s.Credential("tracker", "api_key"), "ingest": s.Credential("ingest", "api_key"), "admin": s.Credential("admin", "key")}
	wide := `{"a":[` + strings.Repeat("0,", 999_999) + `0],"b":"` + strings.Repeat("x", 1<<20) + `"}`
	deep := `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`
	for service, docs := range map[string]string{"messaging": "/messaging/api/openapi.json", "crm": "/crm/api/openapi.json",
		"tracker": "/tracker/api/openapi.json", "ingest": "/ingest/api/openapi.json", "admin": "/admin/v1/openapi.json"} {
		t.Run(service, func(t *testing.T) {
			status, spec := s.Call("GET", docs, tokens[service], nil)
			paths, _ := spec["paths"].(object)
			if status != 200 || len(paths) == 0 {
				t.Fatalf("%s: %d", docs, status)
			}
			base := ""
			if servers, ok := spec["servers"].([]any); ok && len(servers) > 0 {
				base = servers[0].(object)["url"].(string)
			}
			if strings.HasPrefix(base, "/") || base == "" {
				base = s.URL + base
			}
			asked := 0
			for path, item := range paths {
				for method := range item.(object) {
					method = strings.ToUpper(method)
					if !slices.Contains([]string{"POST", "PUT", "PATCH"}, method) {
						continue
					}
					for name, body := range map[string]string{"wide": wide, "deep": deep} {
						at := strings.NewReplacer("{", "", "}", "").Replace(path)
						r, err := http.NewRequest(method, strings.TrimSuffix(base, "/")+at, strings.NewReader(body))
						if err != nil {
							t.Fatal(err)
						}
						r.Header.Set("Content-Type", "application/json")
						r.Header.Set("Authorization", "Bearer "+tokens[service])
						began := time.Now()
						reply, err := s.Client.Do(r)
						if err != nil {
							t.Errorf("%s %s, %s: %v", method, path, name, err)
							continue
						}
						text, _ := io.ReadAll(reply.Body)
						_ = reply.Body.Close()
						asked++
						// What apps post to addresses of messaging is answered in plain text, as upstream does.
						plain := strings.HasPrefix(path, "/services/") || strings.HasPrefix(path, "/api/webhooks/incoming/{id}") || strings.HasPrefix(path, "/api/responses/")
						refused := reply.StatusCode >= 400 || service == "messaging" && strings.Contains(string(text), `"ok":false`)
						if reply.StatusCode >= 500 || name == "wide" && !refused || time.Since(began) > 5*time.Second || len(text) > 0 && !json.Valid(text) && !plain {
							t.Errorf("%s %s, %s: %d after %s: %.200s", method, path, name, reply.StatusCode, time.Since(began), text)
						}
					}
				}
			}
			t.Log(fmt.Sprint(asked, " requests"))
		})
	}
}
