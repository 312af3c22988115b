package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// text sends a GET and returns status and reply as a text.
func text(t *testing.T, s *apptest.Server, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	reply, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	b, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, string(b)
}

// A run is given the variables of its fork, its tool servers and its credentials.
// With none of their values can it reach the admin plane, the world that it was
// forked from, or another run.
func TestARunReachesNothingButItsFork(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		s, all := p.Server, "/admin/v1/environments"
		p.Call("POST", "", object{"id": "exam", "fixture": "demo", "seed": 7, "clock": "2026-03-02T09:00:00Z"}, 201)
		p.Call("POST", "/exam/fork", object{"id": "run", "count": 2, "credentials": "fresh", "ephemeral": true}, 201)
		status, variables := text(t, s, all+"/run-1/credentials?format=env", p.Key)
		if status != 200 || strings.Contains(variables, p.Key) || strings.Contains(variables, "ADMIN") {
			t.Fatalf("%d %s", status, variables)
		}
		for _, want := range []string{"SLACK_BOT_TOKEN=xoxb-", "SLACK_USER_TOKEN=xoxp-", "SLACK_SIGNING_SECRET=", "SLACK_API_URL=" + s.URL + "/e/run-1/messaging/api/\n",
			"HUBSPOT_ACCESS_TOKEN=pat-na1-", "HUBSPOT_BASE_PATH=" + s.URL + "/e/run-1/crm/api\n", "LINEAR_API_KEY=trk_api_",
			"LINEAR_API_URL=" + s.URL + "/e/run-1/tracker/graphql\n", "AGNOST_ORG_ID=sk_", "AGNOST_ENDPOINT=" + s.URL + "/e/run-1/ingest\n",
			"UNDERSTUDY_ENVIRONMENT=run-1\n", "UNDERSTUDY_BASE_URL=" + s.URL + "/e/run-1\n", "UNDERSTUDY_CLOCK=2026-03-02T09:00:00Z\n"} {
			if !strings.Contains("\n"+variables, "\n"+want) {
				t.Errorf("the variables lack %s:\n%s", want, variables)
			}
		}
		_, operator := text(t, s, all+"/run-1/credentials?format=env&for=operator", p.Key)
		if !strings.Contains(operator, "UNDERSTUDY_ADMIN_KEY="+p.Key+"\n") || !strings.HasPrefix(operator, variables) {
			t.Errorf("for an operator:\n%s", operator)
		}
		tools := p.Call("GET", "/run-1/credentials?format=mcp", nil, 200)
		shown := p.Call("GET", "/run-1/credentials", nil, 200)
		if p.Call("GET", "/run-1/credentials?for=operator", nil, 200)["admin"] == nil || shown["admin"] != nil {
			t.Error("who gets the admin key is wrong")
		}
		for _, query := range []string{"format=xml", "for=all"} {
			p.Call("GET", "/run-1/credentials?"+query, nil, 400)
		}
		// Every text in what the run has, as any credential, everywhere else.
		given := map[string]bool{}
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case map[string]any:
				for _, one := range v {
					walk(one)
				}
			case []any:
				for _, one := range v {
					walk(one)
				}
			case string:
				given[strings.TrimPrefix(v, "Bearer ")] = true
			}
		}
		walk(tools)
		walk(shown)
		for line := range strings.Lines(variables) {
			_, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			given[value] = true
		}
		before := map[string]string{}
		for _, other := range []string{"exam", "run-2"} {
			before[other] = fmt.Sprint(p.Call("GET", "/"+other+"/diff", nil, 200))
		}
		// Each secret of the run is valid in its own fork: otherwise what follows would prove nothing.
		if works(s, "run-1", shown) != allWork {
			t.Fatalf("at home: %q", works(s, "run-1", shown))
		}
		for secret := range given {
			if strings.HasPrefix(secret, "http") || len(secret) < 16 {
				continue
			}
			for _, route := range [][2]string{{"GET", ""}, {"GET", "/run-1/credentials?for=operator"}} {
				if status, _ := s.Call(route[0], all+route[1], secret, nil); status != 401 && status != 429 {
					t.Errorf("%s %s with %.8s…: %d", route[0], route[1], secret, status)
				}
			}
			for _, env := range []string{"/e/exam", "/e/run-2"} {
				for _, route := range []struct {
					method, path string
					body         any
				}{{"POST", "/messaging/api/chat.postMessage", object{"channel": "general", "text": "x"}}, {"GET", "/messaging/api/workspaces", nil},
					{"POST", "/messaging/api/admin/provision", object{}}, {"POST", "/crm/api/crm/v3/objects/contacts", object{"properties": object{"email": "x@x.example"}}},
					{"POST", "/tracker/graphql", object{"query": "{ viewer { id } }"}}, {"GET", "/ingest/api/v1/sessions", nil},
					{"POST", "/messaging/api/webhooks/incoming/" + secret, object{"text": "x"}}} {
					status, reply := s.Call(route.method, env+route.path, secret, route.body)
					if status < 300 && reply["ok"] != false && reply["errors"] == nil {
						t.Errorf("%s %s%s with %.8s…: %d %v", route.method, env, route.path, secret, status, reply)
					}
				}
			}
		}
		for _, c := range [][3]string{{"messaging", "admin_email", "admin_password"}, {"crm", "user_email", "user_password"}, {"tracker", "user_email", "user_password"}} {
			in := shown[c[0]].(object)
			for _, env := range []string{"run-1", "run-2", "exam"} {
				status, _ := s.Call("POST", "/e/"+env+"/"+c[0]+"/api/auth/login", "", object{"email": in[c[1]], "password": in[c[2]]})
				if status < 300 != (env == "run-1") {
					t.Errorf("signing in to %s of %s: %d", c[0], env, status)
				}
			}
		}
		for _, other := range []string{"exam", "run-2"} {
			if after := fmt.Sprint(p.Call("GET", "/"+other+"/diff", nil, 200)); after != before[other] {
				t.Errorf("%s has changed: %s", other, after)
			}
		}
	})
}
