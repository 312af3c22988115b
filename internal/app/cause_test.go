package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// causes returns who wrote each change of a diff, the last first, as "operation
// fields" by "op service entity key", and the changes that are not exact.
func (p plane) causes(env, query string) (by map[string][]string, inexact []string) {
	p.T.Helper()
	by = map[string][]string{}
	d := p.Call("GET", "/"+env+"/diff"+query, nil, 200)
	for op, list := range map[string]string{"+": "inserts", "~": "updates", "-": "deletes"} {
		for _, one := range d[list].([]any) {
			c := one.(map[string]any)
			key := fmt.Sprint(op, " ", c["service"], " ", c["entity"], " ", c["key"])
			if c["exact"] != true {
				inexact = append(inexact, key)
			}
			by[key] = []string{}
			for _, x := range c["cause"].([]any) {
				w := x.(map[string]any)
				name := fmt.Sprint(w["operation"])
				if name == "" {
					name = w["actor"].(map[string]any)["kind"].(string)
				}
				if fields, ok := w["fields"].([]any); ok {
					name += fmt.Sprint(" ", fields)
				}
				by[key] = append(by[key], name)
			}
		}
	}
	return by, inexact
}

func (p plane) onPostgres() bool { return strings.HasSuffix(p.T.Name(), "/postgres") }

func TestADiffNamesItsCauses(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", map[string]any{"fixture": "demo"}, 201))
		e.Bot("conversations.create", map[string]any{"name": "elsewhere"})
		snapshot := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		channel := e.Bot("conversations.create", map[string]any{"name": "plans"})["channel"].(map[string]any)["id"].(string)
		e.Bot("conversations.setTopic", map[string]any{"channel": channel, "topic": "2026"})
		ts := e.Bot("chat.postMessage", map[string]any{"channel": channel, "text": "first"})["ts"].(string)
		e.Bot("chat.postMessage", map[string]any{"channel": channel, "text": "answer", "thread_ts": ts})
		gone := e.Bot("chat.postMessage", map[string]any{"channel": channel, "text": "gone"})["ts"].(string)
		e.Bot("chat.update", map[string]any{"channel": channel, "ts": ts, "text": "second"})
		e.Bot("chat.delete", map[string]any{"channel": channel, "ts": gone})

		by, inexact := p.causes(e.ID, "?from="+snapshot)
		check := func(key string, want ...string) {
			t.Helper()
			if got := by[key]; !slices.Equal(got, want) {
				t.Errorf("%s is caused by %q, want %q", key, got, want)
			}
		}
		if p.onPostgres() {
			if got := by["+ messaging message "+channel+"/"+ts]; !slices.Contains(got, "messaging.chat.postMessage") {
				t.Errorf("the message: %q", got)
			}
			if !slices.Contains(inexact, "+ messaging message "+channel+"/"+ts) {
				t.Error("three requests may have written the message, and it counts as exact")
			}
			return
		}
		if len(inexact) > 0 {
			t.Errorf("not exact: %q", inexact)
		}
		check("+ messaging message "+channel+"/"+ts, "messaging.chat.update", "messaging.chat.postMessage [latest_reply reply_count reply_users]", "messaging.chat.postMessage")
		topic := by["+ messaging channel "+channel]
		if len(topic) != 2 || !strings.HasPrefix(topic[0], "messaging.conversations.setTopic [") || !strings.HasPrefix(topic[1], "messaging.conversations.create [") {
			t.Errorf("the channel: %q", topic)
		}

		// After a second snapshot an edit is the one cause, however often others post.
		later := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		e.Bot("conversations.setTopic", map[string]any{"channel": channel, "topic": "2027"})
		e.Bot("chat.postMessage", map[string]any{"channel": channel, "text": "more"})
		by, inexact = p.causes(e.ID, "?from="+later)
		if len(inexact) > 0 {
			t.Errorf("not exact: %q", inexact)
		}
		if got := by["~ messaging channel "+channel]; len(got) != 1 || !strings.HasPrefix(got[0], "messaging.conversations.setTopic [") || !strings.Contains(got[0], "topic.value") {
			t.Errorf("the topic is caused by %q", got)
		}
		by, _ = p.causes(e.ID, "?from="+snapshot+"&to="+later)
		if len(by) == 0 || len(by["~ messaging channel "+channel]) != 0 {
			t.Errorf("between two snapshots: %v", by)
		}

		// And from a request to what it did.
		list := p.requests(e.ID, "?operation=messaging.chat.postMessage&limit=1")
		seq := list[0].(map[string]any)["seq"]
		effects := p.Call("GET", fmt.Sprintf("/%s/requests/%.0f", e.ID, seq), nil, 200)["effects"].(map[string]any)
		var did []string
		for _, x := range effects["changes"].([]any) {
			c := x.(map[string]any)
			did = append(did, fmt.Sprint(c["op"], " ", c["entity"]))
		}
		if !slices.Contains(did, "insert message") || len(effects["events"].([]any)) != 1 {
			t.Errorf("a post did %v, with events %v", did, effects["events"])
		}

		if d := p.Call("GET", "/"+e.ID+"/diff?cause=false&from="+later, nil, 200); strings.Contains(fmt.Sprint(d), "exact") {
			t.Error("cause=false shows causes")
		}
		whole := p.Call("GET", "/"+e.ID+"/diff?fields=all&from="+later, nil, 200)["updates"].([]any)[0].(map[string]any)
		if after := whole["after"].(map[string]any); after["name"] != "plans" || len(whole["changed"].([]any)) > 3 {
			t.Errorf("a whole record: %v", whole)
		}
		for _, query := range []string{"?cause=1", "?fields=none", "?causes=true"} {
			p.Call("GET", "/"+e.ID+"/diff"+query, nil, 400)
		}
	})
}

// A seed document is one cause for all that it made.
func TestASeedDocumentIsACause(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", nil, 201))
		p.Call("POST", "/"+e.ID+"/seed", map[string]any{"messaging": map[string]any{"channels": map[string]any{"seeded": map[string]any{}}}}, 200)
		by, inexact := p.causes(e.ID, "")
		found := 0
		for key, list := range by {
			if strings.HasPrefix(key, "+ messaging channel") {
				found++
				if len(list) != 1 || !strings.HasPrefix(list[0], "admin") {
					t.Errorf("%s: %q", key, list)
				}
			}
		}
		if found != 1 || len(inexact) > 0 {
			t.Errorf("%v; not exact: %q", by, inexact)
		}
	})
}

// The causes of changes before a restore are unknown; those after a reset or in
// a fork are known.
func TestAJournalBeginsAnewWithItsWorld(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", nil, 201))
		e.Post("one")
		s := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
		e.Post("two")
		count := func(env, query string) (changes, exact int) {
			by, inexact := p.causes(env, query)
			return len(by), len(by) - len(inexact)
		}
		f := p.world(p.Call("POST", "/"+e.ID+"/fork", nil, 201))
		if n, _ := count(f.ID, ""); n != 0 {
			t.Errorf("a new fork has %d changes", n)
		}
		f.Post("three")
		if n, exact := count(f.ID, ""); n != 1 || exact != 1 {
			t.Errorf("the fork has %d changes, %d exact", n, exact)
		}
		if n, exact := count(e.ID, "?from="+s); n != 1 || exact != 1 {
			t.Errorf("%d changes since the snapshot, %d exact", n, exact)
		}
		p.Call("POST", "/"+e.ID+"/restore", map[string]any{"snapshot": s}, 200)
		e.Post("four")
		if n, exact := count(e.ID, "?from="+s); n != 1 || exact != 1 {
			t.Errorf("%d changes since the restored snapshot, %d exact", n, exact)
		}
		if n, exact := count(e.ID, ""); n != 2 || exact != 1 && !p.onPostgres() {
			t.Errorf("%d changes since the creation, %d exact", n, exact)
		}
		p.Call("POST", "/"+e.ID+"/reset", nil, 200)
		e.Post("five")
		if n, exact := count(e.ID, ""); n != 1 || exact != 1 {
			t.Errorf("%d changes since the reset, %d exact", n, exact)
		}
	})
}
