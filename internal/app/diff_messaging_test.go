package app_test

import (
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

func TestADiffOfMessaging(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(map[string]any{"seed": 7, "clock": "2026-01-01T00:00:00Z"})
		channel := e.Bot("conversations.create", map[string]any{"name": "plans"})["channel"].(map[string]any)["id"].(string)
		post := func(text string) string {
			return e.Bot("chat.postMessage", map[string]any{"channel": channel, "text": text})["ts"].(string)
		}
		kept, changed, gone := post("kept"), post("to be changed"), post("to go")
		snapshot := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		p.Call("POST", "/"+e.ID+"/clock", map[string]any{"advance": "1h"}, 200)
		e.Bot("chat.update", map[string]any{"channel": channel, "ts": changed, "text": "changed"})
		e.Bot("chat.delete", map[string]any{"channel": channel, "ts": gone})
		e.Bot("reactions.add", map[string]any{"channel": channel, "timestamp": kept, "name": "tada"})
		fresh := post("new")
		e.Bot("conversations.setTopic", map[string]any{"channel": channel, "topic": "2026"})

		query := "?from=" + snapshot
		inserts := strings.Join(p.Diff(e.ID, query, "inserts"), "\n")
		for _, want := range []string{"messaging message " + channel + "/" + fresh + " [] null {", `"text":"new"`, `"ts":"1767229200.`,
			"messaging reaction " + channel + "/" + kept + "/tada/U"} {
			if !strings.Contains(inserts, want) {
				t.Errorf("the inserts lack %q:\n%s", want, inserts)
			}
		}
		updates := p.Diff(e.ID, query, "updates")
		if len(updates) != 2 || !strings.HasPrefix(updates[0], "messaging channel "+channel+` ["topic.creator","topic.last_set","topic.value","updated"]`) ||
			!strings.HasPrefix(updates[1], "messaging message "+channel+"/"+changed+` ["blocks","edited","text"] {"blocks":`) ||
			!strings.Contains(updates[1], `"text":"to be changed"`) || !strings.HasSuffix(updates[1], `"text":"changed"}`) {
			t.Errorf("updates:\n%s", strings.Join(updates, "\n"))
		}
		if deletes := p.Diff(e.ID, query, "deletes"); len(deletes) != 1 || !strings.HasPrefix(deletes[0], "messaging message "+channel+"/"+gone+" [] {") ||
			!strings.HasSuffix(deletes[0], " null") {
			t.Errorf("deletes:\n%s", strings.Join(deletes, "\n"))
		}

		// From the creation on, the channel itself is new, and nothing else changed or went.
		since := strings.Join(p.Diff(e.ID, "", "inserts"), "\n")
		if !strings.Contains(since, "messaging channel "+channel+" ") || strings.Contains(since, gone) {
			t.Errorf("since the creation:\n%s", since)
		}
		// Two snapshots, the same one, and none.
		later := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		post("after the second snapshot")
		for query, want := range map[string]int{"?from=" + snapshot + "&to=" + later: 3, "?from=" + later + "&to=" + snapshot: 1, "?from=" + later + "&to=" + later: 0} {
			if got := p.Diff(e.ID, query, "inserts"); len(got) != want {
				t.Errorf("%s has %d inserts, want %d:\n%s", query, len(got), want, strings.Join(got, "\n"))
			}
		}
		p.Call("GET", "/"+e.ID+"/diff?from=nosuch", nil, 404)
		p.Call("GET", "/"+e.ID+"/diff?to=nosuch", nil, 404)
		p.Call("GET", "/nosuch/diff", nil, 404)
		p.Call("GET", "/"+e.ID+"/diff?limit=0", nil, 400)
		p.Call("GET", "/"+e.ID+"/diff?cursor=bad", nil, 400)
	})
}
