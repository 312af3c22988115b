// Package sdk drives the real binary with slack-go, whose decoding is stricter
// than the other official clients': integers, objects and lists must be what
// they say. Nothing here knows the server but for its address and tokens.
package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/slack-go/slack"

	"understudy/test/server"
)

var tsForm = regexp.MustCompile(`^\d{10}\.\d{6}$`)

// world is a running server with clients of it.
type world struct {
	t    *testing.T
	cred server.Messaging
	bot  *slack.Client
	user *slack.Client
}

var made atomic.Int64

// name returns a name that no other test uses.
func name(prefix string) string { return fmt.Sprintf("%s-%d", prefix, made.Add(1)) }

func newWorld(t *testing.T, flags ...string) *world {
	t.Helper()
	if len(flags) == 0 {
		flags = []string{"--rate-limits", "off"}
	}
	_, c := server.New(t, flags...)
	w := &world{t: t, cred: c.Messaging}
	w.bot, w.user = w.client(c.Messaging.BotToken), w.client(c.Messaging.UserToken)
	return w
}

// client returns an unmodified client; it sends its token as a form field alone.
func (w *world) client(token string, options ...slack.Option) *slack.Client {
	return slack.New(token, append(options, slack.OptionAPIURL(w.cred.BaseURL+"/api/"))...)
}

// channel makes a channel, by the admin.
func (w *world) channel(private bool) *slack.Channel {
	w.t.Helper()
	c, err := w.user.CreateConversation(slack.CreateConversationParams{ChannelName: name("c"), IsPrivate: private})
	w.must(err)
	return c
}

// post posts text and returns its ts.
func (w *world) post(c *slack.Client, channel string, options ...slack.MsgOption) string {
	w.t.Helper()
	_, ts, err := c.PostMessage(channel, options...)
	w.must(err)
	return ts
}

// person joins the default workspace with an account of its own.
func (w *world) person() (*slack.Client, string) {
	w.t.Helper()
	var up, in struct {
		AccessToken string `json:"access_token"`
		User        struct{ ID string }
	}
	w.rest("/api/auth/signup", "", map[string]string{"email": name("mail") + "@example.com", "password": "long enough", "name": name("Person")}, &up)
	w.rest("/api/workspaces/"+w.cred.WorkspaceID+"/join", up.AccessToken, nil, &in)
	return w.client(in.AccessToken), in.User.ID
}

// app makes an app with these bot scopes and returns its bot.
func (w *world) app(scopes ...string) (*slack.Client, string) {
	w.t.Helper()
	var app struct {
		BotToken  string `json:"bot_token"`
		BotUserID string `json:"bot_user_id"`
	}
	manifest := map[string]any{"display_information": map[string]any{"name": name("App")}, "oauth_config": map[string]any{"scopes": map[string]any{"bot": scopes}}}
	w.rest("/api/apps", w.cred.UserToken, map[string]any{"manifest": manifest}, &app)
	return w.client(app.BotToken), app.BotUserID
}

// rest makes a call of the control plane that must succeed.
func (w *world) rest(path, token string, body, into any) {
	w.t.Helper()
	b, err := json.Marshal(body)
	w.must(err)
	req, err := http.NewRequest(http.MethodPost, w.cred.BaseURL+path, bytes.NewReader(b))
	w.must(err)
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	w.must(err)
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		w.t.Fatalf("%s: status %d", path, resp.StatusCode)
	}
	w.must(json.NewDecoder(resp.Body).Decode(into))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// refused wants err to be the platform's refusal with this code.
func refused(t *testing.T, err error, code string) slack.SlackErrorResponse {
	t.Helper()
	var e slack.SlackErrorResponse
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want the refusal %s", err, err, code)
	}
	if e.Err != code {
		t.Errorf("refused with %s, want %s", e.Err, code)
	}
	return e
}
