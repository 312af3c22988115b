package app_test

import (
	"fmt"
	"testing"
)

func TestADocumentBringsEmoji(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.env(p.call("POST", "", nil, 201))
		made := p.sow(e.id, "application/yaml", `
messaging:
  emoji: {party-gopher: "https://example.test/gopher.png"}
  users: {ada: {email: ada@example.test}}
  messages: [{key: m, channel: general, user: ada, text: "look :party-gopher:", reactions: {party-gopher: [ada]}}]
`, 200)
		general := dig(made, "made", "messaging", "messages", "m", "channel").(string)
		m := e.web("conversations.history", "channel", general)["messages"].([]any)[0]
		if got := fmt.Sprint(dig(m, "blocks", 0, "elements", 0, "elements", 1)); got != "map[name:party-gopher type:emoji]" {
			t.Errorf("the message has %v", got)
		}
		if dig(m, "reactions", 0, "name") != "party-gopher" {
			t.Errorf("reactions %v", dig(m, "reactions"))
		}
		for doc, want := range map[string]int{`{"messaging":{"emoji":{"tada":"https://x.test/a.png"}}}`: 422, `{"messaging":{"emoji":{"Bad Name":"https://x.test/a.png"}}}`: 422,
			`{"messaging":{"emoji":{"fine":"no address"}}}`: 422, `{"messaging":{"emoji":{"fine":"https://x.test/b.png"}}}`: 200} {
			p.sow(e.id, "application/json", doc, want)
		}
		if got := e.web("reactions.add", "channel", general, "timestamp", dig(m, "ts").(string), "name", "fine"); got["ok"] != true {
			t.Errorf("a reaction answers %v", got)
		}
	})
}
