package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// eventually repeats a check until it holds, for at most five seconds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := clock.Real(); !holds(); time.Sleep(10 * time.Millisecond) {
		if clock.Real().Sub(began) > 5*time.Second {
			t.Fatalf("%s: not within five seconds", what)
		}
	}
}

// What people look through by the thousand is sorted, narrowed and counted by
// the admin plane.
func TestListsForPeople(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		hooks := newReceiver(t)
		w := p.world(p.call("POST", "", object{"id": "main-world", "name": "b", "rate_limits": "off"}, 201))
		p.call("POST", "", object{"id": "later", "name": "A"}, 201)
		list := func(query string) (out []string) {
			t.Helper()
			for cursor := ""; ; {
				reply := p.call("GET", "?limit=1&counts=false&cursor="+cursor+query, nil, 200)
				for _, e := range reply["environments"].([]any) {
					out = append(out, at(e, "id").(string))
				}
				if cursor = reply["next_cursor"].(string); cursor == "" {
					return out
				}
			}
		}
		for query, want := range map[string]string{"": "default later main-world", "&sort=name": "later main-world default", "&sort=-created_at": "later main-world default",
			"&sort=-id": "main-world later default", "&sort=name&q=b": "main-world", "&ids=main-world,gone,default": "default main-world"} {
			if got := strings.Join(list(query), " "); got != want {
				t.Errorf("environments%s: %s, want %s", query, got, want)
			}
		}
		full := p.call("GET", "?ids=later", nil, 200)["environments"].([]any)
		if len(full) != 1 || at(full[0], "counts", "messaging", "channels") == nil {
			t.Errorf("by id: %v", full)
		}
		for _, query := range []string{"?sort=size", "?sort=-", "?ids=a&q=b", "?ids=" + strings.Repeat("a,", 200)} {
			p.call("GET", query, nil, 400)
		}
		p.call("GET", "?sort=name&cursor="+p.call("GET", "?limit=1", nil, 200)["next_cursor"].(string), nil, 400)

		messaging, bot := w.credential("messaging", "base_url"), w.credential("messaging", "bot_token")
		p.send("POST", messaging+"/api/webhooks/outgoing", w.credential("messaging", "user_token"), object{"url": hooks.URL + "/m"})
		for i := range 3 {
			p.send("POST", messaging+"/api/chat.postMessage", bot, object{"channel": "general", "text": fmt.Sprint("message ", i)})
		}
		w.crm("POST", "objects/contacts", object{"properties": object{"email": "ida@x.example"}}, 201)

		summary := func(query string) (out []string) {
			t.Helper()
			for _, c := range p.call("GET", "/main-world/diff?summary=true"+query, nil, 200)["summary"].([]any) {
				out = append(out, fmt.Sprint(at(c, "service"), ".", at(c, "entity"), " ", at(c, "inserts"), at(c, "updates"), at(c, "deletes")))
			}
			return out
		}
		if all := summary(""); !slices.Contains(all, "messaging.message 3 0 0") || !slices.Contains(all, "crm.contact 1 0 0") {
			t.Errorf("the summary is %q", all)
		}
		if got := summary("&service=crm"); strings.Join(got, ";") != "crm.contact 1 0 0" {
			t.Errorf("of the CRM: %q", got)
		}
		if got := summary("&service=messaging&entity=message"); strings.Join(got, ";") != "messaging.message 3 0 0" {
			t.Errorf("of messages: %q", got)
		}
		if got := summary("&entity=nosuch"); got != nil {
			t.Errorf("of nothing: %q", got)
		}
		wantLines(t, "contacts alone", p.diff(w.id, "?entity=contact", "inserts"), "crm contact ")
		p.call("GET", "/main-world/diff?summary=perhaps", nil, 400)

		sent := func() int {
			return len(p.call("GET", "/main-world/deliveries?status=delivered", nil, 200)["deliveries"].([]any))
		}
		eventually(t, "three deliveries", func() bool { return sent() == 3 })
		hooks.take()
		got := p.call("POST", "/main-world/deliveries/replay", object{"status": "delivered", "service": "messaging", "limit": 2}, 202)
		if at(got, "replayed") != 2.0 || at(got, "skipped") != 0.0 {
			t.Errorf("replayed: %v", got)
		}
		var again []string
		eventually(t, "two replays", func() bool { again = append(again, hooks.take()...); return len(again) == 2 })
		eventually(t, "their outcomes", func() bool { return sent() == 3 })
		if all := strings.Join(again, " "); strings.Contains(all, "message 0") || !strings.Contains(all, "message 1") || !strings.Contains(all, "message 2") {
			t.Errorf("not the newest: %s", all)
		}
		if got := p.call("POST", "/main-world/deliveries/replay", object{"service": "crm"}, 202); at(got, "replayed") != 0.0 {
			t.Errorf("of the CRM: %v", got)
		}
		for _, body := range []object{{"status": "nosuch"}, {"limit": 0}, {"limit": 1001}, {"stat": "failed"}} {
			p.call("POST", "/main-world/deliveries/replay", body, 400)
		}
	})
}
