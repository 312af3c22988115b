package apptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// World is an environment of a running program, with the credentials of all its services.
type World struct {
	Plane
	ID          string
	Credentials map[string]any
}

// World returns the environment in a reply of the admin plane: the credentials
// object of the contract.
func (p Plane) World(reply map[string]any) World {
	return World{p, reply["id"].(string), reply}
}

// Create creates an environment.
func (p Plane) Create(body map[string]any) World {
	p.T.Helper()
	return p.World(p.Call("POST", "", body, 201))
}

// At creates an environment whose clock is frozen at a time, RFC 3339.
func (p Plane) At(clock string) World {
	p.T.Helper()
	return p.Create(map[string]any{"clock": clock})
}

// Seed sends the text of a seed document and returns the reply. env may end with
// a query.
func (p Plane) Seed(env, contentType, text string, want int) map[string]any {
	p.T.Helper()
	env, query, _ := strings.Cut(env, "?")
	r, err := http.NewRequest("POST", p.Server.URL+"/admin/v1/environments/"+env+"/seed?"+query, strings.NewReader(text))
	if err != nil {
		p.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Key)
	r.Header.Set("Content-Type", contentType)
	resp, err := p.Server.Client.Do(r)
	if err != nil {
		p.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var reply map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		p.T.Fatal(err)
	}
	if resp.StatusCode != want {
		p.T.Fatalf("a seed document answers %d %v, want %d", resp.StatusCode, reply, want)
	}
	return reply
}

// Diff returns the changes of one list of a diff (inserts, updates or deletes), each as DiffLine shows it.
func (p Plane) Diff(env, query, list string) (lines []string) {
	p.T.Helper()
	for _, one := range p.Call("GET", "/"+env+"/diff"+query, nil, 200)[list].([]any) {
		lines = append(lines, DiffLine(one))
	}
	return lines
}

// DiffLine shows a change of a diff as "service entity key changed before after".
func DiffLine(change any) string {
	text := func(v any) string {
		b, _ := json.Marshal(v)
		return string(b)
	}
	c := change.(map[string]any)
	return fmt.Sprint(c["service"], " ", c["entity"], " ", c["key"], " ", text(c["changed"]), " ", text(c["before"]), " ", text(c["after"]))
}

// WantLines fails the test unless each line begins with the wanted one.
func WantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Get returns the value at a path of members and indexes, nil if there is none.
func Get(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

// Credential returns a member of the environment's credentials.
func (w World) Credential(service, member string) string {
	w.T.Helper()
	text, ok := Get(w.Credentials, service, member).(string)
	if !ok {
		w.T.Fatalf("no credential %s.%s", service, member)
	}
	return text
}

// Base returns the base URL of a service.
func (w World) Base(service string) string { return w.Credential(service, "base_url") }

// Do calls a service and returns the reply, which must have the status.
func (w World) Do(service, method, path, token string, body any, want int) map[string]any {
	w.T.Helper()
	status, reply := w.Server.Call(method, w.Base(service)+path, token, body)
	if status != want {
		w.T.Fatalf("%s %s%s answers %d %v, want %d", method, service, path, status, reply, want)
	}
	return reply
}

// CRM calls the CRM below /crm/v3 with the environment's access token.
func (w World) CRM(method, path string, body any, want int) map[string]any {
	w.T.Helper()
	return w.Do("crm", method, "/api/crm/v3/"+path, w.Credential("crm", "access_token"), body, want)
}

// GraphQL executes a document of the tracker with the environment's API key and returns its data.
func (w World) GraphQL(query string, variables map[string]any) map[string]any {
	w.T.Helper()
	reply := w.Do("tracker", http.MethodPost, "/graphql", w.Credential("tracker", "api_key"), map[string]any{"query": query, "variables": variables}, 200)
	if reply["errors"] != nil {
		w.T.Fatalf("%s answers %v", query, reply["errors"])
	}
	return reply["data"].(map[string]any)
}

// Bot calls the messaging Web API as the environment's bot with a JSON body. The
// call must succeed.
func (w World) Bot(method string, args map[string]any) map[string]any {
	w.T.Helper()
	reply := w.Do("messaging", "POST", "/api/"+method, w.Credential("messaging", "bot_token"), args, 200)
	if reply["ok"] != true {
		w.T.Fatalf("%s %v answers %v", method, args, reply)
	}
	return reply
}

// Web is Bot with arguments in the query: alternating names and values.
func (w World) Web(method string, args ...string) map[string]any {
	w.T.Helper()
	q := url.Values{}
	for i := 0; i < len(args); i += 2 {
		q.Set(args[i], args[i+1])
	}
	reply := w.Do("messaging", "GET", "/api/"+method+"?"+q.Encode(), w.Credential("messaging", "bot_token"), nil, 200)
	if reply["ok"] != true {
		w.T.Fatalf("%s %v answers %v", method, args, reply)
	}
	return reply
}

// Post posts a message to the channel general as the environment's bot.
func (w World) Post(text string) {
	w.T.Helper()
	w.Web("chat.postMessage", "channel", "general", "text", text)
}

// Texts returns the texts in the channel general, newest first.
func (w World) Texts() (texts []string) {
	w.T.Helper()
	for _, c := range w.Web("conversations.list")["channels"].([]any) {
		if Get(c, "name") != "general" {
			continue
		}
		for _, m := range w.Web("conversations.history", "channel", Get(c, "id").(string))["messages"].([]any) {
			if Get(m, "subtype") == nil {
				texts = append(texts, Get(m, "text").(string))
			}
		}
	}
	return texts
}

// WantTexts fails the test unless Texts returns these.
func (w World) WantTexts(want ...string) {
	w.T.Helper()
	if got := w.Texts(); !slices.Equal(got, want) {
		w.T.Errorf("%s shows %v, want %v", w.ID, got, want)
	}
}

// Advance advances the environment's clock.
func (w World) Advance(d string) {
	w.T.Helper()
	w.Call("POST", "/"+w.ID+"/clock", map[string]any{"advance": d}, 200)
}

// Freeze sets the environment's clock to a time, RFC 3339.
func (w World) Freeze(at string) {
	w.T.Helper()
	w.Call("POST", "/"+w.ID+"/clock", map[string]any{"freeze": at}, 200)
}
