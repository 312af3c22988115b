package console_test

import (
	"fmt"
	"reflect"
	"testing"

	"understudy/internal/app/apptest"
)

func TestAWorldIsCopiedPutBackAndLeftAlone(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(map[string]any{"name": "original"})
		e.Post("one")
		snapshot := p.Call("POST", "/"+e.ID+"/snapshots", map[string]any{"name": "first"}, 201)["id"].(string)
		e.Post("two")
		f := p.World(p.Call("POST", "/"+e.ID+"/fork", map[string]any{"name": "fork"}, 201))
		if f.Credential("messaging", "bot_token") != e.Credential("messaging", "bot_token") || f.Base("messaging") == e.Base("messaging") {
			t.Errorf("a fork has token %v and address %v of its parent", f.Credential("messaging", "bot_token") == e.Credential("messaging", "bot_token"), f.Base("messaging") == e.Base("messaging"))
		}
		f.Post("three")
		f.WantTexts("three", "two", "one")
		e.WantTexts("two", "one")

		early := p.World(p.Call("POST", "/"+e.ID+"/fork", map[string]any{"snapshot": snapshot}, 201))
		early.WantTexts("one")
		p.Call("POST", "/"+e.ID+"/restore", map[string]any{"snapshot": snapshot}, 200)
		e.WantTexts("one")
		e.Post("after")
		if again := p.World(p.Call("POST", "/"+e.ID+"/reset", nil, 200)); again.Credential("messaging", "bot_token") != e.Credential("messaging", "bot_token") {
			t.Error("a reset changed the token")
		}
		e.WantTexts()
		p.Call("POST", "/"+f.ID+"/reset", nil, 200)
		f.WantTexts("two", "one")
		if n := len(p.Call("GET", "/"+e.ID+"/snapshots", nil, 200)["snapshots"].([]any)); n != 1 {
			t.Errorf("%d snapshots after a reset", n)
		}
		p.Call("POST", "/"+f.ID+"/restore", map[string]any{"snapshot": snapshot}, 404) // another's

		p.Call("DELETE", "/"+e.ID, nil, 204)
		p.Call("GET", "/"+e.ID, nil, 404)
		f.Post("orphan")
		f.WantTexts("orphan", "two", "one")
		if status, _ := p.Server.Call("GET", e.Base("messaging")+"/api/auth.test", e.Credential("messaging", "bot_token"), nil); status != 404 {
			t.Errorf("a deleted environment answers %d", status)
		}
		if status, reply := p.Server.Call("GET", p.Server.URL+"/messaging/api/auth.test", e.Credential("messaging", "bot_token"), nil); reply["error"] != "invalid_auth" {
			t.Errorf("the default environment takes another's token: %d %v", status, reply)
		}
	})
}

func TestASeedAndAClockMakeTheSameWorldTwice(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		var seen [2]string
		for i := range seen {
			made := p.Call("POST", "", map[string]any{"seed": 42, "clock": "2026-01-01T00:00:00Z"}, 201)
			e := p.World(made)
			e.Post("hello")
			e.Post("again")
			_, list := p.Server.Call("GET", e.Base("messaging")+"/api/conversations.list", e.Credential("messaging", "bot_token"), nil)
			id := list["channels"].([]any)[0].(map[string]any)["id"].(string)
			_, h := p.Server.Call("GET", e.Base("messaging")+"/api/conversations.history?channel="+id, e.Credential("messaging", "bot_token"), nil)
			seen[i] = fmt.Sprint(e.Credential("messaging", "bot_token"), list, h)
			p.Call("DELETE", "/"+e.ID, nil, 204)
		}
		if seen[0] != seen[1] {
			t.Errorf("two worlds of one seed differ:\n%s\n%s", seen[0], seen[1])
		}
	})
}

func TestTheClockOfAnEnvironmentIsItsOwn(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(nil)
		p.Call("POST", "/"+e.ID+"/clock", map[string]any{"freeze": "2030-01-01T00:00:00Z"}, 200)
		p.Call("POST", "/"+e.ID+"/clock", map[string]any{"advance": "90s"}, 200)
		shown := p.Call("GET", "/"+e.ID, nil, 200)
		if got := shown["clock"]; fmt.Sprint(got) != "map[frozen:true now:2030-01-01T00:01:30Z]" {
			t.Errorf("the clock is %v", got)
		}
		noun := shown["environment"].(map[string]any)
		if delete(shown, "environment"); !reflect.DeepEqual(shown, noun) {
			t.Errorf("under its noun the environment is %v, else %v", noun, shown)
		}
		for _, bad := range []any{map[string]any{}, map[string]any{"freeze": "soon"}, map[string]any{"advance": "-1s"},
			map[string]any{"run": true, "advance": "1s"}} {
			p.Call("POST", "/"+e.ID+"/clock", bad, 400)
		}
		p.Call("PATCH", "/"+e.ID, map[string]any{"rate_limits": "fast"}, 400)
		p.Call("PATCH", "/nobody", map[string]any{"name": "x"}, 404)
		p.Call("DELETE", "/default", nil, 409)
	})
}
