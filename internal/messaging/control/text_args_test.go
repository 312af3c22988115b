package control_test

import (
	"strings"
	"testing"

	"understudy/internal/platform/store/storetest"
)

// An array or object in place of a text is refused in upstream's words, not stored
// as its JSON.
func TestTextsAreNoObjects(t *testing.T) {
	s := newSite(t, storetest.SQLite(t, schemas), "lineage")
	room := s.call("POST", "/api/conversations.create", s.admin(), object{"name": "room"}).at("channel.id")
	post := s.call("POST", "/api/chat.postMessage", s.admin(), object{"channel": room, "text": "first"}).at("ts")
	for _, wrong := range []string{`{"a":1}`, `["a"]`, `{}`} {
		for method, in := range map[string]string{
			"chat.postMessage text":          `{"channel":"` + room + `","text":%}`,
			"chat.postMessage markdown_text": `{"channel":"` + room + `","markdown_text":%}`,
			"chat.postMessage channel":       `{"channel":%,"text":"x"}`,
			"chat.update text":               `{"channel":"` + room + `","ts":"` + post + `","text":%}`,
			"conversations.setTopic topic":   `{"channel":"` + room + `","topic":%}`,
			"conversations.rename name":      `{"channel":"` + room + `","name":%}`,
			"search.messages query":          `{"query":%}`,
		} {
			name, arg, _ := strings.Cut(method, " ")
			r := s.send("POST", "/api/"+name, s.admin(), strings.Replace(in, "%", wrong, 1))
			if r.at("error") != "invalid_arguments" || !strings.Contains(r.raw, `"messages":["[ERROR] must provide a string [json-pointer:/`+arg+`]"]`) {
				t.Errorf("%s %s: %s", method, wrong, r.raw)
			}
		}
	}
	for _, fine := range []string{`"text":12`, `"text":true`, `"text":"{\"a\":1}"`, `"text":"x","nonsense":{}`, `"text":"x","metadata":{"event_type":"e","event_payload":{}}`} {
		if r := s.send("POST", "/api/chat.postMessage", s.admin(), `{"channel":"`+room+`",`+fine+`}`); r.body["ok"] != true {
			t.Errorf("%s: %s", fine, r.raw)
		}
	}
	if r := s.send("POST", "/api/conversations.list", s.admin(), `{"types":["public_channel"]}`); r.body["ok"] != true {
		t.Errorf("a list: %s", r.raw)
	}
}
