package inject

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

// What groups of rules refuse fits none of their rules: asked one by one, the rules
// say the same of each request. Most requests that no rule fits are refused so.
func TestGroupsRefuseWhatFitsNoRule(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	one := func(list ...string) string { return list[random.IntN(len(list))] }
	refused, fitted, open := 0, 0, 0
	for range 2000 {
		f := New([]byte("key"), func() time.Time { return noon })
		var list []Rule
		for range 1 + random.IntN(4) {
			m := map[string]any{}
			for name, values := range map[string][]string{"service": {"crm", "messaging"}, "operation": {"crm.x", "crm.*", "mcp.t"}, "method": {"post", "GET"},
				"path": {"/x", "/*", "/y"}, "by": {"agent", "person"}, "principal": {"U1", "user U1", "U2"}, "tool": {"t", "*"}} {
				if random.IntN(4) == 0 {
					m[name] = one(values...)
				}
			}
			if random.IntN(4) > 0 {
				body := map[string]any{}
				for range 1 + random.IntN(2) {
					body[one("/a", "/b", "/c/0", "")] = json.RawMessage(one(`"v"`, `"w"`, `"1"`, `"true"`, `1`, `true`, `null`, `{"contains":"v"}`, `{"is":"V","ignoring":["case"]}`, `{"is":"v","not":"w"}`, `["v"]`))
				}
				m["body"] = body
			}
			text, err := json.Marshal(map[string]any{"id": fmt.Sprint("r", len(list)), "on": "request", "match": m, "do": map[string]any{"drop": "before"}})
			if err != nil {
				t.Fatal(err)
			}
			var r Rule
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Load(string(text), services); err != nil || len(f.List()) != len(list) {
			t.Fatalf("%s: %v", text, err)
		}
		for range 20 {
			body := []byte(one(`{"a":"v","b":"w"}`, `{"a":1,"c":["v"]}`, `{"b":true,"a":"V"}`, `{"c":["1"],"b":{}}`, `a=v&b=1`, `a=w&b=%76`, `"v"`, ``))
			q := &Request{Service: one("crm", "messaging"), Operations: []string{one("crm.x", "crm.y", record.ToolPrefix+"t", record.ToolPrefix+"u")}, Method: "POST", Path: "/x",
				By: record.Caller{ID: "U1", Principal: "user U1"}, Tool: one("", "t"), Body: func() *match.Content { return match.ReadBody(body) }}
			any := false
			for _, r := range f.requests.Load().rules {
				any = any || r.matchesRequest(q, f.now)
			}
			may := f.requests.Load().mayFit(q)
			switch {
			case any && !may:
				t.Fatalf("%s\nfits %+v with the body %s, which groups refuse", text, q, body)
			case any != (f.MeetRequest(q) != nil):
				t.Fatalf("%s\nfits %+v with the body %s: %v", text, q, body, any)
			case any:
				fitted++
			case may:
				open++
			default:
				refused++
			}
		}
	}
	if fitted < 1000 || refused < 1000 || open > refused/2 {
		t.Errorf("%d requests fitted, %d were refused by groups, %d by rules", fitted, refused, open)
	}
}
