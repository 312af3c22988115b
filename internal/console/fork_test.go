package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/environment"
)

func TestMembersOfForks(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		s := p.Server
		p.Call("POST", "", object{"id": "exam", "seed": 7, "clock": "2026-03-02T09:00:00Z"}, 201)
		channel := func(c object, name string) string {
			_, r := s.Call("POST", c["messaging"].(object)["base_url"].(string)+"/api/conversations.create", c["messaging"].(object)["bot_token"].(string), object{"name": name})
			made, _ := r["channel"].(object)
			id, _ := made["id"].(string)
			return id
		}
		shown := func(id string) object { return p.Call("GET", "/"+id, nil, 200) }
		// Clock, limits, time to live, storage.
		p.Call("POST", "/exam/fork", object{"id": "a-1", "clock": "2027-01-01T00:00:00Z", "rate_limits": "off", "ttl_seconds": 3600, "ephemeral": true}, 201)
		one := shown("a-1")
		if one["clock"].(object)["now"] != "2027-01-01T00:00:00Z" || one["rate_limits"] != "off" || one["expires_at"] == nil || one["ephemeral"] != true || one["parent"] != "exam" {
			t.Errorf("%v", one)
		}
		p.Call("POST", "/a-1/fork", object{"id": "a-2", "clock": "run", "ephemeral": false}, 201)
		if two := shown("a-2"); two["clock"].(object)["frozen"] != false || !strings.HasPrefix(two["clock"].(object)["now"].(string), "2027-01-01T00:00") || two["ephemeral"] != false || two["expires_at"] != nil {
			t.Errorf("%v", two)
		}
		// A seed of its own: the same twice, other than the parent's, and again other in a fork of the fork.
		ids := map[string]string{}
		for _, id := range []string{"s-1", "s-2"} {
			ids[id] = channel(p.Call("POST", "/exam/fork", object{"id": id, "seed": 7}, 201), "made")
		}
		ids["s-3"] = channel(p.Call("POST", "/s-1/fork", object{"id": "s-3", "seed": 7, "name": "third"}, 201), "again")
		plain := channel(p.Call("POST", "/exam/fork", object{"id": "s-4"}, 201), "made")
		if ids["s-1"] == "" || ids["s-1"] != ids["s-2"] || ids["s-1"] == plain || plain == "" {
			t.Errorf("ids %v, without a seed %s", ids, plain)
		}
		// By name; an id goes before a name; a name of two is ambiguous.
		if shown("third")["id"] != "s-3" {
			t.Error("not found by its name")
		}
		p.Call("PATCH", "/s-4", object{"name": "third"}, 200)
		e := p.Call("GET", "/third", nil, 409)["error"].(object)
		if e["code"] != "ambiguous_name" || fmt.Sprint(e["ids"]) != "[s-3 s-4]" || !strings.Contains(e["message"].(string), "s-3, s-4") {
			t.Errorf("%v", e)
		}
		p.Call("PATCH", "/s-4", object{"name": "s-3"}, 200)
		if shown("s-3")["id"] != "s-3" {
			t.Error("a name goes before an id")
		}
		// Ids that are taken, bad ones, replacing.
		if e := p.Call("POST", "/exam/fork", object{"id": "s-1"}, 409)["error"].(object); e["code"] != "environment_exists" {
			t.Errorf("%v", e)
		}
		for _, taken := range []string{"s-1", "exam", environment.Default} {
			for _, path := range []string{"", "/exam/fork"} {
				if e := p.Call("POST", path, object{"id": taken}, 409)["error"].(object); e["code"] != "environment_exists" {
					t.Errorf("%s, made with the id %s: %v", path, taken, e)
				}
			}
		}
		for _, id := range []string{"ab", "1abc", "Abc", "a_b", strings.Repeat("a", 41), "a/b"} {
			p.Call("POST", "/exam/fork", object{"id": id}, 400)
			p.Call("POST", "", object{"id": id}, 400)
		}
		p.Call("POST", "/exam/fork", object{"id": "exam", "if_exists": "replace"}, 400)
		p.Call("POST", "/exam/fork", object{"id": "default", "if_exists": "replace"}, 409)
		p.Call("POST", "/exam/fork", object{"if_exists": "replace"}, 400)
		replaced := p.Call("POST", "/exam/fork", object{"id": "s-1", "if_exists": "replace", "name": "new"}, 201)
		if shown("s-1")["name"] != "new" || channel(replaced, "made") == "" {
			t.Error("not replaced")
		}
		for name, value := range map[string]any{"clock": "tomorrow", "rate_limits": "fast", "ttl_seconds": -1, "credentials": "mine", "recordings": "all",
			"count": 1001, "destinations": object{"bot": "http://127.0.0.1:1"}, "faults": "some"} {
			if e := p.Call("POST", "/exam/fork", object{name: value}, 400)["error"].(object); e["code"] != "invalid_value" {
				t.Errorf("%s: %v", name, e)
			}
		}
		long := strings.Repeat("x", 38) // with -10 it has 41 characters
		if e := p.Call("POST", "/exam/fork", object{"id": long, "count": 10}, 400)["error"].(object); !strings.HasPrefix(fmt.Sprint(e["message"]), "id: must have at most 37") {
			t.Errorf("the name of a fork is too long: %v", e)
		}
		p.Call("POST", "/exam/fork", object{"id": long, "count": 1}, 201)
	})
}

// Of callers that choose the same id at once one gets it; with replace each does, one after another.
func TestTheSameIDAtOnce(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		p.Call("POST", "", object{"id": "exam"}, 201)
		for _, ifExists := range []string{"error", "replace"} {
			var wg sync.WaitGroup
			var mu sync.Mutex
			got := map[int]int{}
			for range 6 {
				wg.Go(func() {
					status, reply := p.Server.Call("POST", "/admin/v1/environments/exam/fork", p.Key, object{"id": "same", "if_exists": ifExists})
					mu.Lock()
					defer mu.Unlock()
					if got[status]++; status != 201 && status != 409 {
						t.Errorf("%d %v", status, reply)
					}
				})
			}
			wg.Wait()
			if ifExists == "error" && (got[201] != 1 || got[409] != 5) || ifExists == "replace" && got[201] != 6 {
				t.Errorf("%s: %v", ifExists, got)
			}
			p.Call("GET", "/same", nil, 200)
			p.Call("POST", "/same/reset", nil, 200)
		}
	})
}

// Forks may take the ids of what they descend from. None is its own parent, and
// who asks for all forks of one finds each once.
func TestForksThatReplaceWhatTheyDescendFrom(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		exam := p.Call("POST", "", object{"id": "exam"}, 201)["ingest"].(object)
		const session = "00000000-0000-4000-8000-000000000002"
		if status, reply := p.Server.Call("POST", "/e/exam/ingest/api/v1/capture-event", exam["api_key"].(string), object{"event_id": "00000000-0000-4000-8000-000000000001", "session_id": session,
			"primitive_name": "search", "primitive_type": "tool", "args": "{}", "latency": 1}); status != 200 {
			t.Fatalf("an event: %d %v", status, reply)
		}
		parents := func(want ...string) {
			t.Helper()
			var got []string
			for _, id := range []string{"exam", "exam-1", "exam-2"} {
				got = append(got, fmt.Sprint(p.Call("GET", "/"+id, nil, 200)["parent"]))
			}
			if !slices.Equal(got, want) {
				t.Errorf("the parents are %v, not %v", got, want)
			}
		}
		p.Call("POST", "/exam/fork", object{"id": "exam-1"}, 201)
		p.Call("POST", "/exam-1/fork", object{"id": "exam", "count": 2, "if_exists": "replace"}, 201)
		parents("<nil>", "exam", "exam")
		p.Call("POST", "/exam-1/fork", object{"id": "exam", "if_exists": "replace"}, 201)
		parents("exam-1", "exam", "exam")
		status, reply := p.Server.Call("DELETE", "/e/exam/ingest/api/v1/sessions/"+session, exam["api_key"].(string), nil)
		if status != 202 || fmt.Sprint(reply) != "map[held_by:map[forks:2 snapshots:0]]" {
			t.Errorf("erasing a session: %d %v", status, reply)
		}
	})
}

func TestDestinationsOfAFork(t *testing.T) {
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- r.URL.Path }))
	defer receiver.Close()
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		parent := p.Call("POST", "", object{"id": "exam"}, 201)
		user := parent["messaging"].(object)["user_token"].(string)
		if status, r := p.Server.Call("POST", "/e/exam/messaging/api/webhooks/outgoing", user, object{"url": "http://Bot.invalid/events", "channel": "general"}); status != 201 {
			t.Fatal(r)
		}
		c := p.Call("POST", "/exam/fork", object{"id": "run", "destinations": object{"http://bot.invalid": receiver.URL + "/here/", "http://bot.invalid/other": "http://127.0.0.1:1"}}, 201)
		p.Server.Call("POST", "/e/run/messaging/api/chat.postMessage", c["messaging"].(object)["user_token"].(string), object{"channel": "general", "text": "hi"})
		select {
		case path := <-got:
			if path != "/here/events" {
				t.Errorf("sent to %s", path)
			}
		case <-time.After(5 * time.Second):
			t.Error("nothing was sent to the destination")
		}
		_, hooks := p.Server.Call("GET", "/e/run/messaging/api/webhooks/outgoing", user, nil)
		if !strings.Contains(fmt.Sprint(hooks), "http://Bot.invalid/events") {
			t.Errorf("what is stored: %v", hooks)
		}
		text := ""
		for range 100 { // the attempt is noted after the reply of the receiver
			if text = fmt.Sprint(p.Call("GET", "/run/deliveries?status=delivered", nil, 200)); strings.Contains(text, "dlv_") {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if strings.Contains(text, receiver.URL) || !strings.Contains(text, "http://Bot.invalid/events") {
			t.Errorf("what is shown: %s", text)
		}
	})
}
