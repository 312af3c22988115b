package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// call makes a messaging call that must succeed.
func (e env) call(method string, args map[string]any) map[string]any {
	e.p.t.Helper()
	status, reply := e.p.s.Call("POST", e.base+"/api/"+method, e.token, args)
	if status != 200 || reply["ok"] != true {
		e.p.t.Fatalf("%s answers %d %v", method, status, reply)
	}
	return reply
}

// diff gives the changes of one list as lines "service entity key changed before after".
func (p plane) diff(env, query, list string) (out []string) {
	p.t.Helper()
	for _, one := range p.call("GET", "/"+env+"/diff"+query, nil, 200)[list].([]any) {
		out = append(out, line(one))
	}
	return out
}

func line(one any) string {
	c := one.(map[string]any)
	text := func(v any) string {
		b, _ := json.Marshal(v)
		return string(b)
	}
	return fmt.Sprint(c["service"], " ", c["entity"], " ", c["key"], " ", text(c["changed"]), " ", text(c["before"]), " ", text(c["after"]))
}

func TestADiffOfMessaging(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"}, 201))
		channel := e.call("conversations.create", map[string]any{"name": "plans"})["channel"].(map[string]any)["id"].(string)
		post := func(text string) string {
			return e.call("chat.postMessage", map[string]any{"channel": channel, "text": text})["ts"].(string)
		}
		kept, changed, gone := post("kept"), post("to be changed"), post("to go")
		snapshot := p.call("POST", "/"+e.id+"/snapshots", nil, 201)["id"].(string)
		p.call("POST", "/"+e.id+"/clock", map[string]any{"advance": "1h"}, 200)
		e.call("chat.update", map[string]any{"channel": channel, "ts": changed, "text": "changed"})
		e.call("chat.delete", map[string]any{"channel": channel, "ts": gone})
		e.call("reactions.add", map[string]any{"channel": channel, "timestamp": kept, "name": "tada"})
		fresh := post("new")
		e.call("conversations.setTopic", map[string]any{"channel": channel, "topic": "2026"})

		query := "?from=" + snapshot
		inserts := strings.Join(p.diff(e.id, query, "inserts"), "\n")
		for _, want := range []string{"messaging message " + channel + "/" + fresh + " [] null {", `"text":"new"`, `"ts":"1767229200.`,
			"messaging reaction " + channel + "/" + kept + "/tada/U"} {
			if !strings.Contains(inserts, want) {
				t.Errorf("the inserts lack %q:\n%s", want, inserts)
			}
		}
		updates := p.diff(e.id, query, "updates")
		if len(updates) != 2 || !strings.HasPrefix(updates[0], "messaging channel "+channel+` ["topic.creator","topic.last_set","topic.value","updated"]`) ||
			!strings.HasPrefix(updates[1], "messaging message "+channel+"/"+changed+` ["blocks","edited","text"] {"blocks":`) ||
			!strings.Contains(updates[1], `"text":"to be changed"`) || !strings.HasSuffix(updates[1], `"text":"changed"}`) {
			t.Errorf("updates:\n%s", strings.Join(updates, "\n"))
		}
		if deletes := p.diff(e.id, query, "deletes"); len(deletes) != 1 || !strings.HasPrefix(deletes[0], "messaging message "+channel+"/"+gone+" [] {") ||
			!strings.HasSuffix(deletes[0], " null") {
			t.Errorf("deletes:\n%s", strings.Join(deletes, "\n"))
		}

		// From the creation on, the channel itself is new, and nothing else changed or went.
		since := strings.Join(p.diff(e.id, "", "inserts"), "\n")
		if !strings.Contains(since, "messaging channel "+channel+" ") || strings.Contains(since, gone) {
			t.Errorf("since the creation:\n%s", since)
		}
		// Two snapshots, the same one, and none.
		later := p.call("POST", "/"+e.id+"/snapshots", nil, 201)["id"].(string)
		post("after the second snapshot")
		for query, want := range map[string]int{"?from=" + snapshot + "&to=" + later: 3, "?from=" + later + "&to=" + snapshot: 1, "?from=" + later + "&to=" + later: 0} {
			if got := p.diff(e.id, query, "inserts"); len(got) != want {
				t.Errorf("%s has %d inserts, want %d:\n%s", query, len(got), want, strings.Join(got, "\n"))
			}
		}
		p.call("GET", "/"+e.id+"/diff?from=nosuch", nil, 404)
		p.call("GET", "/"+e.id+"/diff?to=nosuch", nil, 404)
		p.call("GET", "/nosuch/diff", nil, 404)
		p.call("GET", "/"+e.id+"/diff?limit=0", nil, 400)
		p.call("GET", "/"+e.id+"/diff?cursor=bad", nil, 400)
	})
}
