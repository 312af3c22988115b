package app_test

import (
	"fmt"
	"testing"
)

func TestADocumentBringsEmoji(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", nil, 201))
		made := p.Seed(e.ID, "application/yaml", `
messaging:
  emoji: {party-gopher: "https://example.test/gopher.png"}
  users: {ada: {email: ada@example.test}}
  messages: [{key: m, channel: general, user: ada, text: "look :party-gopher:", reactions: {party-gopher: [ada]}}]
`, 200)
		general := at(made, "made", "messaging", "messages", "m", "channel").(string)
		m := e.Web("conversations.history", "channel", general)["messages"].([]any)[0]
		if got := fmt.Sprint(at(m, "blocks", 0, "elements", 0, "elements", 1)); got != "map[name:party-gopher type:emoji]" {
			t.Errorf("the message has %v", got)
		}
		if at(m, "reactions", 0, "name") != "party-gopher" {
			t.Errorf("reactions %v", at(m, "reactions"))
		}
		for doc, want := range map[string]int{`{"messaging":{"emoji":{"tada":"https://x.test/a.png"}}}`: 422, `{"messaging":{"emoji":{"Bad Name":"https://x.test/a.png"}}}`: 422,
			`{"messaging":{"emoji":{"fine":"no address"}}}`: 422, `{"messaging":{"emoji":{"fine":"https://x.test/b.png"}}}`: 200} {
			p.Seed(e.ID, "application/json", doc, want)
		}
		if got := e.Web("reactions.add", "channel", general, "timestamp", at(m, "ts").(string), "name", "fine"); got["ok"] != true {
			t.Errorf("a reaction answers %v", got)
		}
	})
}
