// Package mcptools provides the tracker's tools for agents. They are clients of
// the public GraphQL API, so that permissions, limits and recording apply to them
// as to every client; they contain no rules of the service.
package mcptools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/platform/mcpkit"
)

// maxReply bounds how many bytes of a reply are read.
const maxReply = 32 << 20

// Client calls the GraphQL API with one key.
type Client struct {
	http *http.Client
	base string // the service's base URL
	key  string
}

const viewerQuery = `query { viewer { id name email admin } organization { id name urlKey } }`

// Open finds the user of a personal API key and returns a server with the tools
// of that user. It returns a *mcpkit.Failure: with status 401 for a key that is
// not valid, 429 for too many calls, and 503 when the service cannot be reached.
func Open(ctx context.Context, hc *http.Client, base, key string, log *slog.Logger) (*mcpkit.Server, error) {
	c := &Client{http: hc, base: strings.TrimRight(base, "/"), key: key}
	var who struct {
		Viewer struct {
			ID, Name, Email string
			Admin           bool
		}
		Organization struct{ ID, Name, URLKey string }
	}
	if err := c.ask(ctx, viewerQuery, nil, &who); err != nil {
		return nil, err
	}
	role := "a member"
	if who.Viewer.Admin {
		role = "an admin"
	}
	return mcpkit.NewServer(table, mcpkit.Identity{Name: "understudy-tracker", Title: "Understudy tracker", Refuse: refuse, Failure: func(r *http.Response) error { return c.read(r, &json.RawMessage{}) },
		Instructions: fmt.Sprintf("Read and change the issues of the organization %q (%s) as %s (%s), %s of it. "+
			"Issues are named by identifiers such as ENG-12, or by ids. Teams, states, users, projects, labels and cycles are named by name, key or id, "+
			"whichever is at hand; \"me\" is you. Lists come in pages: while pageInfo.hasNextPage is true, call again with pageInfo.endCursor as cursor. "+
			"Start with list_teams: it shows the teams and their states.",
			who.Organization.Name, who.Organization.URLKey, who.Viewer.Name, who.Viewer.Email, role)}, c, log), nil
}

// gqlError is an error of a GraphQL reply.
type gqlError struct {
	Message    string `json:"message"`
	Extensions struct {
		Type        string `json:"type"`
		Code        string `json:"code"`
		StatusCode  int    `json:"statusCode"`
		Presentable string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// ask sends a document and reads the data of the reply into out. For a refusal of
// the service it returns a *mcpkit.Failure.
func (c *Client) ask(ctx context.Context, query string, variables map[string]any, out any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(err)
	}
	return c.read(res, out)
}

// read reads the data of a reply into out, and closes the reply. For a refusal of
// the service it returns a *mcpkit.Failure.
func (c *Client) read(res *http.Response, out any) error {
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	if err != nil {
		return c.unreachable(err)
	}
	var reply struct {
		Data   json.RawMessage `json:"data"`
		Errors []gqlError      `json:"errors"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil || reply.Errors == nil && reply.Data == nil {
		return c.unreachable(fmt.Errorf("it answered %d, not as a tracker does", res.StatusCode))
	}
	if len(reply.Errors) > 0 {
		after, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return refusal(reply.Errors[0], after)
	}
	return json.Unmarshal(reply.Data, out)
}
