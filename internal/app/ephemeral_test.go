package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"understudy/internal/app/apptest"
	"understudy/internal/platform/config"
	"understudy/internal/platform/store/storetest"
)

// An ephemeral environment does all that others do, leaves nothing in the data
// folder, and ends with the program.
func TestAnEphemeralEnvironmentLivesInMemory(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return storetest.MigratedURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			url, dir := database(t), t.TempDir()
			options := func(o *config.Serve) { o.Database, o.Data = url, dir }
			var ids []string
			t.Run("lives", func(t *testing.T) {
				s := apptest.Start(t, options)
				p := planeOf(t, s)
				ids = ephemeralLife(t, p)
				if files, _ := filepath.Glob(filepath.Join(dir, "worlds", "*"+ids[0]+"*")); len(files) > 0 {
					t.Errorf("the data folder has %v", files)
				}
			})
			t.Run("ends", func(t *testing.T) {
				s := apptest.Start(t, options)
				p := planeOf(t, s)
				for _, id := range ids {
					p.Call("GET", "/"+id, nil, 404)
				}
				if n := len(p.Call("GET", "", nil, 200)["environments"].([]any)); n != 1 {
					t.Errorf("%d environments are listed after the restart, want the default one", n)
				}
				files, _ := os.ReadDir(filepath.Join(dir, "worlds"))
				for _, f := range files {
					if strings.HasPrefix(f.Name(), "mem_") {
						t.Errorf("%s is left", f.Name())
					}
				}
			})
		})
	}
}

func ephemeralLife(t *testing.T, p plane) (ids []string) {
	e := p.world(p.Call("POST", "", map[string]any{"ephemeral": true, "fixture": "demo", "rate_limits": "off"}, 201))
	if shown := p.Call("GET", "/"+e.ID, nil, 200)["environment"].(map[string]any); shown["ephemeral"] != true || shown["size_bytes"].(float64) < 1000 {
		t.Errorf("it is shown as %v", shown)
	}
	base := e.Texts()
	e.Post("one")
	snapshot := p.Call("POST", "/"+e.ID+"/snapshots", nil, 201)["id"].(string)
	e.Post("two")
	f := p.world(p.Call("POST", "/"+e.ID+"/fork", nil, 201))
	if shown := p.Call("GET", "/"+f.ID, nil, 200)["environment"].(map[string]any); shown["ephemeral"] != true {
		t.Errorf("its fork is shown as %v", shown)
	}
	f.Post("three")
	f.WantTexts(append([]string{"three", "two", "one"}, base...)...)
	early := p.world(p.Call("POST", "/"+e.ID+"/fork", map[string]any{"snapshot": snapshot}, 201))
	early.WantTexts(append([]string{"one"}, base...)...)
	p.Call("POST", "/"+e.ID+"/restore", map[string]any{"snapshot": snapshot}, 200)
	e.WantTexts(append([]string{"one"}, base...)...)
	p.Call("POST", "/"+e.ID+"/reset", nil, 200)
	e.WantTexts(base...)
	// Many at once, reading and writing, through the one connection that there is.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if status, reply := p.Server.Call("GET", e.Base("messaging")+"/api/chat.postMessage?channel=general&text=x", e.Credential("messaging", "bot_token"), nil); status != 200 || reply["ok"] != true {
					t.Errorf("posting answers %d %v", status, reply)
				}
				if status, reply := p.Server.Call("GET", e.Base("messaging")+"/api/search.messages?query=x", e.userToken(), nil); status != 200 {
					t.Errorf("searching answers %d %v", status, reply)
				}
			}
		})
	}
	wg.Wait()
	if n := len(e.Texts()); n != 40+len(base) {
		t.Errorf("%d messages, want 40 beside %d", n, len(base))
	}
	crm, tracker := e.credentials("crm"), e.credentials("tracker")
	for range 2 {
		if status, reply := p.Server.Call("POST", crm["base_url"].(string)+"/api/crm/v3/objects/contacts", crm["access_token"].(string),
			map[string]any{"properties": map[string]string{"firstname": "Ada"}}); status != 201 {
			t.Errorf("a contact answers %d %v", status, reply)
		}
		if status, reply := p.Server.Call("POST", crm["base_url"].(string)+"/api/crm/v3/objects/contacts/search", crm["access_token"].(string),
			map[string]any{"query": "Ada"}); status != 200 {
			t.Errorf("a search answers %d %v", status, reply)
		}
		if status, reply := p.Server.Call("POST", tracker["base_url"].(string)+"/graphql", tracker["api_key"].(string),
			map[string]any{"query": "{ teams { nodes { id issues { nodes { title } } } } viewer { id assignedIssues { nodes { id } } } }"}); status != 200 || reply["errors"] != nil {
			t.Errorf("the tracker answers %d %v", status, reply)
		}
	}
	p.ingests(e)
	p.Call("POST", "/"+f.ID+"/reset", nil, 200)
	f.WantTexts(append([]string{"two", "one"}, base...)...)
	p.Call("DELETE", "/"+early.ID, nil, 204)
	return []string{e.ID, f.ID, early.ID}
}

// credentials returns the credentials of a service.
func (e world) credentials(service string) map[string]any {
	return e.Credentials[service].(map[string]any)
}

func (e world) userToken() string { return e.credentials("messaging")["user_token"].(string) }

// ingests sends an event to an environment and reads it back, also from a fork and after a reset.
func (p plane) ingests(e world) {
	p.T.Helper()
	count := func(e world) int {
		in := e.credentials("ingest")
		_, reply := p.Server.Call("GET", in["base_url"].(string)+"/api/v1/events", in["api_key"].(string), nil)
		return len(reply["events"].([]any))
	}
	in := e.credentials("ingest")
	before := count(e)
	status, reply := p.Server.Call("POST", in["base_url"].(string)+"/api/v1/capture-event", in["api_key"].(string), map[string]any{
		"event_id": "00000000-0000-4000-8000-000000000001", "session_id": "00000000-0000-4000-8000-000000000002", "primitive_name": "search", "primitive_type": "tool", "args": "{}", "latency": 1})
	if status != 200 {
		p.T.Fatalf("an event answers %d %v", status, reply)
	}
	fork := p.world(p.Call("POST", "/"+e.ID+"/fork", nil, 201))
	if n := count(fork); n != before+1 {
		p.T.Errorf("the fork has %d events, want %d", n, before+1)
	}
	p.Call("POST", "/"+e.ID+"/reset", nil, 200)
	if n := count(e); n != before {
		p.T.Errorf("%d events after a reset, want %d", n, before)
	}
}
