package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"understudy/test/server"
)

// admin calls the admin plane of a server.
type admin struct{ base, key string }

func adminOf(c server.Credentials) admin {
	return admin{c.Admin.BaseURL + "/environments", c.Admin.Key}
}

// world is an environment as its credentials show it.
type world struct {
	ID        string
	Messaging server.Messaging
	Ingest    server.Ingest
	CRM       struct {
		BaseURL     string `json:"base_url"`
		AccessToken string `json:"access_token"`
	}
	Tracker struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
	}
}

// do is server.Call with the client of these tests.
func do(method, address, key string, body, into any, want int) error {
	return server.Call(client, method, address, key, body, into, want)
}

func (a admin) do(method, path string, body, into any, want int) error {
	return do(method, a.base+path, a.key, body, into, want)
}

func (a admin) create(body map[string]any) (w world, err error) {
	return w, a.do("POST", "", body, &w, http.StatusCreated)
}

func (a admin) fork(id string) (w world, err error) {
	return w, a.do("POST", "/"+id+"/fork", map[string]any{}, &w, http.StatusCreated)
}

func (a admin) reset(id string) (w world, err error) {
	return w, a.do("POST", "/"+id+"/reset", nil, &w, http.StatusOK)
}

func (a admin) snapshot(id string) (string, error) {
	var s struct{ ID string }
	return s.ID, a.do("POST", "/"+id+"/snapshots", map[string]any{}, &s, http.StatusCreated)
}

func (a admin) restore(id, snapshot string) error {
	return a.do("POST", "/"+id+"/restore", map[string]any{"snapshot": snapshot}, nil, http.StatusOK)
}

// list returns the ids of all environments.
func (a admin) list() (ids []string, err error) {
	for cursor := ""; ; {
		var page struct {
			Environments []struct{ ID string }
			Next         string `json:"next_cursor"`
		}
		if err := a.do("GET", "?limit=200&cursor="+cursor, nil, &page, http.StatusOK); err != nil {
			return nil, err
		}
		for _, e := range page.Environments {
			ids = append(ids, e.ID)
		}
		if cursor = page.Next; cursor == "" {
			return ids, nil
		}
	}
}

func (w world) post(text string) error {
	return call(client, w.Messaging.BaseURL, w.Messaging.BotToken, "chat.postMessage", url.Values{"channel": {"general"}, "text": {text}}, nil)
}

// texts returns what was posted to general, sorted and joined.
func (w world) texts() (string, error) {
	var list struct{ Channels []struct{ ID, Name string } }
	if err := call(client, w.Messaging.BaseURL, w.Messaging.BotToken, "conversations.list", nil, &list); err != nil {
		return "", err
	}
	for _, c := range list.Channels {
		if c.Name != "general" {
			continue
		}
		var page struct {
			Messages []struct{ Text, Subtype string }
		}
		if err := call(client, w.Messaging.BaseURL, w.Messaging.BotToken, "conversations.history", url.Values{"channel": {c.ID}, "limit": {"999"}}, &page); err != nil {
			return "", err
		}
		var out []string
		for _, m := range page.Messages {
			if m.Subtype == "" {
				out = append(out, m.Text)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " "), nil
	}
	return "", fmt.Errorf("%s has no channel general", w.ID)
}

// contacts, issues and events return what the other services hold.
func (w world) contacts() (out []string, err error) {
	var page struct {
		Results []struct{ Properties struct{ Email string } }
	}
	err = do("GET", w.CRM.BaseURL+"/api/crm/v3/objects/contacts?limit=100", w.CRM.AccessToken, nil, &page, http.StatusOK)
	for _, c := range page.Results {
		out = append(out, c.Properties.Email)
	}
	return out, err
}

func (w world) graphql(query string, into any) error {
	return do("POST", w.Tracker.BaseURL+"/graphql", w.Tracker.APIKey, map[string]any{"query": query}, into, http.StatusOK)
}

func (w world) issues() (out []string, err error) {
	var reply struct {
		Data struct {
			Issues struct{ Nodes []struct{ Title string } }
		}
	}
	err = w.graphql(`{ issues(first: 200) { nodes { title } } }`, &reply)
	for _, i := range reply.Data.Issues.Nodes {
		out = append(out, i.Title)
	}
	return out, err
}

func (w world) events() (out []string, err error) {
	var page struct {
		Events []struct {
			Name string `json:"primitive_name"`
		}
	}
	err = do("GET", w.Ingest.BaseURL+"/api/v1/events?limit=1000", w.Ingest.APIKey, nil, &page, http.StatusOK)
	for _, e := range page.Events {
		out = append(out, e.Name)
	}
	return out, err
}

// answers reports whether all four services answer from their data.
func (w world) answers() error {
	if _, err := w.texts(); err != nil {
		return err
	}
	for _, read := range []func() ([]string, error){w.contacts, w.issues, w.events} {
		if _, err := read(); err != nil {
			return err
		}
	}
	return nil
}
