package control_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// answers returns what apps have shown to a person alone, newest first.
func (w actors) answers(user string) (texts []string) {
	w.T.Helper()
	for _, item := range w.Call("GET", "/"+w.ID+"/people/messaging/"+user+"/inbox", nil, 200)["items"].([]any) {
		if kind := apptest.Get(item, "kind"); kind == "response" || kind == "ephemeral" {
			texts = append(texts, apptest.Get(item, "text").(string))
		}
	}
	return texts
}

// What apps have answered to one person alone belongs to a world as its messages do.
func TestAnswersToOnePersonUnderSnapshotRestoreAndReset(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		server := newAppServer(t)
		server.answers(func(r appRequest) (int, string) {
			return 200, fmt.Sprintf(`{"response_type": "ephemeral", "text": "for your eyes: %s"}`, r.form.Get("text"))
		})
		w := actors{p.Create(map[string]any{"fixture": "demo", "rate_limits": "off"})}
		p.Seed(w.ID, "application/json", strings.ReplaceAll(approvals, "URL", server.URL), 200)
		ask := func(w actors, text string) {
			t.Helper()
			w.act(200, "lena.park", "run", object{"command": "/approve " + text, "channel": "#general"})
		}
		want := func(what string, w actors, texts ...string) {
			t.Helper()
			if got := w.answers("lena.park"); fmt.Sprint(got) != fmt.Sprint(texts) {
				t.Errorf("%s: %q, want %q", what, got, texts)
			}
			if got := w.answers("jon.abel"); got != nil {
				t.Errorf("%s: somebody else sees %q", what, got)
			}
		}
		ask(w, "one")
		want("at first", w, "for your eyes: one")
		snapshot := p.Call("POST", "/"+w.ID+"/snapshots", object{}, 201)["id"]
		want("after a snapshot", w, "for your eyes: one")
		ask(w, "two")
		fork := actors{p.World(p.Call("POST", "/"+w.ID+"/fork", object{}, 201))}
		want("in a fork", fork)
		want("in a fork of the snapshot", actors{p.World(p.Call("POST", "/"+w.ID+"/fork", object{"snapshot": snapshot}, 201))})
		want("after forks", w, "for your eyes: two", "for your eyes: one")

		p.Call("POST", "/"+w.ID+"/restore", object{"snapshot": snapshot}, 200)
		want("after a restore", w, "for your eyes: one")
		if got := w.act(200, "lena.park", "wait", object{"for": object{"kind": "response"}, "timeout_ms": 0}); apptest.Get(got, "item", "text") != "for your eyes: one" {
			t.Errorf("a wait for the answer to the last command before the snapshot: %v", got)
		}
		// The app's later answers reach the person only for commands that the world knows of.
		asked := server.sent(t, "/commands", 2)
		if status := answer(t, p, asked[1].form.Get("response_url")); status != 404 {
			t.Errorf("an answer to a command after the snapshot: %d", status)
		}
		if status := answer(t, p, asked[0].form.Get("response_url")); status != 200 {
			t.Errorf("an answer to a command before the snapshot: %d", status)
		}
		want("answered later", w, "later", "for your eyes: one")
		ask(w, "three")
		want("asked again", w, "for your eyes: three", "later", "for your eyes: one")
		if got := w.act(200, "lena.park", "wait", object{"for": object{"kind": "response"}, "timeout_ms": 1000}); apptest.Get(got, "item", "text") != "for your eyes: three" {
			t.Errorf("a wait after a restore: %v", got)
		}

		p.Call("POST", "/"+w.ID+"/reset", nil, 200)
		want("after a reset", w)
		for _, r := range asked {
			if status := answer(t, p, r.form.Get("response_url")); status != 404 {
				t.Errorf("an answer after a reset: %d", status)
			}
		}
		want("in the fork, at the end", fork)
	})
}

// answer sends an app's later answer and returns the status.
func answer(t *testing.T, p apptest.Plane, url string) int {
	t.Helper()
	reply, err := p.Server.Client.Post(url, "application/json", strings.NewReader(`{"text": "later"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	return reply.StatusCode
}
