package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"understudy/test/server"
)

// client speaks to one server.
type client struct {
	srv  *server.Server
	http *http.Client
	base string
	key  string
}

func newClient(srv *server.Server) (*client, error) {
	cred, err := srv.Credentials()
	if err != nil {
		return nil, err
	}
	return &client{srv: srv, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: time.Minute},
		base: cred.Admin.BaseURL, key: cred.Admin.Key}, nil
}

// made is what the reply to making an environment is read for.
type made struct {
	ID        string
	Messaging struct {
		BaseURL  string `json:"base_url"`
		BotToken string `json:"bot_token"`
	}
	CRM struct {
		BaseURL     string `json:"base_url"`
		AccessToken string `json:"access_token"`
	}
	Tracker struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
	}
	Ingest struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
	}
}

func (c *client) call(method, url, key string, body, into any, want int) error {
	return server.Call(c.http, method, url, key, body, into, want)
}

// admin calls the admin plane; path is below /environments.
func (c *client) admin(method, path string, body, into any, want int) error {
	return c.call(method, c.base+"/environments"+path, c.key, body, into, want)
}

// text returns the reply to a GET of the admin plane as it came; path is below /environments.
func (c *client) text(path string) ([]byte, error) {
	r, err := http.NewRequest("GET", c.base+"/environments"+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	reply, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %.300s", path, reply.Status, text)
	}
	return text, err
}

func (c *client) create(body map[string]any) (m made, err error) {
	return m, c.admin("POST", "", body, &m, http.StatusCreated)
}

// write changes something, so that a reset has something to undo.
func (c *client) write(m made, n int) error {
	var reply struct{ OK bool }
	err := c.call("POST", m.Messaging.BaseURL+"/api/chat.postMessage", m.Messaging.BotToken,
		map[string]any{"channel": "general", "text": fmt.Sprint("message ", n)}, &reply, http.StatusOK)
	if err == nil && !reply.OK {
		err = fmt.Errorf("%s does not take a message", m.ID)
	}
	return err
}

// visit has all four services answer for an environment from their data.
func (c *client) visit(m made) error {
	for _, x := range []struct {
		method, url, key string
		body             any
	}{
		{"POST", m.Messaging.BaseURL + "/api/conversations.list", m.Messaging.BotToken, nil},
		{"GET", m.CRM.BaseURL + "/api/crm/v3/objects/contacts", m.CRM.AccessToken, nil},
		{"POST", m.Tracker.BaseURL + "/graphql", m.Tracker.APIKey, map[string]any{"query": "{ teams { nodes { id key } } }"}},
		{"GET", m.Ingest.BaseURL + "/api/v1/sessions", m.Ingest.APIKey, nil},
	} {
		if err := c.call(x.method, x.url, x.key, x.body, nil, http.StatusOK); err != nil {
			return err
		}
	}
	return nil
}

// work has all four services answer, and write something down, for an environment.
func (c *client) work(m made) error {
	if err := c.visit(m); err != nil {
		return err
	}
	if err := c.write(m, 0); err != nil {
		return err
	}
	if err := c.call("POST", m.CRM.BaseURL+"/api/crm/v3/objects/contacts", m.CRM.AccessToken,
		map[string]any{"properties": map[string]any{"email": "one@example.com"}}, nil, http.StatusCreated); err != nil {
		return err
	}
	var team, issue struct {
		Data struct {
			TeamCreate struct{ Team struct{ ID string } }
		}
		Errors []any
	}
	graphql := func(query string, in map[string]any, into any) error {
		return c.call("POST", m.Tracker.BaseURL+"/graphql", m.Tracker.APIKey, map[string]any{"query": query, "variables": map[string]any{"in": in}}, into, http.StatusOK)
	}
	err := graphql("mutation($in: TeamCreateInput!) { teamCreate(input: $in) { team { id } } }", map[string]any{"name": "One"}, &team)
	if err == nil {
		err = graphql("mutation($in: IssueCreateInput!) { issueCreate(input: $in) { success } }",
			map[string]any{"teamId": team.Data.TeamCreate.Team.ID, "title": "one"}, &issue)
	}
	if err != nil || len(team.Errors)+len(issue.Errors) > 0 {
		return fmt.Errorf("%s does not take a team and an issue: %v %v %v", m.ID, err, team.Errors, issue.Errors)
	}
	const sessionID = "0b54a8a4-6b3c-4d0a-9d0e-4f6d5a3c2b1a"
	if err := c.call("POST", m.Ingest.BaseURL+"/api/v1/capture-session", m.Ingest.APIKey, map[string]any{"session_id": sessionID, "user_data": map[string]any{"user_id": "u"}}, nil, http.StatusOK); err != nil {
		return err
	}
	return c.call("POST", m.Ingest.BaseURL+"/api/v1/capture-event", m.Ingest.APIKey,
		map[string]any{"event_id": "5f1c9d2e-7a3b-4c8d-9e0f-1a2b3c4d5e6f", "session_id": sessionID, "primitive_name": "tool", "args": "{}", "result": "{}", "success": true}, nil, http.StatusOK)
}
