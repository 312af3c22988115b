package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// raw sends a request and returns its reply as it came, or the error of a
// connection that was closed.
func (p plane) raw(method, address, token, kind, body string) (status int, header http.Header, text string, err error) {
	p.T.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	resp, err := p.Server.Client.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(b), err
}

func TestFaultsBreakRequests(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.world(p.Call("POST", "", object{"seed": 7, "rate_limits": "real"}, 201))
		base, bot := w.Credential("messaging", "base_url"), w.Credential("messaging", "bot_token")
		contacts, token := w.Credential("crm", "base_url")+"/api/crm/v3/objects/contacts", w.Credential("crm", "access_token")
		faults := "/" + w.ID + "/faults"
		only := func(rule object) string {
			t.Helper()
			p.Call("DELETE", faults, nil, 204)
			return p.Call("POST", faults, rule, 201)["id"].(string)
		}
		contact := func(email string) (int, http.Header, string, error) {
			return p.raw("POST", contacts, token, "application/json", `{"properties":{"email":"`+email+`"}}`)
		}
		newest := func(query string) any { return p.requests(w.ID, "?limit=1&"+query)[0] }

		// The answer is lost, what was asked for is done: the second try meets 409.
		id := only(object{"id": "lost-answer", "on": "request", "match": object{"operation": "crm.POST /crm/v3/objects/{objectType}", "by": "agent",
			"body": object{"/properties/email": object{"ends_with": ".example"}}}, "when": object{"nth": []int{1}}, "do": object{"drop": "after"}})
		if status, _, _, err := contact("a@b.test"); status != 201 || err != nil {
			t.Errorf("a body that does not match: %d %v", status, err)
		}
		if _, _, _, err := contact("a@b.example"); err == nil {
			t.Error("the answer was not lost")
		}
		lost := newest("service=crm")
		if at(lost, "status") != 201.0 || at(lost, "fault", "id") != id || at(lost, "fault", "do") != "drop after" || at(lost, "fault", "committed") != true ||
			!strings.Contains(at(lost, "response_body").(string), "a@b.example") || at(lost, "actor", "kind") != "agent" {
			t.Errorf("recorded: %v", lost)
		}
		if status, _, text, _ := contact("a@b.example"); status != 409 {
			t.Errorf("the second try: %d %s", status, text)
		}
		if r := p.Call("GET", faults+"/lost-answer", nil, 200); r["matched"] != 2.0 || r["fired"] != 1.0 {
			t.Errorf("the rule: %v", r)
		}

		// Nothing ran.
		only(object{"on": "request", "match": object{"service": "crm", "method": "post"}, "do": object{"drop": "before"}})
		if _, _, _, err := contact("c@d.example"); err == nil {
			t.Error("the connection was not closed")
		}
		if r := newest("service=crm"); at(r, "fault", "committed") != false || at(r, "status") != 0.0 {
			t.Errorf("recorded: %v", r)
		}
		// Errors in each service's own form.
		only(object{"on": "request", "match": object{"service": "crm"}, "do": object{"error": object{"status": 429, "retry_after": 2}}})
		status, header, text, _ := contact("c@d.example")
		if status != 429 || header.Get("Retry-After") != "2" || header.Get("X-Hubspot-Ratelimit-Remaining") != "0" || !strings.Contains(text, `"policyName":"TEN_SECONDLY_ROLLING"`) {
			t.Errorf("a spent limit of the CRM: %d %v %s", status, header, text)
		}
		only(object{"on": "request", "match": object{"operation": "crm.POST *"}, "do": object{"error_after": object{"status": 502, "message": "bad gateway"}}})
		if status, header, text, _ = contact("c@d.example"); status != 502 || header.Get("Location") != "" || !strings.Contains(text, `"status":"error"`) {
			t.Errorf("an error after: %d %v %s", status, header, text)
		}
		if r := newest("service=crm"); at(r, "status") != 502.0 || at(r, "fault", "committed") != true {
			t.Errorf("recorded: %v", r)
		}
		p.Call("DELETE", faults, nil, 204)
		if status, _, _, _ := contact("c@d.example"); status != 409 {
			t.Errorf("it ran before its error: %d", status)
		}
		post := func() (int, http.Header, string, error) {
			return p.raw("POST", base+"/api/chat.postMessage", bot, "application/x-www-form-urlencoded", "channel=general&text=hello")
		}
		only(object{"on": "request", "match": object{"operation": "messaging.chat.*", "body": object{"/text": "hello"}}, "do": object{"error": object{"status": 429}}})
		if status, header, text, _ = post(); status != 429 || header.Get("Retry-After") != "1" || !strings.Contains(text, `"error":"ratelimited"`) {
			t.Errorf("a spent limit of messaging: %d %v %s", status, header, text)
		}
		only(object{"on": "request", "match": object{"operation": "messaging.chat.*"}, "do": object{"error": object{"status": 200, "code": "is_archived"}}})
		if status, _, text, _ = post(); status != 200 || !strings.Contains(text, `"error":"is_archived"`) {
			t.Errorf("a refusal of messaging: %d %s", status, text)
		}
		for _, query := range []string{`{viewer{id}}`, `{a:viewer{id} teams{nodes{id}}}`} {
			only(object{"on": "request", "match": object{"operation": "tracker.viewer"}, "do": object{"error": object{"status": 429}}})
			body, _ := json.Marshal(object{"query": query})
			status, header, text, _ = p.raw("POST", w.Credential("tracker", "base_url")+"/graphql", w.Credential("tracker", "api_key"), "application/json", string(body))
			if status != 400 || header.Get("X-Ratelimit-Requests-Remaining") != "0" || !strings.Contains(text, `"code":"RATELIMITED"`) {
				t.Errorf("a spent limit of the tracker: %d %v %s", status, header, text)
			}
		}
		// A spent limit always says when to try again.
		for _, limited := range [][4]string{{"ingest", "POST", "/api/v1/capture-session", "api_key"}, {"messaging", "GET", "/api/apps", "user_token"},
			{"tracker", "POST", "/graphql", "api_key"}, {"tracker", "GET", "/api/api-keys", "api_key"}} {
			service := limited[0]
			only(object{"on": "request", "match": object{"service": service}, "do": object{"error": object{"status": 429}}})
			status, header, text, _ = p.raw(limited[1], w.Credential(service, "base_url")+limited[2], w.Credential(service, limited[3]), "application/json", `{"query":"{viewer{id}}"}`)
			if status != 429 && status != 400 || header.Get("Retry-After") != "1" {
				t.Errorf("%s: %d, Retry-After %q, %s", limited[2], status, header.Get("Retry-After"), text)
			}
		}
		only(object{"on": "request", "match": object{"service": "ingest"}, "do": object{"error": object{"status": 503}}})
		if status, _, text, _ = p.raw("POST", w.Credential("ingest", "base_url")+"/api/v1/capture-session", w.Credential("ingest", "api_key"), "application/json", `{"session_id":"s"}`); status != 503 ||
			!strings.Contains(text, "temporarily_unavailable") {
			t.Errorf("ingestion: %d %s", status, text)
		}
		// Cut, and delayed together with another one.
		only(object{"on": "request", "match": object{"path": "/api/auth.*"}, "do": object{"cut": 5}})
		status, _, text, err := p.raw("POST", base+"/api/auth.test", bot, "application/json", "{}")
		if status != 200 || len(text) != 5 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a reply that ends early: %d %q %v", status, text, err)
		}
		p.Call("DELETE", faults, nil, 204)
		p.Call("POST", faults, object{"faults": []object{{"on": "request", "match": object{"operation": "messaging.auth.test"}, "do": object{"delay": object{"ms": 50}}},
			{"id": "second", "on": "request", "match": object{"operation": "messaging.auth.test"}, "do": object{"error": object{"status": 500}}}}}, 201)
		began := time.Now()
		if status, _, text, _ = p.raw("POST", base+"/api/auth.test", bot, "application/json", "{}"); status != 500 || !strings.Contains(text, "internal_error") || time.Since(began) < 50*time.Millisecond {
			t.Errorf("delayed for %s: %d %s", time.Since(began), status, text)
		}
		// A caller that is refused meets no fault, and one that is switched off does nothing.
		if _, _, text, _ = p.raw("POST", base+"/api/auth.test", "wrong", "application/json", "{}"); !strings.Contains(text, "invalid_auth") {
			t.Errorf("an unknown caller: %s", text)
		}
		p.Call("PATCH", faults+"/second", object{"enabled": false}, 200)
		if status, _, _, _ = p.raw("POST", base+"/api/auth.test", bot, "application/json", "{}"); status != 200 {
			t.Errorf("it is switched off: %d", status)
		}
		if r := newest("service=messaging"); at(r, "fault", "do") != "delay" || at(r, "fault", "committed") != true {
			t.Errorf("a request that was only delayed: %v", r)
		}
		// A tool meets what its calls meet.
		only(object{"on": "request", "match": object{"tool": "msg_*"}, "when": object{"times": 1}, "do": object{"drop": "after"}})
		tool := object{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": object{"name": "msg_post_message", "arguments": object{"channel_id": "general", "text": "by a tool"}}}
		if got := p.send("POST", base+"/mcp", bot, tool, "Accept", "application/json, text/event-stream"); at(got.body, "result", "isError") != true {
			t.Errorf("a tool whose answer is lost: %v", got.body)
		}
	})
}

// Chances follow from the seed, and rules from the world.
func TestFaultsLiveInTheWorld(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		pattern := func(w world) (out string) {
			for range 20 {
				status, _, _, _ := p.raw("POST", w.Credential("messaging", "base_url")+"/api/auth.test", w.Credential("messaging", "bot_token"), "application/json", "{}")
				out += fmt.Sprint(status/100, " ")
			}
			return out
		}
		var worlds []world
		for range 2 {
			w := p.world(p.Call("POST", "", object{"seed": 7, "rate_limits": "off"}, 201))
			worlds = append(worlds, w)
			p.Call("POST", "/"+w.ID+"/faults", object{"id": "sometimes", "on": "request", "match": object{"operation": "messaging.auth.test"}, "when": object{"probability": 0.5},
				"do": object{"error": object{"status": 500}}}, 201)
		}
		one, other := pattern(worlds[0]), pattern(worlds[1])
		if one != other || !strings.Contains(one, "5") || !strings.Contains(one, "2") {
			t.Errorf("two worlds of one seed: %s and %s", one, other)
		}
		id := worlds[0].ID
		fork := p.world(p.Call("POST", "/"+id+"/fork", object{}, 201))
		if r := p.Call("GET", "/"+fork.ID+"/faults", nil, 200)["faults"].([]any); len(r) != 1 || at(r[0], "matched") != 0.0 {
			t.Errorf("a fork has the rules %v", r)
		}
		if again := pattern(fork); again != one {
			t.Errorf("the fork: %s, its parent: %s", again, one)
		}
		snapshot := p.Call("POST", "/"+id+"/snapshots", object{"name": "s"}, 201)["id"].(string)
		p.Call("DELETE", "/"+id+"/faults/sometimes", nil, 204)
		for _, list := range []string{"inserts", "updates", "deletes"} {
			if changes := p.Call("GET", "/"+id+"/diff?from="+snapshot, nil, 200)[list].([]any); len(changes) != 0 {
				t.Errorf("rules are in a diff: %v", changes)
			}
		}
		p.Call("POST", "/"+id+"/restore", object{"snapshot": snapshot}, 200)
		if r := p.Call("GET", "/"+id+"/faults/sometimes", nil, 200); r["fired"] != 0.0 {
			t.Errorf("after a restore: %v", r)
		}
	})
}

// Deliveries are sent twice, late, in another order, or not at all.
func TestFaultsBreakDeliveries(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		hooks := newReceiver(t)
		w := p.world(p.Call("POST", "", object{"clock": "2026-01-01T00:00:00Z", "rate_limits": "off"}, 201))
		base, bot := w.Credential("messaging", "base_url"), w.Credential("messaging", "bot_token")
		p.send("POST", base+"/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": hooks.URL + "/m"})
		faults := "/" + w.ID + "/faults"
		came := func(n int) (texts string) {
			t.Helper()
			var got []string
			for until := time.Now().Add(5 * time.Second); len(got) < n && time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
				got = append(got, hooks.take()...)
			}
			time.Sleep(30 * time.Millisecond)
			for _, text := range append(got, hooks.take()...) {
				for _, word := range []string{"one", "two", "three", "four", "five", "six"} {
					if strings.Contains(text, "text "+word) {
						texts += word + " "
					}
				}
			}
			return texts
		}
		post := func(word string) {
			p.send("POST", base+"/api/chat.postMessage", bot, object{"channel": "general", "text": "text " + word})
		}
		break1 := func(do object) {
			p.Call("DELETE", faults, nil, 204)
			p.Call("POST", faults, object{"id": "it", "on": "delivery", "match": object{"service": "messaging", "event": "message*"}, "when": object{"nth": []int{1}}, "do": do}, 201)
		}
		newest := func(status string) any {
			t.Helper()
			for until := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
				d := p.Call("GET", "/"+w.ID+"/deliveries?limit=1", nil, 200)["deliveries"].([]any)[0]
				if at(d, "status") == status || time.Now().After(until) {
					return d
				}
			}
		}
		break1(object{"duplicate": 1})
		post("one")
		if got := came(2); got != "one one " {
			t.Errorf("sent twice: %q", got)
		}
		if d := newest("delivered"); at(d, "fault", "id") != "it" || at(d, "fault", "do") != "duplicate 1" || len(at(d, "attempts").([]any)) != 2 {
			t.Errorf("shown: %v", d)
		}
		break1(object{"lose": true})
		post("two")
		if d := newest("failed"); at(d, "status") != "failed" || at(d, "reason") != "fault" || at(d, "fault", "committed") != false {
			t.Errorf("lost: %v", d)
		}
		break1(object{"delay": "30s"})
		post("three")
		if got := came(0); got != "" {
			t.Errorf("not yet: %q", got)
		}
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "31s"}, 200)
		if got := came(1); got != "three " {
			t.Errorf("after its time: %q", got)
		}
		break1(object{"delay": "30s", "duplicate": 1})
		post("three")
		if got := came(0); got != "" {
			t.Errorf("twice and late, not yet: %q", got)
		}
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "31s"}, 200)
		if got := came(2); got != "three three " {
			t.Errorf("twice after its time: %q", got)
		}
		// A rule that puts off whatever it meets puts off each attempt once, those of replays too.
		p.Call("DELETE", faults, nil, 204)
		p.Call("POST", faults, object{"id": "it", "on": "delivery", "do": object{"delay": "30s"}}, 201)
		for range 2 {
			p.Call("POST", "/"+w.ID+"/deliveries/"+at(newest("delivered"), "id").(string)+"/replay", nil, 202)
			if got := came(0); got != "" {
				t.Errorf("a replay comes at once: %q", got)
			}
			p.Call("POST", "/"+w.ID+"/clock", object{"advance": "31s"}, 200)
			if got := came(1); got != "three " {
				t.Errorf("a replay after its time: %q", got)
			}
		}
		break1(object{"reorder": 1})
		post("four")
		came(0)
		post("five")
		if got := came(2); got != "five four " {
			t.Errorf("the other way round: %q", got)
		}
		// Whatever goes together with a delay comes after it.
		break1(object{"delay": "30s", "lose": true})
		post("one")
		came(0)
		if d := newest("pending"); at(d, "status") != "pending" {
			t.Errorf("lost before its time: %v", d)
		}
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "31s"}, 200)
		if d := newest("failed"); at(d, "status") != "failed" || at(d, "reason") != "fault" || at(d, "fault", "do") != "lose" {
			t.Errorf("lost after its time: %v", d)
		}
		break1(object{"delay": "30s", "reorder": 1})
		post("one")
		post("three")
		if got := came(1); got != "three " {
			t.Errorf("what waits for its time is overtaken: %q", got)
		}
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "31s"}, 200)
		came(0)
		post("two")
		if got := came(2); got != "two one " {
			t.Errorf("the other way round after its time: %q", got)
		}
		break1(object{"error": object{"status": 503}})
		post("six")
		if got := came(0); got != "" {
			t.Errorf("answered instead of the receiver: %q", got)
		}
		d := newest("pending")
		for until := time.Now().Add(5 * time.Second); at(d, "fault") == nil && time.Now().Before(until); d = newest("pending") {
			time.Sleep(5 * time.Millisecond) // until the rule has answered
		}
		if at(d, "fault", "do") != "error 503" || at(d, "fault", "committed") != false {
			t.Errorf("not sent: %v", d)
		}
		if r := p.Call("GET", faults+"/it", nil, 200); r["fired"] != 1.0 {
			t.Errorf("the rule: %v", r)
		}
	})
}
