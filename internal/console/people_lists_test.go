package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/app/apptest"
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
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		hooks := newHooks(t)
		w := p.Create(object{"id": "main-world", "name": "b", "rate_limits": "off"})
		p.Call("POST", "", object{"id": "later", "name": "A"}, 201)
		list := func(query string) (out []string) {
			t.Helper()
			for cursor := ""; ; {
				reply := p.Call("GET", "?limit=1&counts=false&cursor="+cursor+query, nil, 200)
				for _, e := range reply["environments"].([]any) {
					out = append(out, apptest.Get(e, "id").(string))
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
		full := p.Call("GET", "?ids=later", nil, 200)["environments"].([]any)
		if len(full) != 1 || apptest.Get(full[0], "counts", "messaging", "channels") == nil {
			t.Errorf("by id: %v", full)
		}
		p.Call("POST", "/later/fork", object{"id": "fork-of-later", "ephemeral": true}, 201)
		if got := list("&parent=later"); strings.Join(got, " ") != "fork-of-later" {
			t.Errorf("forks of later: %v", got)
		}
		for _, query := range []string{"?sort=size", "?sort=-", "?ids=a&q=b", "?ids=" + strings.Repeat("a,", 200)} {
			p.Call("GET", query, nil, 400)
		}
		p.Call("GET", "?sort=name&cursor="+p.Call("GET", "?limit=1", nil, 200)["next_cursor"].(string), nil, 400)

		messaging, bot := w.Credential("messaging", "base_url"), w.Credential("messaging", "bot_token")
		p.Server.Call("POST", messaging+"/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": hooks.URL + "/m"})
		for i := range 3 {
			p.Server.Call("POST", messaging+"/api/chat.postMessage", bot, object{"channel": "general", "text": fmt.Sprint("message ", i)})
		}
		w.CRM("POST", "objects/contacts", object{"properties": object{"email": "ida@x.example"}}, 201)

		summary := func(query string) (out []string) {
			t.Helper()
			for _, c := range p.Call("GET", "/main-world/diff?summary=true"+query, nil, 200)["summary"].([]any) {
				out = append(out, fmt.Sprint(apptest.Get(c, "service"), ".", apptest.Get(c, "entity"), " ", apptest.Get(c, "inserts"), apptest.Get(c, "updates"), apptest.Get(c, "deletes")))
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
		if got := summary("&entity=cycle"); got != nil {
			t.Errorf("of nothing: %q", got)
		}
		p.Call("GET", "/main-world/diff?summary=true&entity=nosuch", nil, 400)
		apptest.WantLines(t, "contacts alone", p.Diff(w.ID, "?entity=contact", "inserts"), "crm contact ")
		p.Call("GET", "/main-world/diff?summary=perhaps", nil, 400)

		sent := func() int {
			return len(p.Call("GET", "/main-world/deliveries?status=delivered", nil, 200)["deliveries"].([]any))
		}
		eventually(t, "three deliveries", func() bool { return sent() == 3 })
		hooks.take()
		got := p.Call("POST", "/main-world/deliveries/replay", object{"status": "delivered", "service": "messaging", "limit": 2}, 202)
		if apptest.Get(got, "replayed") != 2.0 || apptest.Get(got, "skipped") != 0.0 {
			t.Errorf("replayed: %v", got)
		}
		var again []string
		eventually(t, "two replays", func() bool { again = append(again, hooks.take()...); return len(again) == 2 })
		eventually(t, "their outcomes", func() bool { return sent() == 3 })
		if all := strings.Join(again, " "); strings.Contains(all, "message 0") || !strings.Contains(all, "message 1") || !strings.Contains(all, "message 2") {
			t.Errorf("not the newest: %s", all)
		}
		if got := p.Call("POST", "/main-world/deliveries/replay", object{"service": "crm"}, 202); apptest.Get(got, "replayed") != 0.0 {
			t.Errorf("of the CRM: %v", got)
		}
		for _, body := range []object{{"status": "nosuch"}, {"limit": 0}, {"limit": 1001}, {"stat": "failed"}} {
			p.Call("POST", "/main-world/deliveries/replay", body, 400)
		}
	})
}

// Recorded requests are filtered and counted, a document is checked without
// being applied, and a stream reports what happens.
func TestRequestsForPeople(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		w := p.Create(object{"id": "watched", "seed": 7, "clock": "2026-03-02T09:00:00Z", "rate_limits": "off"})
		messaging, bot := w.Credential("messaging", "base_url"), w.Credential("messaging", "bot_token")
		follow := follow(p, "watched", "requests,events,clock,lifecycle")
		_, sent := p.Server.Call("POST", messaging+"/api/chat.postMessage", bot, object{"channel": "general", "text": "a needle"})
		p.Server.Call("POST", messaging+"/api/chat.postMessage", bot, object{"channel": "nosuch", "text": "hay"}, "Understudy-Client", "web")
		w.CRM("POST", "objects/contacts", object{"properties": object{"email": "ida@x.example"}}, 201)
		w.CRM("POST", "objects/contacts", object{"properties": object{"email": "ida@x.example"}}, 409)
		for query, want := range map[string]int{"": 4, "?client=!web": 3, "?client=web": 1, "?status=4xx": 1, "?status=409": 1, "?method=POST&service=crm": 2, "?method=GET": 0,
			"?path=/api/chat": 2, "?path=/chat": 0, "?q=needle": 1, "?q=ida@x.example": 2, "?principal=nobody": 0,
			"?principal=" + fmt.Sprint(apptest.Get(requests(p, w.ID, "?q=needle")[0], "principal")): 2} {
			if got := requests(p, w.ID, query); len(got) != want {
				t.Errorf("requests%s: %d, want %d", query, len(got), want)
			}
		}
		if got := requests(p, w.ID, "?q="+bot); len(got) != 0 {
			t.Errorf("a token is found in %v", got)
		}
		counts := func(query string) string {
			c := apptest.Get(requests(p, w.ID, "?counts=true&"+query)[0], "counts")
			return fmt.Sprint(apptest.Get(c, "changes"), apptest.Get(c, "events"), apptest.Get(c, "deliveries"))
		}
		if got := counts("q=needle"); got != "2 1 0" {
			t.Errorf("a message counts as %s", got)
		}
		if got := counts("status=409"); got != "0 0 0" {
			t.Errorf("a refusal counts as %s", got)
		}
		for _, query := range []string{"?status=6xx", "?status=abc", "?status=4", "?counts=perhaps", "?metod=GET"} {
			p.Call("GET", "/watched/requests"+query, nil, 400)
		}
		one := p.Call("GET", "/watched/diff?service=messaging&entity=message&key="+apptest.Get(sent, "channel").(string)+"/"+apptest.Get(sent, "ts").(string), nil, 200)
		if list := one["inserts"].([]any); len(list) != 1 || apptest.Get(list[0], "cause", 0, "request_id") != apptest.Get(requests(p, w.ID, "?q=needle")[0], "id") {
			t.Errorf("the message alone: %v", one)
		}

		// A document is checked in a copy: problems of its form and of what is there are told, and nothing is kept.
		before := fmt.Sprint(p.Call("GET", "/watched/diff", nil, 200))
		check := func(text string, want int) object {
			t.Helper()
			return p.Seed("watched?dry_run=true", "application/yaml", text, want)
		}
		if got := check("crm: {contacts: {grace: {properties: {email: grace@x.example}}}}", 200); apptest.Get(got, "made", "crm", "contacts", "grace") == nil {
			t.Errorf("checked: %v", got)
		}
		got := check("crm:\n  contacts:\n    ida: {properties: {email: ida@x.example}}", 422)
		if apptest.Get(got, "error", "problems", 0, "line") != 3.0 {
			t.Errorf("a contact that is there: %v", got)
		}
		check("crm: {contact: {}}", 422)
		p.Call("POST", "/watched/seed?dry_run=perhaps", object{}, 400)
		if after := fmt.Sprint(p.Call("GET", "/watched/diff", nil, 200)); after != before {
			t.Errorf("a check has changed the environment: %s", after)
		}
		if list := p.Call("GET", "?q=watched", nil, 200)["environments"].([]any); len(list) != 1 {
			t.Errorf("a check leaves a fork: %v", list)
		}
		if status, schema := p.Server.Call("GET", "/admin/v1/seed-schema.json", p.Key, nil); status != 200 || apptest.Get(schema, "properties", "crm") == nil {
			t.Errorf("the schema: %d %.200v", status, schema)
		}

		all := func(want string) {
			t.Helper()
			eventually(t, "in the stream: "+want, func() bool { return strings.Contains(follow(), want) })
		}
		all("event: requests\ndata: {\"seq\":1,")
		all("\"status\":409")
		all("event: events\n")
		if text := follow(); strings.Count(text, "event: requests\n") != 4 || strings.Contains(text, "needle") {
			t.Errorf("the stream holds other requests, or bodies:\n%.3000s", text)
		}
		p.Call("POST", "/watched/clock", object{"advance": "1h"}, 200)
		all("event: clock\ndata: {\"now\":\"2026-03-02T10:00:00Z\"")
		p.Call("POST", "/watched/reset", nil, 200)
		all("event: lifecycle\ndata: {\"state\":\"replaced\"}")
		p.Call("DELETE", "/watched", nil, 204)
		all("event: lifecycle\ndata: {\"state\":\"deleted\"}")
		p.Call("GET", "/watched/stream", nil, 404)
		p.Call("GET", "/default/stream?topics=weather", nil, 400)
	})
}

// follow reads the stream of an environment from now on. What it returns returns
// what has come so far.
func follow(p apptest.Plane, env, topics string) func() string {
	p.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p.T.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", p.Server.URL+"/admin/v1/environments/"+env+"/stream?topics="+topics, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Key)
	resp, err := p.Server.Client.Do(r)
	if err != nil || resp.StatusCode != 200 {
		p.T.Fatal(resp, err)
	}
	var mu sync.Mutex
	var text strings.Builder
	go func() {
		defer func() { _ = resp.Body.Close() }()
		for part := make([]byte, 4096); ; {
			n, err := resp.Body.Read(part)
			mu.Lock()
			text.Write(part[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}

// requests returns recorded requests of an environment.
func requests(p apptest.Plane, env, query string) []any {
	p.T.Helper()
	return p.Call("GET", "/"+env+"/requests"+query, nil, 200)["requests"].([]any)
}

// hooks is an address that webhooks go to. It keeps the bodies of what came.
type hooks struct {
	*httptest.Server
	mu   sync.Mutex
	came []string
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.came = append(h.came, string(body))
	}))
	t.Cleanup(h.Close)
	return h
}

// take returns what came since the last call.
func (h *hooks) take() (came []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	came, h.came = h.came, nil
	return came
}
