package app_test

import (
	"fmt"
	"net/url"
	"reflect"
	"testing"

	"understudy/internal/app/apptest"
)

// plane is the admin plane of a server, as a test uses it.
type plane struct {
	apptest.Plane
	t   *testing.T
	s   *apptest.Server
	key string
}

func newPlane(t *testing.T, s *apptest.Server) plane {
	p := apptest.PlaneOf(t, s)
	return plane{p, p.T, p.Server, p.Key}
}

func (p plane) call(method, path string, body any, want int) map[string]any {
	p.t.Helper()
	return p.Call(method, path, body, want)
}

// env is an environment as its credentials show it.
type env struct {
	p           plane
	id          string
	base, token string
	all         map[string]any // its credentials
}

func (p plane) env(reply map[string]any) env {
	m := reply["messaging"].(map[string]any)
	return env{p, reply["id"].(string), m["base_url"].(string), m["bot_token"].(string), reply}
}

func (e env) post(text string) {
	e.p.t.Helper()
	status, reply := e.p.s.Call("GET", e.base+"/api/chat.postMessage?channel=general&text="+url.QueryEscape(text), e.token, nil)
	if status != 200 || reply["ok"] != true {
		e.p.t.Fatalf("posting answers %d %v", status, reply)
	}
}

// texts gives what was posted, newest first.
func (e env) texts() (out []string) {
	e.p.t.Helper()
	_, list := e.p.s.Call("GET", e.base+"/api/conversations.list", e.token, nil)
	for _, c := range list["channels"].([]any) {
		if ch := c.(map[string]any); ch["name"] == "general" {
			_, h := e.p.s.Call("GET", e.base+"/api/conversations.history?channel="+ch["id"].(string), e.token, nil)
			for _, m := range h["messages"].([]any) {
				if m := m.(map[string]any); m["subtype"] == nil {
					out = append(out, m["text"].(string))
				}
			}
		}
	}
	return out
}

func (e env) shows(want ...string) {
	e.p.t.Helper()
	if got := e.texts(); fmt.Sprint(got) != fmt.Sprint(want) {
		e.p.t.Errorf("%s shows %v, want %v", e.id, got, want)
	}
}

func onPlanes(t *testing.T, test func(t *testing.T, p plane)) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) { test(t, plane{p, p.T, p.Server, p.Key}) })
}

func TestAWorldIsCopiedPutBackAndLeftAlone(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", map[string]any{"name": "original"}, 201))
		e.post("one")
		snapshot := p.call("POST", "/"+e.id+"/snapshots", map[string]any{"name": "first"}, 201)["id"].(string)
		e.post("two")
		f := p.env(p.call("POST", "/"+e.id+"/fork", map[string]any{"name": "fork"}, 201))
		if f.token != e.token || f.base == e.base {
			t.Errorf("a fork has token %v and address %v of its parent", f.token == e.token, f.base == e.base)
		}
		f.post("three")
		f.shows("three", "two", "one")
		e.shows("two", "one")

		early := p.env(p.call("POST", "/"+e.id+"/fork", map[string]any{"snapshot": snapshot}, 201))
		early.shows("one")
		p.call("POST", "/"+e.id+"/restore", map[string]any{"snapshot": snapshot}, 200)
		e.shows("one")
		e.post("after")
		if again := p.env(p.call("POST", "/"+e.id+"/reset", nil, 200)); again.token != e.token {
			t.Error("a reset changed the token")
		}
		e.shows()
		p.call("POST", "/"+f.id+"/reset", nil, 200)
		f.shows("two", "one")
		if n := len(p.call("GET", "/"+e.id+"/snapshots", nil, 200)["snapshots"].([]any)); n != 1 {
			t.Errorf("%d snapshots after a reset", n)
		}
		p.call("POST", "/"+f.id+"/restore", map[string]any{"snapshot": snapshot}, 404) // another's

		p.call("DELETE", "/"+e.id, nil, 204)
		p.call("GET", "/"+e.id, nil, 404)
		f.post("orphan")
		f.shows("orphan", "two", "one")
		if status, _ := p.s.Call("GET", e.base+"/api/auth.test", e.token, nil); status != 404 {
			t.Errorf("a deleted environment answers %d", status)
		}
		if status, reply := p.s.Call("GET", p.s.URL+"/messaging/api/auth.test", e.token, nil); reply["error"] != "invalid_auth" {
			t.Errorf("the default environment takes another's token: %d %v", status, reply)
		}
	})
}

func TestASeedAndAClockMakeTheSameWorldTwice(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		var seen [2]string
		for i := range seen {
			made := p.call("POST", "", map[string]any{"seed": 42, "clock": "2026-01-01T00:00:00Z"}, 201)
			e := p.env(made)
			e.post("hello")
			e.post("again")
			_, list := p.s.Call("GET", e.base+"/api/conversations.list", e.token, nil)
			id := list["channels"].([]any)[0].(map[string]any)["id"].(string)
			_, h := p.s.Call("GET", e.base+"/api/conversations.history?channel="+id, e.token, nil)
			seen[i] = fmt.Sprint(e.token, list, h)
			p.call("DELETE", "/"+e.id, nil, 204)
		}
		if seen[0] != seen[1] {
			t.Errorf("two worlds of one seed differ:\n%s\n%s", seen[0], seen[1])
		}
	})
}

func TestTheClockOfAnEnvironmentIsItsOwn(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", nil, 201))
		p.call("POST", "/"+e.id+"/clock", map[string]any{"freeze": "2030-01-01T00:00:00Z"}, 200)
		p.call("POST", "/"+e.id+"/clock", map[string]any{"advance": "90s"}, 200)
		shown := p.call("GET", "/"+e.id, nil, 200)
		if got := shown["clock"]; fmt.Sprint(got) != "map[frozen:true now:2030-01-01T00:01:30Z]" {
			t.Errorf("the clock is %v", got)
		}
		noun := shown["environment"].(map[string]any)
		if delete(shown, "environment"); !reflect.DeepEqual(shown, noun) {
			t.Errorf("under its noun the environment is %v, else %v", noun, shown)
		}
		for _, bad := range []any{map[string]any{}, map[string]any{"freeze": "soon"}, map[string]any{"advance": "-1s"},
			map[string]any{"run": true, "advance": "1s"}} {
			p.call("POST", "/"+e.id+"/clock", bad, 400)
		}
		p.call("PATCH", "/"+e.id, map[string]any{"rate_limits": "fast"}, 400)
		p.call("PATCH", "/nobody", map[string]any{"name": "x"}, 404)
		p.call("DELETE", "/default", nil, 409)
	})
}
