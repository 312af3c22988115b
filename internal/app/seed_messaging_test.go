package app_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

const messagingSeed = `
messaging:
  users:
    ada: {email: ada@example.test, name: Ada Byron, title: Engineer, admin: true}
    ben: {email: ben@example.test, id: U0BEN000001}
    cleo: {email: cleo@example.test}
  channels:
    general: {topic: All of us}
    launch: {creator: ada, members: [ben, understudy_bot], left: [cleo], purpose: "Ship it", created: -10d}
    vault: {kind: private, creator: ben}
    talk: {kind: direct, members: [ada, ben]}
  messages:
    - {key: hello, channel: launch, user: ada, ts: "1700000000.000100", text: "Hello <@ben>", reactions: {tada: [ben, ada], "+1": [ben]}}
    - {channel: launch, user: ben, parent: hello, at: -1h, text: "Hi"}
    - {channel: launch, user: cleo, at: -9d, text: "I am off"}
    - {channel: launch, user: ada, parent: hello, at: -30m, text: "There", broadcast: true}
    - {key: later, channel: launch, user: ada, at: -5m, text: "See <#vault>"}
    - {channel: talk, user: ben, text: psst}
    - {channel: general, user: ben, text: "To all"}
`

func TestASeedDocumentFillsMessaging(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		reply := p.Call("POST", "", nil, 201)
		e := p.World(reply)
		status, hook := p.Server.Call("POST", e.Base("messaging")+"/api/webhooks/outgoing", apptest.Get(reply, "messaging", "user_token").(string), map[string]any{"url": p.Server.URL + "/nobody"})
		if status != 201 {
			t.Fatalf("a webhook answers %d %v", status, hook)
		}
		deliveries := func() int { return len(p.Call("GET", "/"+e.ID+"/deliveries", nil, 200)["deliveries"].([]any)) }
		made := apptest.Get(p.Seed(e.ID, "application/yaml", messagingSeed, 200), "made", "messaging")
		if n := deliveries(); n != 0 {
			t.Errorf("%d deliveries of what was seeded", n)
		}
		launch, hello := apptest.Get(made, "channels", "launch", "id").(string), apptest.Get(made, "messages", "hello")
		if apptest.Get(hello, "ts") != "1700000000.000100" || apptest.Get(hello, "channel") != launch || apptest.Get(made, "users", "ben", "id") != "U0BEN000001" {
			t.Errorf("made %v", made)
		}
		history := e.Web("conversations.history", "channel", launch)["messages"].([]any)
		if len(history) != 4 || apptest.Get(history[3], "ts") != "1700000000.000100" || apptest.Get(history[3], "reply_count") != 2.0 ||
			apptest.Get(history[3], "text") != "Hello <@U0BEN000001>" || apptest.Get(history[1], "subtype") != "thread_broadcast" {
			t.Errorf("the channel has %v", history)
		}
		replies := e.Web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 3 || apptest.Get(replies[1], "text") != "Hi" {
			t.Errorf("the thread has %v", replies)
		}
		if got := strings.TrimSpace(fmt.Sprintln(apptest.Get(replies[0], "reactions", 0, "name"), apptest.Get(replies[0], "reactions", 0, "count"),
			apptest.Get(replies[0], "reactions", 1, "name"))); got != "tada 2 +1" {
			t.Errorf("reactions %s", got)
		}
		info := e.Web("conversations.info", "channel", launch, "include_num_members", "true")
		if apptest.Get(info, "channel", "purpose", "value") != "Ship it" || apptest.Get(info, "channel", "num_members") != 3.0 {
			t.Errorf("the channel is %v", info)
		}
		e.WantTexts("To all")
		e.Post("afterwards")
		e.WantTexts("afterwards", "To all")
		if n := deliveries(); n != 1 {
			t.Errorf("%d deliveries of what was posted", n)
		}
		// What exists is used: the same people and channel again, with more in it.
		p.Seed(e.ID, "application/json", `{"messaging": {"users": {"ada": {"email": "ada@example.test"}},
			"messages": [{"channel": "launch", "user": "ada", "parent": "1700000000.000100", "at": "-45m", "text": "between"}]}}`, 200)
		replies = e.Web("conversations.replies", "channel", launch, "ts", "1700000000.000100")["messages"].([]any)
		if len(replies) != 4 || apptest.Get(replies[2], "text") != "between" || apptest.Get(replies[0], "latest_reply") != apptest.Get(replies[3], "ts") {
			t.Errorf("the thread has %v", replies)
		}
	})
}

func TestADocumentBringsEmoji(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(nil)
		made := p.Seed(e.ID, "application/yaml", `
messaging:
  emoji: {party-gopher: "https://example.test/gopher.png"}
  users: {ada: {email: ada@example.test}}
  messages: [{key: m, channel: general, user: ada, text: "look :party-gopher:", reactions: {party-gopher: [ada]}}]
`, 200)
		general := apptest.Get(made, "made", "messaging", "messages", "m", "channel").(string)
		m := e.Web("conversations.history", "channel", general)["messages"].([]any)[0]
		if got := fmt.Sprint(apptest.Get(m, "blocks", 0, "elements", 0, "elements", 1)); got != "map[name:party-gopher type:emoji]" {
			t.Errorf("the message has %v", got)
		}
		if apptest.Get(m, "reactions", 0, "name") != "party-gopher" {
			t.Errorf("reactions %v", apptest.Get(m, "reactions"))
		}
		for doc, want := range map[string]int{`{"messaging":{"emoji":{"tada":"https://x.test/a.png"}}}`: 422, `{"messaging":{"emoji":{"Bad Name":"https://x.test/a.png"}}}`: 422,
			`{"messaging":{"emoji":{"fine":"no address"}}}`: 422, `{"messaging":{"emoji":{"fine":"https://x.test/b.png"}}}`: 200} {
			p.Seed(e.ID, "application/json", doc, want)
		}
		if got := e.Web("reactions.add", "channel", general, "timestamp", apptest.Get(m, "ts").(string), "name", "fine"); got["ok"] != true {
			t.Errorf("a reaction answers %v", got)
		}
	})
}
