package rest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// An invitation takes a second person into an organization, once.
func TestInvitations(t *testing.T) {
	both(t, func(t *testing.T, h *Handler, c *clock.Clock) {
		call := func(method, path, token string, body any, status int) map[string]any {
			t.Helper()
			raw, _ := json.Marshal(body)
			r := httptest.NewRequest(method, path, strings.NewReader(string(raw)))
			r.Header.Set("Content-Type", "application/json")
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != status {
				t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, status)
			}
			out := map[string]any{}
			_ = json.Unmarshal(w.Body.Bytes(), &out)
			return out
		}
		type m = map[string]any
		person := func(name string) m { return m{"email": name + "@acme.test", "password": "correct horse", "name": name} }
		up := call("POST", "/api/auth/signup", "", person("dora"), http.StatusCreated)
		up = call("POST", "/api/organization", up["accessToken"].(string), m{"name": "Zeta"}, http.StatusCreated)
		ann, org := up["accessToken"].(string), up["organization"].(map[string]any)["id"]

		call("POST", "/api/organization/invites", ann, m{"email": "bob"}, http.StatusBadRequest)
		call("POST", "/api/organization/invites", ann, m{"email": "bob@acme.test", "role": "king"}, http.StatusBadRequest)
		call("POST", "/api/organization/invites", ann, m{"email": "dora@acme.test"}, http.StatusConflict)
		made := call("POST", "/api/organization/invites", ann, m{"email": "Bob@acme.test"}, http.StatusCreated)
		token := made["token"].(string)
		if made["email"] != "bob@acme.test" || made["role"] != "member" || !strings.Contains(made["url"].(string), token) || made["expiresAt"] == nil || made["id"] == nil {
			t.Errorf("made %v", made)
		}
		list := call("GET", "/api/organization/invites", ann, nil, http.StatusOK)["invites"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["token"] != nil {
			t.Errorf("listed %v", list)
		}

		joined := person("bob")
		joined["inviteToken"] = token + "x"
		call("POST", "/api/auth/signup", "", joined, http.StatusBadRequest)
		joined["inviteToken"] = token
		in := call("POST", "/api/auth/signup", "", joined, http.StatusCreated)
		if o, _ := in["organization"].(map[string]any); o == nil || o["id"] != org {
			t.Errorf("bob joined %v", in)
		}
		bob := in["accessToken"].(string)
		if got := call("GET", "/api/organization", bob, nil, http.StatusOK)["id"]; got != org {
			t.Errorf("bob is in %v", got)
		}
		call("POST", "/api/organization/invites", bob, m{"email": "cy@acme.test"}, http.StatusForbidden)
		call("GET", "/api/organization/invites", bob, nil, http.StatusForbidden)
		again := person("cy")
		again["inviteToken"] = token
		call("POST", "/api/auth/signup", "", again, http.StatusBadRequest) // it was accepted

		gone := call("POST", "/api/organization/invites", ann, m{"email": "cy@acme.test", "role": "admin"}, http.StatusCreated)
		call("DELETE", "/api/organization/invites/"+gone["id"].(string), ann, nil, http.StatusNoContent)
		call("DELETE", "/api/organization/invites/"+gone["id"].(string), ann, nil, http.StatusNotFound)
		again["inviteToken"] = gone["token"]
		call("POST", "/api/auth/signup", "", again, http.StatusBadRequest)

		late := call("POST", "/api/organization/invites", ann, m{"email": "cy@acme.test", "role": "guest"}, http.StatusCreated)
		c.Advance(15 * 24 * time.Hour)
		again["inviteToken"] = late["token"]
		call("POST", "/api/auth/signup", "", again, http.StatusBadRequest)
		if len(again) != 4 {
			t.Fatal("the refused signups made an account")
		}
		delete(again, "inviteToken")
		call("POST", "/api/auth/signup", "", again, http.StatusCreated) // no refused signup kept the address
	})
}
