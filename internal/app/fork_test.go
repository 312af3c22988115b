package app_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// secretsOf returns every secret of a credentials object.
func secretsOf(c object) map[string]string {
	out := map[string]string{}
	for service, member := range map[string][]string{"messaging": {"bot_token", "user_token", "admin_password", "signing_secret", "verification_token"},
		"crm": {"access_token", "client_secret", "user_password"}, "tracker": {"api_key", "user_password"}, "ingest": {"api_key"}} {
		for _, m := range member {
			if text, _ := c[service].(object)[m].(string); text != "" {
				out[service+"."+m] = text
			}
		}
	}
	return out
}

// works reports for each service whether the credentials of one environment are
// accepted in another.
func works(s *apptest.Server, env string, c object) string {
	var in []string
	base := "/e/" + env
	if _, r := s.Call("POST", base+"/messaging/api/auth.test", c["messaging"].(object)["bot_token"].(string), nil); r["ok"] == true {
		in = append(in, "bot")
	}
	if _, r := s.Call("POST", base+"/messaging/api/auth.test", c["messaging"].(object)["user_token"].(string), nil); r["ok"] == true {
		in = append(in, "user")
	}
	if status, _ := s.Call("GET", base+"/crm/api/crm/v3/objects/contacts", c["crm"].(object)["access_token"].(string), nil); status == 200 {
		in = append(in, "crm")
	}
	if status, r := s.Call("POST", base+"/tracker/graphql", c["tracker"].(object)["api_key"].(string), object{"query": "{ viewer { id } }"}); status == 200 && r["errors"] == nil {
		in = append(in, "tracker")
	}
	if status, _ := s.Call("GET", base+"/ingest/api/v1/sessions", c["ingest"].(object)["api_key"].(string), nil); status == 200 {
		in = append(in, "ingest")
	}
	return strings.Join(in, " ")
}

const allWork = "bot user crm tracker ingest"

func TestForksWithCredentialsOfTheirOwn(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		s := p.Server
		parent := p.Call("POST", "", object{"id": "base", "fixture": "demo"}, 201)
		bot := parent["messaging"].(object)["user_token"].(string)
		_, app := s.Call("POST", "/e/base/messaging/api/apps", bot, object{"manifest": object{"display_information": object{"name": "Other"},
			"oauth_config": object{"scopes": object{"bot": []string{"chat:write"}}}}})
		_, hook := s.Call("POST", "/e/base/messaging/api/webhooks/incoming", bot, object{"channel": "general"})
		_, minted := s.Call("POST", "/e/base/tracker/api/api-keys", parent["tracker"].(object)["api_key"].(string), object{"label": "x"})
		_, login := s.Call("POST", "/e/base/messaging/api/auth/login", "", object{"email": parent["messaging"].(object)["admin_email"],
			"password": parent["messaging"].(object)["admin_password"]})
		if app["bot_token"] == nil || hook["url"] == nil || login["access_token"] == nil {
			t.Fatal(app, hook, minted, login)
		}
		fork := p.Call("POST", "/base/fork", object{"id": "run-1", "credentials": "fresh"}, 201)
		sibling := p.Call("POST", "/base/fork", object{"id": "run-2", "credentials": "fresh", "ephemeral": true}, 201)
		below := p.Call("POST", "/run-1/fork", object{"id": "run-1a", "credentials": "fresh"}, 201)
		heir := p.Call("POST", "/run-1/fork", object{"id": "run-1b"}, 201)
		if fork["admin"] != nil || sibling["admin"] != nil || parent["admin"] == nil {
			t.Errorf("the admin key is in the reply to a fork with credentials of its own")
		}
		for env, c := range map[string]object{"base": parent, "run-1": fork, "run-2": sibling, "run-1a": below, "run-1b": heir} {
			for other, d := range map[string]object{"base": parent, "run-1": fork, "run-2": sibling, "run-1a": below, "run-1b": heir} {
				same := env == other || strings.Trim(env+other, "-b") == "run-1run-1" || env == "run-1" && other == "run-1b" || env == "run-1b" && other == "run-1"
				want := ""
				if same {
					want = allWork
				}
				if got := works(s, env, d); got != want {
					t.Errorf("in %s the credentials of %s: %q, want %q", env, other, got, want)
				}
				for name, secret := range secretsOf(c) {
					if !same && secretsOf(d)[name] == secret {
						t.Errorf("%s is the same in %s and %s", name, env, other)
					}
				}
			}
		}
		// What people have made stops working too, and other apps' secrets are shown anew.
		for what, got := range map[string]func() any{
			"an app's token": func() any {
				_, r := s.Call("POST", "/e/run-1/messaging/api/auth.test", app["bot_token"].(string), nil)
				return r["ok"]
			},
			"a session": func() any {
				_, r := s.Call("POST", "/e/run-1/messaging/api/auth.test", login["access_token"].(string), nil)
				return r["ok"]
			},
			"a refresh token": func() any {
				status, _ := s.Call("POST", "/e/run-1/messaging/api/auth/refresh", "", object{"refresh_token": login["refresh_token"]})
				return status == 200
			},
			"an incoming webhook": func() any {
				status, _ := s.Call("POST", strings.Replace(hook["url"].(string), "/e/base/", "/e/run-1/", 1), "", object{"text": "hi"})
				return status == 200
			},
			"the fixture's token": func() any {
				text, _ := parent["crm"].(object)["fixture_token"].(string)
				status, _ := s.Call("GET", "/e/run-1/crm/api/crm/v3/objects/contacts", text, nil)
				return status == 200
			},
		} {
			if got() == true {
				t.Errorf("%s of the parent works in the fork", what)
			}
		}
		apps, _ := fork["messaging"].(object)["apps"].([]any)
		if len(apps) != 1 || apps[0].(object)["app_id"] != app["app_id"] || apps[0].(object)["signing_secret"] == app["signing_secret"] {
			t.Fatalf("the other apps: %v", apps)
		}
		if _, r := s.Call("POST", "/e/run-1/messaging/api/auth.test", apps[0].(object)["bot_token"].(string), nil); r["ok"] != true {
			t.Errorf("the new token of the other app: %v", r)
		}
		// Nothing of this is a change of the fork, and a reset keeps it.
		if d := p.Call("GET", "/run-1/diff", nil, 200); len(d["inserts"].([]any))+len(d["updates"].([]any))+len(d["deletes"].([]any)) > 0 {
			t.Errorf("the fork differs: %v", d)
		}
		reset := p.Call("POST", "/run-1/reset", nil, 200)
		if fmt.Sprint(secretsOf(reset)) != fmt.Sprint(secretsOf(fork)) || works(s, "run-1", fork) != allWork {
			t.Errorf("after a reset: %q", works(s, "run-1", fork))
		}
		// The same id brings the same secrets.
		again := p.Call("POST", "/base/fork", object{"id": "run-1", "credentials": "fresh", "if_exists": "replace"}, 201)
		if fmt.Sprint(secretsOf(again)) != fmt.Sprint(secretsOf(fork)) {
			t.Error("the same id brings other secrets")
		}
	})
}

func TestManyForksAtOnce(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		p.Call("POST", "", object{"id": "exam", "seed": 7}, 201)
		for _, ephemeral := range []bool{false, true} {
			prefix := fmt.Sprintf("many-%v", ephemeral)[:6]
			made := p.Call("POST", "/exam/fork", object{"id": prefix, "count": 5, "credentials": "fresh", "ephemeral": ephemeral}, 201)["environments"].([]any)
			if len(made) != 5 {
				t.Fatal(made)
			}
			seen := map[string]bool{}
			for i, one := range made {
				c := one.(object)
				if id := fmt.Sprintf("%s-%d", prefix, i+1); c["id"] != id || c["admin"] != nil || works(p.Server, id, c) != allWork {
					t.Errorf("%d: %v, %q", i, c["id"], works(p.Server, id, c))
				}
				seen[c["messaging"].(object)["bot_token"].(string)] = true
			}
			if len(seen) != 5 {
				t.Errorf("%d tokens", len(seen))
			}
			// One of them is taken: none is made.
			p.Call("DELETE", "/"+prefix+"-1", nil, 204)
			p.Call("DELETE", "/"+prefix+"-2", nil, 204)
			if e := p.Call("POST", "/exam/fork", object{"id": prefix, "count": 3, "ephemeral": ephemeral}, 409)["error"].(object); e["code"] != "environment_exists" {
				t.Error(e)
			}
			p.Call("GET", "/"+prefix+"-1", nil, 404)
			p.Call("POST", "/"+prefix+"-3/reset", nil, 200)
		}
	})
}
