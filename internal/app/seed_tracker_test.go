package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
)

const trackerWorld = `tracker:
  users:
    ben: {email: ben@acme.example}
    gone: {email: gone@acme.example, inactive: true}
  teams:
    core:
      key: COR
      states:
        todo: {name: Todo, type: unstarted, id: 5b1f6a0c-1f0e-4f6a-9a55-0b7f5d3c2e11}
        qa: {name: QA, type: started, id: 6b1f6a0c-1f0e-4f6a-9a55-0b7f5d3c2e12}
      settings: {cycles_enabled: true, cycle_duration: 1, auto_archive_period: 2}
    sea: {key: SEA}
  cycles:
    first: {team: sea, starts: 2026-02-23T00:00:00Z, ends: 2026-03-09T00:00:00Z}
  issues:
    planned: {team: sea, title: Three, cycle: first, state: Done, estimate: 3, created: 2026-02-20T00:00:00Z, started: 2026-02-24T10:00:00Z, completed: 2026-02-26T10:00:00Z}
    by-id: {team: core, title: One, state: 6B1F6A0C-1f0e-4f6a-9a55-0b7f5d3c2e12}
    by-name: {team: core, title: Two, state: todo, assignee: gone}
  webhooks:
    board: {url: "http://127.0.0.1:9/", team: core, resource_types: [Issue]}
    own: {url: "http://127.0.0.1:9/own", secret: a secret of my own}
  api_keys:
    script: {user: ben, key: trk_api_seededseededseededseeded1234}
    other: {}
`

// The states, settings, webhooks and keys of a seed document work as soon as the document
// is applied.
func TestADocumentBringsStatesWebhooksAndKeys(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		made := p.Call("POST", "", map[string]any{"document": trackerWorld, "clock": "2026-03-01T12:00:00Z"}, 201)
		base := apptest.Get(made, "tracker", "base_url").(string)
		ask := func(key, query string) any {
			t.Helper()
			_, got := p.Server.Call("POST", base+"/graphql", key, map[string]any{"query": query})
			if apptest.Get(got, "errors") != nil {
				t.Fatalf("%v", got)
			}
			return apptest.Get(got, "data")
		}
		const key = "trk_api_seededseededseededseeded1234"
		if email := apptest.Get(ask(key, "{viewer{email}}"), "viewer", "email"); email != "ben@acme.example" {
			t.Errorf("the key is that of %v", email)
		}
		if got := asText(ask(key, `{issues(filter:{title:{eq:"Two"}}){nodes{assignee{email active}}}}`)); !strings.Contains(got, "gone@acme.example") {
			t.Errorf("whoever has left is not assigned any more: %s", got)
		}
		other, _ := apptest.Get(made, "made", "tracker", "api_keys", "other", "key").(string)
		if email := apptest.Get(ask(other, "{viewer{email}}"), "viewer", "email"); email != apptest.Get(made, "tracker", "user_email") {
			t.Errorf("the other key is that of %v", email)
		}
		if k := apptest.Get(made, "made", "tracker", "api_keys", "script").(map[string]any); k["key"] != nil || k["id"] == "" {
			t.Errorf("the reply repeats a secret: %v", k)
		}
		if s, _ := apptest.Get(made, "made", "tracker", "webhooks", "board", "secret").(string); !strings.HasPrefix(s, "trk_wh_") {
			t.Errorf("the webhook's secret is %q", s)
		}
		got := ask(other, `{ team(id: "COR") { defaultIssueState { id } states { nodes { id name } } cycles(orderBy: createdAt) { nodes { number } } activeCycle { number } }
			issues(orderBy: createdAt) { nodes { title state { id } } } webhooks { nodes { label secret resourceTypes team { key } } } }`)
		if id := apptest.Get(got, "team", "defaultIssueState", "id"); id != "5b1f6a0c-1f0e-4f6a-9a55-0b7f5d3c2e11" {
			t.Errorf("the default state is %v", id)
		}
		if n := len(apptest.Get(got, "team", "states", "nodes").([]any)); n != 7 {
			t.Errorf("%d states", n)
		}
		if n := len(apptest.Get(got, "team", "cycles", "nodes").([]any)); n != 3 || apptest.Get(got, "team", "activeCycle", "number") != 1.0 {
			t.Errorf("%d cycles: %v", n, got)
		}
		states := map[any]any{}
		for _, i := range apptest.Get(got, "issues", "nodes").([]any) {
			states[apptest.Get(i, "title")] = apptest.Get(i, "state", "id")
		}
		if states["One"] != "6b1f6a0c-1f0e-4f6a-9a55-0b7f5d3c2e12" || states["Two"] != "5b1f6a0c-1f0e-4f6a-9a55-0b7f5d3c2e11" {
			t.Errorf("the states of issues: %v", states)
		}
		if n := len(apptest.Get(got, "webhooks", "nodes").([]any)); n != 2 {
			t.Errorf("%d webhooks", n)
		}
		got = apptest.Get(ask(other, `{ team(id: "SEA") { cycles { nodes { issueCountHistory completedScopeHistory inProgressScopeHistory } } } }`), "team", "cycles", "nodes")
		if want := `[{"completedScopeHistory":[0,0,0,0,3,3,3,3],"inProgressScopeHistory":[0,0,3,3,0,0,0,0],"issueCountHistory":[1,1,1,1,1,1,1,1]}]`; asText(got) != want {
			t.Errorf("the days of the cycle: %s, want %s", asText(got), want)
		}
		// A second document cannot create a key that is in use.
		if message := p.Seed(made["id"].(string), "application/yaml", "tracker:\n  api_keys: {again: {key: "+key+"}}\n", 422); !strings.Contains(apptest.Get(message, "error", "message").(string), "in use") {
			t.Errorf("a key twice: %v", message)
		}
	})
}

// The database contains only the sha256 of a seeded key.
func TestASeededKeyIsInNoFile(t *testing.T) {
	dir := t.TempDir()
	s := apptest.Start(t, func(o *config.Serve) { o.Data = dir })
	p := apptest.PlaneOf(t, s)
	p.Call("POST", "", map[string]any{"document": trackerWorld}, 201)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		if bytes.Contains(text, []byte("seededseededseededseeded1234")) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
