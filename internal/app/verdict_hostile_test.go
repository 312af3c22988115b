package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// A document that asks for too much is refused, or answered with a reply of
// bounded size; none is an error of the server.
func TestHostileVerdicts(t *testing.T) {
	s := apptest.Start(t)
	p := planeOf(t, s)
	w := p.world(p.Call("POST", "", object{"fixture": "demo", "seed": 7, "rate_limits": "off"}, 201))
	long := strings.Repeat("long ", 6000)
	for i := range 6 {
		p.send("POST", w.Credential("messaging", "base_url")+"/api/chat.postMessage", w.Credential("messaging", "bot_token"), object{"channel": "general", "text": fmt.Sprint(i, " ", long)})
	}
	list := func(n int, one any) (out []any) {
		for range n {
			out = append(out, one)
		}
		return out
	}
	nested := func(depth int, inner string) json.RawMessage {
		return json.RawMessage(`{"expect": [{"inserted": "messaging.message", "where": {"text": ` + strings.Repeat(`{"includes": `, depth) + inner + strings.Repeat(`}`, depth) + `}}]}`)
	}
	message := func(where object) object { return object{"inserted": "messaging.message", "where": where} }
	for name, c := range map[string]struct {
		body   any
		status int
		code   string // "" for a verdict
	}{
		"10,000 expectations":                {object{"expect": list(10_000, message(object{"text": "x"}))}, 422, "invalid_verdict"},
		"matchers nested 1,000 deep":         {nested(1000, `"x"`), 400, ""},
		"matchers nested as deep as may be":  {nested(50, `"`+strings.Repeat("x", 300_000)+`"`), 200, ""},
		"a pattern that repeats too much":    {object{"expect": []any{message(object{"text": object{"matches": "((a{1,30}){1,30}){1,30}"}})}}, 422, "invalid_verdict"},
		"a pattern that others backtrack on": {object{"expect": []any{message(object{"text": object{"matches": "^((long )*)*$"}})}}, 200, ""},
		"captures in a circle": {object{"expect": []any{object{"inserted": "messaging.message", "where": object{"ts": "$b.ts"}, "as": "a"},
			object{"inserted": "messaging.message", "where": object{"ts": "$a.ts"}, "as": "b"}}}, 422, "invalid_verdict"},
		"a capture of itself":             {object{"expect": []any{object{"inserted": "messaging.message", "where": object{"ts": "$a.ts"}, "as": "a"}}}, 422, "invalid_verdict"},
		"a binding of a reference":        {object{"bind": object{"a": "$b", "b": "$a"}, "expect": []any{message(object{"text": "$a"})}}, 200, ""},
		"names that collide":              {object{"expect": []any{object{"inserted": "messaging.message", "as": "a"}, object{"inserted": "messaging.message", "as": "a"}}}, 422, "invalid_verdict"},
		"a name that bind has":            {object{"bind": object{"a": 1}, "expect": []any{object{"inserted": "messaging.message", "as": "a"}}}, 422, "invalid_verdict"},
		"a huge expected value":           {object{"expect": list(3, message(object{"text": strings.Repeat("y", 300_000)}))}, 200, ""},
		"near misses of long texts":       {object{"expect": list(500, message(object{"text": "z", "plain": "z", "channel": "#general"}))}, 200, ""},
		"a huge answer":                   {object{"answer": strings.Repeat("a", 900_000), "expect": list(500, object{"answered": object{"contains": "b"}})}, 200, ""},
		"counts of thousands of millions": {object{"trajectory": list(200, object{"called": object{"operation": "messaging.*"}, "count": object{"at_least": 2147483647}})}, 200, ""},
		"more than may be sent":           {object{"answer": strings.Repeat("a", 2<<20)}, 413, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, reply := s.Call("POST", "/admin/v1/environments/"+w.ID+"/verdict", p.Key, c.body)
			e, _ := reply["error"].(map[string]any)
			if status != c.status || c.code != "" && e["code"] != c.code || status >= 400 && (e["code"] == nil || e["message"] == nil) {
				t.Errorf("%d %.300v, want %d %s", status, reply, c.status, c.code)
			}
			if text, _ := json.Marshal(reply); len(text) > 16<<20 {
				t.Errorf("a reply of %d bytes", len(text))
			}
		})
	}
}
