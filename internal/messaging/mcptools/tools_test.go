package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"understudy/internal/messaging/webapi"
	"understudy/internal/platform/mcpkit"
)

// service is a Web API that stores its calls and answers with what a test has
// set.
type service struct {
	asked  []string
	forms  []url.Values
	answer func(method string, form url.Values) (int, string)
	scopes string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	method := strings.TrimPrefix(r.URL.Path, "/api/")
	s.asked, s.forms = append(s.asked, method), append(s.forms, r.PostForm)
	w.Header().Set("X-Oauth-Scopes", s.scopes)
	w.Header().Set("Retry-After", "9")
	status, body := s.answer(method, r.PostForm)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func always(body string) func(string, url.Values) (int, string) {
	return func(string, url.Values) (int, string) { return http.StatusOK, body }
}

func client(s *service) *Client {
	return &Client{http: mcpkit.InProcess(s), base: "http://messaging", token: "xoxb-1"}
}

// Each tool is one method with these arguments.
func TestToolsCallTheirMethods(t *testing.T) {
	for _, c := range []struct {
		run    func(context.Context, *Client, mcpkit.Args) (json.RawMessage, error)
		args   map[string]any
		method string
		form   url.Values
	}{
		{listChannels, map[string]any{"limit": 100}, "conversations.list",
			url.Values{"types": {"public_channel"}, "exclude_archived": {"true"}, "limit": {"100"}}},
		{postMessage, map[string]any{"channel_id": "C1", "text": "hi"}, "chat.postMessage", url.Values{"channel": {"C1"}, "text": {"hi"}}},
		{replyToThread, map[string]any{"channel_id": "C1", "text": "hi", "thread_ts": "1712345678123456"}, "chat.postMessage",
			url.Values{"channel": {"C1"}, "text": {"hi"}, "thread_ts": {"1712345678.123456"}}},
		{addReaction, map[string]any{"channel_id": "C1", "timestamp": "p1712345678123456", "reaction": ":wave:"}, "reactions.add",
			url.Values{"channel": {"C1"}, "timestamp": {"1712345678.123456"}, "name": {"wave"}}},
		{channelHistory, map[string]any{"channel_id": "C1", "limit": 10, "cursor": "abc="}, "conversations.history",
			url.Values{"channel": {"C1"}, "limit": {"10"}, "cursor": {"abc="}}},
		{threadReplies, map[string]any{"channel_id": "C1", "limit": 5, "thread_ts": "1.2"}, "conversations.replies",
			url.Values{"channel": {"C1"}, "limit": {"5"}, "ts": {"1.2"}}},
		{getUsers, map[string]any{"limit": 200}, "users.list", url.Values{"limit": {"200"}}},
		{userProfile, map[string]any{"user_id": "U1"}, "users.profile.get", url.Values{"user": {"U1"}, "include_labels": {"true"}}},
		{authTest, nil, "auth.test", url.Values{}},
		{searchMessages, map[string]any{"query": "x", "count": 20, "page": 2, "sort": "score", "sort_dir": "desc"}, "search.messages",
			url.Values{"query": {"x"}, "count": {"20"}, "page": {"2"}, "sort": {"score"}, "sort_dir": {"desc"}}},
		{openDM, map[string]any{"user_id": "U1"}, "conversations.open", url.Values{"users": {"U1"}}},
	} {
		s := &service{answer: always(`{"ok":true,"one":1}`)}
		raw, err := c.run(t.Context(), client(s), mcpkit.ArgsOf(c.args))
		if err != nil || string(raw) != `{"ok":true,"one":1}` {
			t.Errorf("%s: %s %v", c.method, raw, err)
		}
		if len(s.asked) != 1 || s.asked[0] != c.method || !reflect.DeepEqual(s.forms[0], c.form) {
			t.Errorf("%v %v, want %s %v", s.asked, s.forms, c.method, c.form)
		}
	}
}

// A page that is too large is asked for again with as many items as fit.
func TestPagesAreBounded(t *testing.T) {
	s := &service{answer: func(_ string, form url.Values) (int, string) {
		var n int
		_, _ = fmt.Sscan(form.Get("limit"), &n)
		items := strings.Repeat(`{"text":"`+strings.Repeat("x", 9000)+`"},`, n)
		return http.StatusOK, fmt.Sprintf(`{"ok":true,"messages":[%s],"response_metadata":{"next_cursor":"after%d"}}`, strings.TrimSuffix(items, ","), n)
	}}
	raw, err := client(s).page(t.Context(), "conversations.history", url.Values{}, "messages", 50)
	if err != nil || len(raw) > mcpkit.MaxResult || !strings.Contains(string(raw), `"next_cursor":"after6"`) {
		t.Errorf("%v, %d bytes, ends %s", err, len(raw), raw[max(0, len(raw)-80):])
	}
	if len(s.asked) != 2 {
		t.Errorf("asked %d times", len(s.asked))
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		status     int
		body       string
		says       []string
		httpStatus int
	}{
		{200, `{"ok":false,"error":"missing_scope","needed":"chat:write","provided":"a,b"}`, []string{`"needed":"chat:write"`, `"provided":"a,b"`, "scope chat:write"}, 0},
		{429, `{"ok":false,"error":"ratelimited"}`, []string{`"retry_after":9`, "Wait 9 seconds"}, 429},
		{200, `{"ok":false,"error":"channel_not_found"}`, []string{"msg_list_channels"}, 0},
		{200, `{"ok":false,"error":"token_revoked"}`, []string{"token does not work"}, 401},
		{200, `{"ok":false,"error":"invalid_arguments","response_metadata":{"messages":["[ERROR] missing required field: topic"]}}`, []string{"missing required field"}, 0},
		{200, `{"ok":false,"error":"something_new"}`, []string{"something_new", "will not help"}, 0},
		{500, `<html>`, []string{"cannot be reached", "500"}, 503},
		{200, `{}`, []string{"not as a messaging service"}, 503},
	} {
		s := &service{answer: func(string, url.Values) (int, string) { return c.status, c.body }}
		_, err := client(s).call(t.Context(), "auth.test", nil)
		var f *mcpkit.Failure
		if !errors.As(err, &f) || f.Status != c.httpStatus {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		raw, _ := mcpkit.Encode(f.Body)
		for _, part := range append(c.says, `"hint":"`) {
			if !strings.Contains(string(raw), part) {
				t.Errorf("%s does not say %s", raw, part)
			}
		}
	}
}

func TestOpenResolvesTheToken(t *testing.T) {
	s := &service{scopes: "chat:write, users:read", answer: always(`{"ok":true,"user":"bot","user_id":"U1","team":"Acme","team_id":"T1","bot_id":"B1"}`)}
	if _, err := Open(t.Context(), mcpkit.InProcess(s), "http://messaging/", "xoxb-1", slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if len(s.asked) != 1 || s.asked[0] != "auth.test" {
		t.Error(s.asked)
	}
	who := identity{User: "bot", UserID: "U1", Team: "Acme", TeamID: "T1", BotID: "B1"}
	for _, part := range []string{"Acme", "T1", "the bot", "U1"} {
		if !strings.Contains(who.instructions(), part) {
			t.Errorf("%q is not in %q", part, who.instructions())
		}
	}
	bad := &service{answer: always(`{"ok":false,"error":"invalid_auth"}`)}
	if _, err := Open(t.Context(), mcpkit.InProcess(bad), "http://messaging", "x", slog.New(slog.DiscardHandler)); err == nil || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A tool with a scope that no token can have could never be called.
func TestScopesExist(t *testing.T) {
	known := map[string]bool{}
	for _, s := range append(webapi.BotScopes, webapi.UserScopes...) {
		known[s] = true
	}
	for _, tool := range table.Tools() {
		for _, s := range tool.Scopes {
			if !known[s] {
				t.Errorf("%s needs %s, which the service does not know", tool.Name, s)
			}
		}
	}
}
