// Package mcptools provides the messaging tools for agents. They are clients of
// the public Web API, so that scopes, limits, visibility and recording apply to
// them as to every client. They contain no rules of the service.
package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"understudy/internal/platform/mcpkit"
)

// maxReply is the most bytes of a reply that are read.
const maxReply = 32 << 20

// Client calls the Web API with one token.
type Client struct {
	http  *http.Client
	base  string // the service's base URL
	token string
	who   identity
}

// identity is the user that the token acts as.
type identity struct {
	User   string `json:"user"`
	UserID string `json:"user_id"`
	Team   string `json:"team"`
	TeamID string `json:"team_id"`
	BotID  string `json:"bot_id"`
	scopes []string
}

// Open resolves a token to its user and returns the server of its tools. It
// returns a *mcpkit.Failure with status 401 for an invalid token, 429 when called
// too often, and 503 when the service cannot be reached.
func Open(ctx context.Context, hc *http.Client, base, token string, log *slog.Logger) (*mcpkit.Server, error) {
	c := &Client{http: hc, base: strings.TrimRight(base, "/"), token: token}
	r, err := c.call(ctx, "auth.test", nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(r.raw, &c.who); err != nil {
		return nil, err
	}
	for s := range strings.SplitSeq(r.header.Get("X-Oauth-Scopes"), ",") {
		if s = strings.TrimSpace(s); s != "" {
			c.who.scopes = append(c.who.scopes, s)
		}
	}
	return mcpkit.NewServer(table, mcpkit.Identity{Name: "understudy-messaging", Title: "Understudy messaging",
		Instructions: c.who.instructions(), Scopes: c.who.scopes, Refuse: c.refuse, Failure: func(r *http.Response) error { _, err := c.read(r); return err }}, c, log), nil
}

func (w *identity) instructions() string {
	kind := "the user"
	if w.BotID != "" {
		kind = "the bot"
	}
	return fmt.Sprintf("Read and write messages of the workspace %q (%s) as %s %s (%s). "+
		"Channels, users and messages are named by ids: find channel ids with msg_list_channels, user ids with msg_get_users, "+
		"and a message by its channel and its ts. Lists come in pages: while response_metadata.next_cursor is not empty, "+
		"call again with it as cursor. Text is mrkdwn: *bold*, _italic_, `code`, <@USER_ID>, <#CHANNEL_ID>, <https://example.com|label>.",
		w.Team, w.TeamID, kind, w.User, w.UserID)
}

// reply is the reply of a method.
type reply struct {
	raw    json.RawMessage
	header http.Header
}

// envelope holds the members of every Web API reply.
type envelope struct {
	OK       bool   `json:"ok"`
	Error    string `json:"error"`
	Needed   string `json:"needed"`
	Provided string `json:"provided"`
	Metadata struct {
		NextCursor string   `json:"next_cursor"`
		Messages   []string `json:"messages"`
	} `json:"response_metadata"`
}

// call calls a method. It returns errors of the service as *mcpkit.Failure.
func (c *Client) call(ctx context.Context, method string, args url.Values) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/"+method, strings.NewReader(args.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(err)
	}
	return c.read(res)
}

// read reads a reply and closes it. It returns errors of the service as
// *mcpkit.Failure.
func (c *Client) read(res *http.Response) (*reply, error) {
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	if err != nil {
		return nil, c.unreachable(err)
	}
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil || !e.OK && e.Error == "" {
		return nil, c.unreachable(fmt.Errorf("it answered %d, not as a messaging service does", res.StatusCode))
	}
	if !e.OK {
		after, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return nil, c.refusal(e, after)
	}
	return &reply{raw, res.Header}, nil
}
