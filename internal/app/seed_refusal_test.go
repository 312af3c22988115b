package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// seedRefusals are documents that cannot be applied, each with where and why.
var seedRefusals = []struct{ name, text, line, field, says string }{
	{"unknown service", "mesaging:\n  users: {}\n", "1", "mesaging", "is not a service"},
	{"unknown field", "messaging:\n  users:\n    ada: {email: a@b.example, colour: red}\n", "3", "messaging.users.ada.colour", "is not a field here"},
	{"missing field", "messaging:\n  users:\n    ada:\n      name: Ada\n", "3", "messaging.users.ada.email", "is required"},
	{"wrong type", "messaging:\n  messages:\n    - {channel: general, user: admin,\n       text: 12}\n", "4", "messaging.messages[0].text", "must be a text, not a number"},
	{"unknown user", "messaging:\n  messages:\n    - channel: general\n      user: nobody\n      text: hi\n", "4", "messaging.messages[0].user", `no user "nobody"`},
	{"unknown channel", "messaging:\n  messages:\n    - channel: nowhere\n      user: admin\n      text: hi\n", "3", "messaging.messages[0].channel", `no channel "nowhere"`},
	{"bad address", "messaging:\n  users:\n    ada: {email: nonsense}\n", "3", "messaging.users.ada.email", "e-mail"},
	{"bad channel name", "messaging:\n  channels:\n    x: {name: Über Alles}\n", "3", "messaging.channels.x.name", "invalid name specials"},
	{"the future", "messaging:\n  messages:\n    - {channel: general, user: admin, text: hi,\n       at: +1h}\n", "4", "messaging.messages[0].at", "later than the environment's clock"},
	{"a ts twice", "messaging:\n  messages:\n    - {channel: general, user: admin, text: a, ts: \"1.5\"}\n    - {channel: general, user: admin, text: b, ts: \"1.500000\"}\n", "4", "messaging.messages[1].ts", "has a message with this ts"},
	{"reply before its parent", "messaging:\n  messages:\n    - {key: m, channel: general, user: admin, text: a, at: -1h}\n    - {channel: general, user: admin, text: b, parent: m, at: -2h}\n", "4", "messaging.messages[1].parent", "later than its reply"},
	{"no emoji", "messaging:\n  messages:\n    - {channel: general, user: admin, text: a, reactions: {nonsense_: [admin]}}\n", "3", "messaging.messages[0].reactions.nonsense_", "is not an emoji"},
	{"no text", "messaging:\n  messages:\n    - {channel: general, user: admin}\n", "3", "messaging.messages[0]", "no text"},
	{"unknown property", "crm:\n  companies:\n    a:\n      properties:\n        name: A\n        colour: red\n", "6", "crm.companies.a.properties.colour", "does not exist"},
	{"a contact twice", "crm:\n  contacts:\n    a: {properties: {email: a@b.example}}\n    b: {properties: {email: a@b.example}}\n", "4", "crm.contacts.b", "more than once"},
	{"unknown record", "crm:\n  contacts:\n    a: {associated: [companies/none]}\n", "3", "crm.contacts.a.associated[0]", `no company "none"`},
	{"impossible association", "crm:\n  contacts: {a: }\n  companies: {b: }\n  associations:\n    - {from: contacts/a, to: companies/b, type: 5}\n", "5", "crm.associations[0].type", "no such association"},
	{"unknown state", "tracker:\n  teams: {t: {key: TT}}\n  issues:\n    i: {team: t, title: T, state: Nirvana}\n", "4", "tracker.issues.i.state", `no state "Nirvana"`},
	{"sub-issue first", "tracker:\n  teams: {t: {key: TT}}\n  issues:\n    i: {team: t, title: T, parent: j}\n    j: {team: t, title: U}\n", "4", "tracker.issues.i.parent", "must be listed before"},
	{"times against the state", "tracker:\n  teams: {t: {key: TT}}\n  issues:\n    i: {team: t, title: T, created: -2d, completed: -1d}\n", "4", "tracker.issues.i.completed", "must be left out"},
	{"bad priority", "tracker:\n  teams: {t: {key: TT}}\n  issues:\n    i: {team: t, title: T,\n        priority: 9}\n", "5", "tracker.issues.i.priority", "greater than 4"},
	{"cycles that overlap", "tracker:\n  teams: {t: {key: TT}}\n  cycles:\n    a: {team: t, starts: -7d, ends: +7d}\n    b: {team: t, starts: -1d, ends: +9d}\n", "5", "tracker.cycles.b", "overlaps"},
	{"a state's id", "tracker:\n  teams:\n    t: {key: TT, states: {qa: {type: started,\n       id: one}}}\n", "4", "tracker.teams.t.states.qa.id", "UUID"},
	{"a state of another type", "tracker:\n  teams:\n    t: {key: TT, states: {done: {name: Done, type: canceled}}}\n", "3", "tracker.teams.t.states.done.type", "of type completed"},
	{"an absurd setting", "tracker:\n  teams:\n    t:\n      key: TT\n      settings:\n        cycle_duration: 999\n", "6", "tracker.teams.t.settings.cycle_duration", "from 1 to 8"},
	{"no time zone", "tracker:\n  teams:\n    t: {key: TT, settings: {timezone: Mars}}\n", "3", "tracker.teams.t.settings.timezone", "Europe/Berlin"},
	{"no such state to close into", "tracker:\n  teams:\n    t: {key: TT, settings: {auto_close_state: Nirvana}}\n", "3", "tracker.teams.t.settings.auto_close_state", "no state"},
	{"bad webhook", "tracker:\n  webhooks:\n    w: {url: nonsense}\n", "3", "tracker.webhooks.w.url", "http"},
	{"bad resource type", "tracker:\n  webhooks:\n    w:\n      url: http://127.0.0.1:9/\n      resource_types: [Sandwich]\n", "5", "tracker.webhooks.w.resource_types", "one of"},
	{"bad API key", "tracker:\n  api_keys:\n    k: {key: hunter2}\n", "3", "tracker.api_keys.k.key", "trk_api_"},
	{"an API key twice", "tracker:\n  api_keys:\n    k: {key: trk_api_aaaaaaaaaaaaaaaaaaaaaaaa}\n    l: {key: trk_api_aaaaaaaaaaaaaaaaaaaaaaaa}\n", "4", "tracker.api_keys.l.key", "in use"},
	{"nobody's API key", "tracker:\n  api_keys:\n    k: {user: nobody}\n", "3", "tracker.api_keys.k.user", "no user"},
	{"bad session id", "ingest:\n  sessions:\n    s:\n      id: one\n      user: u\n", "4", "ingest.sessions.s.id", "must be a UUID"},
	{"a key twice", "ingest:\n  sessions:\n    s: {user: u, events: [{key: a, name: x}, {key: a, name: y}]}\n", "3", "ingest.sessions.s.events[1].key", "another event has this key"},
	{"a channel of tomorrow", "messaging:\n  channels:\n    x: {created: +1d}\n", "3", "messaging.channels.x.created", "later than the environment's clock"},
	{"a record of tomorrow", "crm:\n  companies:\n    x:\n      created: +1d\n", "4", "crm.companies.x.created", "later than the environment's clock"},
	{"a session of tomorrow", "ingest:\n  sessions:\n    s: {user: u, started: +1h}\n", "3", "ingest.sessions.s.started", "later than the environment's clock"},
	{"an event of tomorrow", "ingest:\n  sessions:\n    s: {user: u, events: [{name: x,\n      at: +1h}]}\n", "4", "ingest.sessions.s.events[0].at", "later than the environment's clock"},
	{"a channel's name twice", "messaging:\n  channels:\n    x: {name: same}\n    y: {name: same}\n", "4", "messaging.channels.y.name", "another channel of the document"},
	{"a member who has left", "messaging:\n  channels:\n    general:\n      left: [admin]\n", "4", "messaging.channels.general.left[0]", "is a member of the channel"},
	{"who has left a direct conversation", "messaging:\n  users:\n    ada: {email: a@b.example}\n  channels:\n    x: {kind: direct, members: [ada, admin],\n      left: [ada]}\n", "6", "messaging.channels.x.left", "nobody can leave"},
	{"a team's key twice", "tracker:\n  teams:\n    x: {key: SAM}\n    y: {key: SAM}\n", "4", "tracker.teams.y.key", "another team of the document"},
	{"a session's id twice", "ingest:\n  sessions:\n    x: {user: u, id: 3b241101-e2bb-4255-8caf-4136c566a963}\n    y: {user: u, id: 3B241101-e2bb-4255-8caf-4136c566a963}\n", "4", "ingest.sessions.y.id", "another session of the document"},
	{"an event's id twice", "ingest:\n  sessions:\n    x: {user: u, events: [{name: a, id: 3b241101-e2bb-4255-8caf-4136c566a963},\n      {name: b, id: 3b241101-e2bb-4255-8caf-4136c566a963}]}\n", "4", "ingest.sessions.x.events[1].id", "another event of the document"},
	{"a negative duration", "ingest:\n  sessions:\n    s: {user: u, events: [{name: x, latency_ms: -1}]}\n", "3", "ingest.sessions.s.events[0].latency_ms", "0 or more"},
	{"an event below itself", "ingest:\n  sessions:\n    s: {user: u, events: [{name: x, key: a,\n      parent: b, children: [{name: y, key: b}]}]}\n", "4", "ingest.sessions.s.events[0].parent", "its own ancestor"},
	{"events below one another", "ingest:\n  sessions:\n    s: {user: u, events: [{name: x, key: a, parent: b},\n      {name: y, key: b, parent: c}, {name: z, key: c, parent: a}]}\n", "3", "ingest.sessions.s.events[0].parent", "its own ancestor"},
	{"unknown event", "ingest:\n  sessions:\n    s: {user: u, events: [{name: x, parent: q}]}\n", "3", "ingest.sessions.s.events[0].parent", `no event "q"`},
}

// textAt returns what a document has from the line and column of a problem on.
func textAt(document string, problem any) string {
	line, _ := at(problem, "line").(float64)
	column, _ := at(problem, "column").(float64)
	lines := strings.Split(document, "\n")
	if line < 1 || int(line) > len(lines) || column < 1 || int(column) > len(lines[int(line)-1]) {
		return ""
	}
	return lines[int(line)-1][int(column)-1:]
}

func TestABadDocumentIsRefusedWithItsPlace(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", nil, 201))
		before := fmt.Sprint(p.Call("GET", "/"+e.ID, nil, 200)["environment"].(map[string]any)["counts"])
		for _, c := range seedRefusals {
			got := at(p.Seed(e.ID, "application/yaml", c.text, 422), "error")
			message, _ := at(got, "message").(string)
			if fmt.Sprint(at(got, "line")) != c.line || at(got, "field") != c.field || !strings.Contains(message, c.says) || at(got, "code") != "invalid_document" {
				t.Errorf("%s: answers %v, want line %s, field %s, %q", c.name, got, c.line, c.field, c.says)
			} else if c.says == "is required" {
				continue // the place is that of what it is missing in
			} else if name := c.field[strings.LastIndexByte(c.field, '.')+1:]; !strings.HasSuffix(name, "]") && !strings.HasPrefix(textAt(c.text, got), name) {
				t.Errorf("%s: line %v, column %v is %q, want %s", c.name, at(got, "line"), at(got, "column"), textAt(c.text, got), name)
			}
		}
		several := p.Seed(e.ID, "application/json", "{\"messaging\": {\n\"users\": {\"a\": {}, \"b\": {\"email\": 1}},\n\"nonsense\": 2}}", 422)
		if l, _ := at(several, "error", "problems").([]any); len(l) != 3 || at(l[2], "line") != 3.0 || at(l[2], "field") != "messaging.nonsense" || at(l[2], "column") != 1.0 || at(l[1], "column") != 26.0 {
			t.Errorf("several problems come as %v", several)
		}
		for kind, text := range map[string]string{"application/json": "{\"messaging\":\n {", "application/yaml": "messaging:\n  users: [\n"} {
			if got := at(p.Seed(e.ID, kind, text, 400), "error"); at(got, "code") != "malformed_document" || at(got, "line") == nil {
				t.Errorf("a malformed document of %s answers %v", kind, got)
			}
		}
		p.Seed(e.ID, "text/plain", "messaging:", 400)
		p.Seed("nobody", "application/json", "{}", 404)
		p.Seed(e.ID, "application/json", strings.Repeat(" ", 8<<20+1), 413)
		bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
		for c := 'b'; c < 'k'; c++ {
			bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), c-1)
		}
		p.Seed(e.ID, "application/yaml", bomb, 413)
		if after := fmt.Sprint(p.Call("GET", "/"+e.ID, nil, 200)["environment"].(map[string]any)["counts"]); after != before {
			t.Errorf("refused documents have left something: %s, before %s", after, before)
		}

		// In the body of a creation lines count from the body's first, and nothing is created.
		status, reply := p.Server.Call("POST", "/admin/v1/environments", p.Key, map[string]any{"name": "never", "document": map[string]any{"crm": map[string]any{"contacts": 1}}})
		if status != 422 || at(reply, "error", "field") != "crm.contacts" {
			t.Errorf("creation with a bad document answers %d %v", status, reply)
		}
		if all := fmt.Sprint(p.Call("GET", "", nil, 200)); strings.Contains(all, "never") {
			t.Error("an environment with a bad document was created")
		}
	})
}

// What others write at the same time stays, whether the document is applied or not.
func TestADocumentIsAppliedWhollyOrNotAtAll(t *testing.T) {
	good := "messaging:\n  messages: [{channel: general, user: admin, text: \"seeded %d\"}]\ncrm:\n  companies: {a: {properties: {name: A}}}\n" +
		"tracker:\n  teams: {t: {name: T%d}}\n  issues: {i: {team: t, title: T}}\ningest:\n  sessions:\n    s: {user: u, events: [{name: x}]}\n"
	onPlanes(t, func(t *testing.T, p plane) {
		e := p.world(p.Call("POST", "", nil, 201))
		count := func() any { return p.Call("GET", "/"+e.ID, nil, 200)["environment"].(map[string]any)["counts"] }
		before := count()
		const rounds = 8
		var work sync.WaitGroup
		for n := range rounds {
			work.Go(func() { p.Seed(e.ID, "application/yaml", fmt.Sprintf(good, n, n), 200) })
			work.Go(func() { // its last part is bad
				p.Seed(e.ID, "application/yaml", fmt.Sprintf(good, n, n+100)+"    q: {user: u, events: [{name: x, parent: none}]}\n", 422)
			})
			work.Go(func() { e.Post(fmt.Sprint("posted ", n)) })
		}
		work.Wait()
		after := count()
		for path, each := range map[string]float64{"messaging messages": 2, "crm companies": 1, "tracker teams": 1, "tracker issues": 1, "ingest sessions": 1, "ingest events": 1} {
			service, noun, _ := strings.Cut(path, " ")
			a, _ := at(before, service, noun).(float64)
			if b, _ := at(after, service, noun).(float64); b-a != each*rounds {
				t.Errorf("%v more %s, want %v", b-a, path, each*rounds)
			}
		}
		seen := strings.Join(e.Texts(), "|")
		for n := range rounds {
			for _, text := range []string{fmt.Sprint("posted ", n), fmt.Sprint("seeded ", n)} {
				if strings.Count(seen, text) != 1 {
					t.Errorf("%q is there %d times: %s", text, strings.Count(seen, text), seen)
				}
			}
		}
	})
}
