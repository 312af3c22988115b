package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/platform/apidocs/docstest"
	"understudy/internal/platform/clock"
)

type object = map[string]any

// contract is the published description of the control plane, read as a client
// would read it, and which of its replies a walk has seen.
type contract struct {
	*testing.T
	h       *Handler
	replies map[string]map[int]*jsonschema.Resolved // by method and path, nil for a reply without a body
	seen    map[string]bool                         // method, path and status
}

func readContract(t *testing.T, h *Handler) *contract {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/openapi.json", nil))
	var doc object
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	named, _ := doc["components"].(object)["schemas"].(object)
	c := &contract{t, h, map[string]map[int]*jsonschema.Resolved{}, map[string]bool{}}
	for path, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			replies := map[int]*jsonschema.Resolved{}
			for status, reply := range op.(object)["responses"].(object) {
				var code int
				if _, err := fmt.Sscan(status, &code); err != nil {
					t.Fatal(path, status)
				}
				replies[code] = nil
				if content, ok := reply.(object)["content"].(object); ok {
					for _, form := range content {
						replies[code] = docstest.Strict(t, form.(object)["schema"], named)
					}
				}
			}
			c.replies[strings.ToUpper(method)+" "+path] = replies
		}
	}
	return c
}

var lastID = regexp.MustCompile(`^(/api/(?:organization/invites|api-keys|webhooks))/[^/]+$`)

// call sends a request, compares the reply with the description, and returns it.
func (c *contract) call(want int, method, path, token string, body any) object {
	c.Helper()
	raw, _ := json.Marshal(body)
	if text, ok := body.(string); ok {
		raw = []byte(text)
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(raw))
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	c.h.ServeHTTP(w, r)
	if w.Code != want {
		c.Fatalf("%s %s %s: %d %s, want %d", method, path, raw, w.Code, w.Body, want)
	}
	plain, _, _ := strings.Cut(path, "?")
	route := method + " " + lastID.ReplaceAllString(plain, "$1/{id}")
	schema, described := c.replies[route][w.Code]
	if !described {
		c.Errorf("%s: the status %d is not described: %s", route, w.Code, w.Body)
	}
	c.seen[fmt.Sprint(route, " ", w.Code)] = true
	var reply any
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
			c.Fatalf("%s: %v in %s", route, err, w.Body)
		}
	}
	switch {
	case schema == nil && reply != nil:
		c.Errorf("%s: %d has a body: %s", route, w.Code, w.Body)
	case schema != nil:
		if err := schema.Validate(reply); err != nil {
			c.Errorf("%s: %d\n  %s\n  %v", route, w.Code, w.Body, err)
		}
	}
	out, _ := reply.(object)
	return out
}

// The replies of every route of the control plane, with each status that its
// description names, have the published shapes.
func TestRepliesFitTheDescription(t *testing.T) {
	both(t, func(t *testing.T, h *Handler, _ *clock.Clock) {
		c := readContract(t, h)
		if len(c.replies) < len(routes) {
			t.Fatalf("%d of %d routes are described", len(c.replies), len(routes))
		}
		bob := c.walkPeople()
		c.walkOrganization(bob)
		c.walkLists(bob)
		graphql := []string{"POST /graphql", "GET /schema.graphql"} // tests of their own
		for _, route := range slices.Sorted(maps.Keys(c.replies)) {
			if slices.Contains(graphql, route) {
				continue
			}
			for _, status := range slices.Sorted(maps.Keys(c.replies[route])) {
				if !c.seen[fmt.Sprint(route, " ", status)] {
					t.Errorf("%s was not answered with %d", route, status)
				}
			}
		}
	})
}

// walkPeople goes through accounts, sessions and passwords, and returns the
// access token of somebody without an organization.
func (c *contract) walkPeople() string {
	person := object{"email": "bob@acme.test", "password": "correct horse", "name": "Bob"}
	c.call(400, "POST", "/api/auth/signup", "", object{"email": "bob"})
	for _, name := range []any{nil, "", "  "} { // a name is required, as in messaging
		c.call(400, "POST", "/api/auth/signup", "", object{"email": "bob@acme.test", "password": "correct horse", "name": name})
	}
	up := c.call(201, "POST", "/api/auth/signup", "", person)
	c.call(409, "POST", "/api/auth/signup", "", person)
	c.call(400, "POST", "/api/auth/login", "", "{")
	c.call(400, "POST", "/api/auth/login", "", object{})
	c.call(400, "POST", "/api/auth/login", "", object{"email": "bob@acme.test"})
	c.call(401, "POST", "/api/auth/login", "", object{"email": "bob@acme.test", "password": "wrong"})
	in := c.call(200, "POST", "/api/auth/login", "", object{"email": "bob@acme.test", "password": "correct horse"})
	c.call(400, "POST", "/api/auth/refresh", "", object{})
	c.call(401, "POST", "/api/auth/refresh", "", object{"refreshToken": "nonsense"})
	in = c.call(200, "POST", "/api/auth/refresh", "", object{"refreshToken": in["refreshToken"]})
	bob := up["accessToken"].(string)
	password := func(status int, token, now, next string) {
		c.Helper()
		c.call(status, "POST", "/api/auth/password", token, object{"current_password": now, "new_password": next})
	}
	password(400, bob, "", "another horse")
	password(401, "", "correct horse", "another horse")
	password(401, bob, "wrong", "another horse")
	password(403, key, "correct horse", "another horse")
	password(204, bob, "correct horse", "another horse")
	c.call(204, "POST", "/api/auth/logout", "", object{"refreshToken": in["refreshToken"]})
	for range 10 {
		c.call(401, "POST", "/api/auth/login", "", object{"email": "nobody@acme.test", "password": "wrong"})
	}
	c.call(429, "POST", "/api/auth/login", "", object{"email": "nobody@acme.test", "password": "wrong"})
	for range 10 { // the change ended the count of those before
		password(401, bob, "wrong", "another horse")
	}
	password(429, bob, "wrong", "another horse")
	c.call(200, "GET", "/api/health", "", nil)
	return bob
}

// walkOrganization calls the routes of what an organization has one of.
func (c *contract) walkOrganization(bob string) {
	c.call(400, "POST", "/api/organization", bob, object{"name": ""})
	c.call(401, "POST", "/api/organization", "", object{"name": "Zeta"})
	c.call(403, "POST", "/api/organization", key, object{"name": "Zeta"})
	c.call(409, "POST", "/api/organization", bob, object{"name": "Zeta", "urlKey": "acme"})
	c.call(403, "GET", "/api/organization", bob, nil)
	c.call(401, "GET", "/api/organization", "", nil)
	c.call(200, "GET", "/api/organization", key, nil)
}

// walkLists goes through invitations, keys and webhooks; bob has no organization yet.
func (c *contract) walkLists(bob string) {
	lists := []struct {
		path, text string
		good, bad  object
	}{
		{"/api/organization/invites", "token", object{"email": "cy@acme.test"}, object{"email": "cy"}},
		{"/api/api-keys", "token", object{"label": "one"}, object{"label": ""}},
		{"/api/webhooks", "secret", object{"url": "http://127.0.0.1:9/"}, object{"url": "nowhere"}},
	}
	const nobody = "/5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab"
	for _, l := range lists {
		c.call(400, "POST", l.path, key, l.bad)
		c.call(401, "POST", l.path, "", l.good)
		c.call(403, "POST", l.path, bob, l.good)
		made := c.call(201, "POST", l.path, key, l.good)
		if made[l.text] == "" {
			c.Errorf("%s: %v", l.path, made)
		}
		c.call(400, "GET", l.path+"?limit=0", key, nil)
		c.call(401, "GET", l.path, "", nil)
		c.call(403, "GET", l.path, bob, nil)
		c.call(200, "GET", l.path, key, nil)
		id := "/" + made["id"].(string)
		c.call(401, "DELETE", l.path+id, "", nil)
		c.call(403, "DELETE", l.path+id, bob, nil)
		c.call(404, "DELETE", l.path+nobody, key, nil)
		c.call(204, "DELETE", l.path+id, key, nil)
	}
	c.call(404, "POST", "/api/webhooks", key, object{"url": "http://127.0.0.1:9/", "teamId": nobody[1:]})
	c.call(400, "POST", "/api/webhooks", key, object{"url": "http://name:secret@127.0.0.1:9/"})
	c.call(201, "POST", "/api/organization/invites", key, object{"email": "dee@acme.test"})
	c.call(409, "POST", "/api/organization/invites", key, object{"email": "ann@acme.test"})
	c.call(201, "POST", "/api/organization", bob, object{"name": "Zeta"})
}
