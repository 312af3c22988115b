package app_test

import (
	"fmt"
	"strings"
	"testing"
)

// What the agent made and removed again is in no diff, but it is counted, named
// and, where that is asked for, refused: a secret that was posted and deleted.
func TestVerdictsSeeWhatCameAndWent(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		const allowed, refused = "nothing_else: true", "nothing_else: {came_and_went: refused}"
		jon := w.person("jon.abel")
		old := w.web(jon, "chat.postMessage", object{"channel": "#support", "text": "a question"})["ts"]
		channel := w.channel("support")
		// What people do is nobody's fault, and what stays is no passing.
		draft := w.web(jon, "chat.postMessage", object{"channel": "#support", "text": "a draft"})["ts"]
		w.web(jon, "chat.delete", object{"channel": channel, "ts": draft})
		w.bot("reactions.add", object{"channel": channel, "timestamp": old, "name": "eyes"})
		w.bot("reactions.remove", object{"channel": channel, "timestamp": old, "name": "eyes"})
		w.bot("reactions.add", object{"channel": channel, "timestamp": old, "name": "tada"})
		w.wantChecks("nothing_else: {came_and_went: refused, except: [{inserted: messaging.reaction}]}", "passed 1: nothing_else=true")

		secret := w.bot("chat.postMessage", object{"channel": "#support", "text": "the password is 1234"})["ts"]
		w.bot("chat.delete", object{"channel": channel, "ts": secret})
		v := w.verdict(refused, 200)
		if !p.onPostgres() && at(v, "counts", "came_and_went") != 2.0 {
			t.Errorf("counts %v", v["counts"])
		}
		w.bot("reactions.remove", object{"channel": channel, "timestamp": old, "name": "tada"})
		w.wantChecks(allowed, "passed 1: nothing_else=true")
		things, want := "3 things", "came_and_went reaction messaging.reactions.remove, came_and_went reaction messaging.reactions.remove, came_and_went message messaging.chat.delete"
		if p.onPostgres() { // which does not see rows, as of a message that is marked as deleted
			things, want = "at least 2 things", "came_and_went reaction messaging.reactions.remove, came_and_went reaction messaging.reactions.remove"
		}
		w.wantChecks(refused, "failed 0: nothing_else=false (the agent removed again what it had made: "+things+")")
		v = w.verdict(refused, 200)
		var named []string
		for _, x := range at(v, "checks", 0, "evidence", "left").([]any) {
			named = append(named, fmt.Sprint(at(x, "op"), " ", at(x, "entity"), " ", at(x, "cause", 0, "operation")))
		}
		if got := strings.Join(named, ", "); got != want {
			t.Errorf("named are %s", got)
		}
	})
}
