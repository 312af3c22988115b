package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// answer is a reply with its header.
type answer struct {
	status int
	id     string // X-Request-Id
	header http.Header
	body   object
}

func (p plane) send(method, address, token string, body any, headers ...string) answer {
	p.T.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		p.T.Fatal(err)
	}
	r, err := http.NewRequest(method, address, strings.NewReader(string(b)))
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := p.Server.Client.Do(r)
	if err != nil {
		p.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.T.Fatal(err)
	}
	a := answer{status: resp.StatusCode, id: resp.Header.Get("X-Request-Id"), header: resp.Header}
	_ = json.Unmarshal(text, &a.body)
	return a
}

func (p plane) requests(env, query string) []any {
	p.T.Helper()
	list := p.Call("GET", "/"+env+"/requests"+query, nil, 200)["requests"].([]any)
	known := p.operations()
	for _, x := range list {
		for _, name := range at(x, "operations").([]any) {
			if !slices.Contains(known, name.(string)) {
				p.T.Errorf("a request is recorded as %v, which no rule can name", name)
			}
		}
	}
	return list
}

// operations returns the operations that rules and verdicts can name.
func (p plane) operations() (names []string) {
	p.T.Helper()
	_, vocabulary := p.Server.Call("GET", "/admin/v1/entities", p.Key, nil)
	for _, name := range vocabulary["operations"].([]any) {
		names = append(names, name.(string))
	}
	return names
}

// What recordings name, rules of faults and verdicts can name; of a tool server
// and of introspection too.
func TestEveryOperationCanBeNamed(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
		names := p.operations()
		for _, want := range []string{"messaging.chat.postMessage", "messaging.POST /api/apps", "messaging.POST /api/webhooks/incoming/{id}", "crm.POST /crm/v3/objects/{objectType}",
			"tracker.issueCreate", "tracker.issues", "tracker.__schema", "tracker.__typename", "tracker.POST /api/api-keys", "ingest.capture-event",
			"ingest.POST /v1/traces", "mcp.msg_post_message", "mcp.create_issue"} {
			if !slices.Contains(names, want) {
				t.Errorf("there is no operation %s among %d", want, len(names))
			}
		}
		tracker, key := w.Credential("tracker", "base_url")+"/graphql", w.Credential("tracker", "api_key")
		p.send("POST", tracker, key, object{"query": "{__typename __schema {queryType {name}} viewer {id}}"})
		p.requests(w.ID, "?service=tracker")
		for part := range slices.Chunk(names, 200) {
			rules, trajectory := []object{}, []object{}
			for _, name := range part {
				rules = append(rules, object{"on": "request", "match": object{"operation": name}, "do": object{"drop": "before"}})
				trajectory = append(trajectory, object{"never": object{"operation": name, "status": 599}})
			}
			p.Call("POST", "/"+w.ID+"/faults", object{"faults": rules}, 201)
			p.Call("DELETE", "/"+w.ID+"/faults", nil, 204)
			p.Call("POST", "/"+w.ID+"/verdict", object{"trajectory": trajectory}, 200)
		}
	})
}

// caused returns the deliveries that came of a request, once there are some.
func (p plane) caused(env, request string) (events []string) {
	p.T.Helper()
	for began := clock.Real(); len(events) == 0 && clock.Real().Sub(began) < 5*time.Second; time.Sleep(10 * time.Millisecond) {
		for _, d := range p.Call("GET", "/"+env+"/deliveries?limit=200", nil, 200)["deliveries"].([]any) {
			if at(d, "request_id") == request {
				events = append(events, fmt.Sprint(at(d, "service"), " ", at(d, "event"), " ", at(d, "status")))
			}
		}
	}
	return events
}

func TestCauseAndEffectShareARequestID(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		hooks := newReceiver(t)
		w := p.world(p.Call("POST", "", object{"rate_limits": "off"}, 201))
		messaging, tracker := w.Credential("messaging", "base_url"), w.Credential("tracker", "base_url")
		bot, key := w.Credential("messaging", "bot_token"), w.Credential("tracker", "api_key")
		p.send("POST", messaging+"/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": hooks.URL + "/m"})
		p.send("POST", tracker+"/api/webhooks", key, object{"url": hooks.URL + "/t"})
		team := at(w.GraphQL(`mutation{teamCreate(input:{name:"Core",key:"COR"}){team{id}}}`, nil), "teamCreate", "team", "id")
		issue := object{"query": `mutation($i:IssueCreateInput!){issueCreate(input:$i){success}}`, "variables": object{"i": object{"teamId": team, "title": "one"}}}
		tool := object{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": object{"name": "msg_post_message", "arguments": object{"channel_id": "general", "text": "by a tool"}}}
		for name, c := range map[string]struct {
			service, address, token string
			body                    object
			event                   string
		}{
			"a message":            {"messaging", messaging + "/api/chat.postMessage", bot, object{"channel": "general", "text": "hello"}, "messaging message"},
			"an issue":             {"tracker", tracker + "/graphql", key, issue, "tracker Issue"},
			"a message by a tool":  {"messaging", messaging + "/mcp", bot, tool, "messaging message"},
			"a message with an id": {"messaging", messaging + "/api/chat.postMessage", bot, object{"channel": "general", "text": "again"}, "messaging message"},
		} {
			got := p.send("POST", c.address, c.token, c.body, "X-Request-Id", "chosen-by-the-client", "Accept", "application/json, text/event-stream")
			if got.status != 200 || len(got.id) != 20 {
				t.Errorf("%s: %d, request id %q: %v", name, got.status, got.id, got.body)
			}
			events := p.caused(w.ID, got.id)
			if len(events) != 1 || !strings.HasPrefix(strings.ToLower(events[0]), strings.ToLower(c.event)) {
				t.Errorf("%s caused %q", name, events)
			}
			recorded := 0
			for _, r := range p.requests(w.ID, "?limit=20&service="+c.service) {
				if at(r, "id") == got.id {
					recorded++
				}
			}
			if recorded == 0 {
				t.Errorf("%s is not recorded under its id", name)
			}
		}
	})
}

func TestEveryReplyHasARequestID(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", nil, 201))
		seen := map[string]string{}
		check := func(what string, a answer, status int) {
			t.Helper()
			if a.status != status || len(a.id) != 20 || seen[a.id] != "" {
				t.Errorf("%s: status %d, request id %q (also of %q)", what, a.status, a.id, seen[a.id])
			}
			seen[a.id] = what
		}
		for _, service := range []string{"messaging", "crm", "tracker", "ingest"} {
			base := w.Credential(service, "base_url")
			check(service, p.send("GET", base+"/api/health", "", nil), 200)
			check(service+", unknown route", p.send("GET", base+"/api/nosuch/route", "", nil), 404)
			check(service+", wrong method", p.send("DELETE", base+"/api/health", "", nil), 405)
		}
		check("wrong token", p.send("GET", w.Credential("crm", "base_url")+"/api/crm/v3/objects/contacts", "wrong", nil), 401)
		check("admin plane", p.send("GET", p.Server.URL+"/admin/v1/environments", p.Key, nil), 200)
		check("admin plane, no key", p.send("GET", p.Server.URL+"/admin/v1/environments", "", nil), 401)
		check("admin plane, unknown", p.send("GET", p.Server.URL+"/admin/v1/environments/nosuch", p.Key, nil), 404)
		check("unknown environment", p.send("GET", p.Server.URL+"/e/nosuch/crm/api/health", "", nil), 404)
		check("unknown service", p.send("GET", p.Server.URL+"/nosuch", "", nil), 404)
	})
}

func TestRequestsAreRecorded(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"clock": "2026-01-01T00:00:00Z", "rate_limits": "off"}, 201))
		bot := w.Credential("messaging", "bot_token")
		base := w.Credential("messaging", "base_url")
		p.send("POST", base+"/api/auth/login", "", object{"email": w.Credential("messaging", "admin_email"), "password": w.Credential("messaging", "admin_password")})
		p.send("POST", base+"/api/chat.postMessage", bot, object{"channel": "general", "text": strings.Repeat("long ", 20000), "token": bot})
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "1h"}, 200)
		w.CRM("GET", "objects/contacts", nil, 200)
		w.CRM("GET", "objects/nosuch", nil, 400)
		last := p.send("POST", base+"/api/auth.test?token="+url.QueryEscape(bot), bot, nil)

		all := p.requests(w.ID, "")
		if len(all) < 5 || at(all[0], "id") != last.id || at(all[0], "path") != "/api/auth.test" {
			t.Fatalf("%d requests, the newest first: %v", len(all), all)
		}
		for i := 1; i < len(all); i++ {
			if at(all[i-1], "at").(string) < at(all[i], "at").(string) {
				t.Error("requests are not newest first")
			}
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{bot, w.Credential("messaging", "admin_password"), w.Credential("crm", "access_token"), "eyJ"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("the recording shows %.12s…", secret)
			}
		}
		for _, one := range all {
			if n := len(at(one, "request_body").(string)); n > 64<<10+100 {
				t.Errorf("%d bytes of a body are kept", n)
			}
			if at(one, "service") == "crm" && !strings.HasPrefix(at(one, "principal").(string), "portal 1 token ") {
				t.Errorf("who called: %v", at(one, "principal"))
			}
		}
		for query, want := range map[string]int{"?service=crm": 2, "?status=400": 1, "?service=crm&status=200": 1, "?since=2026-01-01T00:30:00Z": 3,
			"?since=2026-01-01T00:30:00Z&service=messaging": 1, "?since=2027-01-01T00:00:00Z": 0} {
			if got := len(p.requests(w.ID, query)); got != want {
				t.Errorf("%s has %d requests, want %d", query, got, want)
			}
		}
		var paged int
		for cursor := ""; ; {
			reply := p.Call("GET", "/"+w.ID+"/requests?limit=2&cursor="+url.QueryEscape(cursor), nil, 200)
			paged += len(reply["requests"].([]any))
			if cursor = reply["next_cursor"].(string); cursor == "" {
				break
			}
		}
		if paged != len(all) {
			t.Errorf("%d requests in pages, %d at once", paged, len(all))
		}
		p.Call("GET", "/"+w.ID+"/requests?status=ok", nil, 400)
		p.Call("GET", "/"+w.ID+"/requests?since=yesterday", nil, 400)
	})
}
