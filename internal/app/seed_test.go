package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// sow sends a document as it is written.
func (p plane) sow(env, contentType, text string, want int) map[string]any {
	p.t.Helper()
	r, err := http.NewRequest("POST", p.s.URL+"/admin/v1/environments/"+env+"/seed", strings.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.Header.Set("Content-Type", contentType)
	resp, err := p.s.Client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var reply map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		p.t.Fatal(err)
	}
	if resp.StatusCode != want {
		p.t.Fatalf("a seed document answers %d %v, want %d", resp.StatusCode, reply, want)
	}
	return reply
}

// dig walks into a reply by names and places of lists.
func dig(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

// web calls a method of the messaging Web API.
func (e env) web(method string, args ...string) map[string]any {
	e.p.t.Helper()
	q := url.Values{}
	for i := 0; i < len(args); i += 2 {
		q.Set(args[i], args[i+1])
	}
	_, reply := e.p.s.Call("GET", e.base+"/api/"+method+"?"+q.Encode(), e.token, nil)
	if reply["ok"] != true {
		e.p.t.Fatalf("%s %v answers %v", method, args, reply)
	}
	return reply
}

const messagingSeed = `
messaging:
  users:
    ada: {email: ada@example.test, name: Ada Byron, title: Engineer, admin: true}
    ben: {email: ben@example.test, id: U0BEN000001}
  channels:
    general: {topic: All of us}
    launch: {creator: ada, members: [ben, understudy_bot], purpose: "Ship it", created: -10d}
    vault: {kind: private, creator: ben}
    talk: {kind: direct, members: [ada, ben]}
  messages:
    - {key: hello, channel: launch, user: ada, ts: "1700000000.000100", text: "Hello <@ben>", reactions: {tada: [ben, ada], "+1": [ben]}}
    - {channel: launch, user: ben, parent: hello, at: -1h, text: "Hi"}
    - {channel: launch, user: ada, parent: hello, at: -30m, text: "There", broadcast: true}
    - {key: later, channel: launch, user: ada, at: -5m, text: "See <#vault>"}
    - {channel: talk, user: ben, text: psst}
    - {channel: general, user: ben, text: "To all"}
`

func TestASeedDocumentFillsMessaging(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", nil, 201))
		made := dig(p.sow(e.id, "application/yaml", messagingSeed, 200), "made", "messaging")
		launch, hello := dig(made, "channels", "launch", "id").(string), dig(made, "messages", "hello")
		if dig(hello, "ts") != "1700000000.000100" || dig(hello, "channel") != launch || dig(made, "users", "ben", "id") != "U0BEN000001" {
			t.Errorf("made %v", made)
		}
		history := e.web("conversations.history", "channel", launch)["messages"].([]any)
		if len(history) != 3 || dig(history[2], "ts") != "1700000000.000100" || dig(history[2], "reply_count") != 2.0 ||
			dig(history[2], "text") != "Hello <@U0BEN000001>" || dig(history[1], "subtype") != "thread_broadcast" {
			t.Errorf("the channel has %v", history)
		}
		replies := e.web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 3 || dig(replies[1], "text") != "Hi" {
			t.Errorf("the thread has %v", replies)
		}
		if got := strings.TrimSpace(fmt.Sprintln(dig(replies[0], "reactions", 0, "name"), dig(replies[0], "reactions", 0, "count"),
			dig(replies[0], "reactions", 1, "name"))); got != "tada 2 +1" {
			t.Errorf("reactions %s", got)
		}
		info := e.web("conversations.info", "channel", launch, "include_num_members", "true")
		if dig(info, "channel", "purpose", "value") != "Ship it" || dig(info, "channel", "num_members") != 3.0 {
			t.Errorf("the channel is %v", info)
		}
		e.shows("To all")
		e.post("afterwards")
		e.shows("afterwards", "To all")
		if n := len(p.call("GET", "/"+e.id+"/deliveries", nil, 200)["deliveries"].([]any)); n != 0 {
			t.Errorf("%d deliveries", n)
		}
		// What exists is used: the same people and channel again, with more in it.
		p.sow(e.id, "application/json", `{"messaging": {"users": {"ada": {"email": "ada@example.test"}},
			"messages": [{"channel": "launch", "user": "ada", "parent": "1700000000.000100", "at": "-45m", "text": "between"}]}}`, 200)
		replies = e.web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 4 || dig(replies[2], "text") != "between" || dig(replies[0], "latest_reply") != dig(replies[3], "ts") {
			t.Errorf("the thread has %v", replies)
		}
	})
}
