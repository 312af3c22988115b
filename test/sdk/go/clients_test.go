package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/slack-go/slack"

	"understudy/test/server"
)

// witness stands between a client program and a server and notes its calls, as
// test/sdk/witness.mjs does for programs in Node; docs/clients.md is made of both.
type witness struct {
	URL string

	t       *testing.T
	program map[string]any
	mu      sync.Mutex
	calls   map[string]bool
}

// watch returns the witness of a program, which writes down what the program
// called when the test has passed. module is the program's path in go.mod.
func watch(t *testing.T, base, service, kind, module string) *witness {
	t.Helper()
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{t: t, calls: map[string]bool{}, program: map[string]any{"service": service, "kind": kind, "name": module, "version": versionOf(t, module)}}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, to.Host
	}}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.note(r, body)
		proxy.ServeHTTP(rw, r)
	}))
	w.URL = srv.URL + to.Path
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if !t.Failed() {
			w.write()
		}
	})
	return w
}

var webMethod = regexp.MustCompile(`/api/([a-z]+\.[a-zA-Z.]+)$`)

func (w *witness) note(r *http.Request, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := webMethod.FindStringSubmatch(r.URL.Path); m != nil {
		w.calls[m[1]] = true
	}
	var rpc struct {
		Method string
		Params struct{ Name string }
	}
	if strings.HasSuffix(r.URL.Path, "/mcp") && json.Unmarshal(body, &rpc) == nil && rpc.Method != "" && !strings.HasPrefix(rpc.Method, "notifications/") {
		if rpc.Method == "tools/call" {
			rpc.Method = rpc.Params.Name
		}
		w.calls[rpc.Method] = true
	}
}

func (w *witness) write() {
	var calls []string
	for c := range w.calls {
		calls = append(calls, c)
	}
	slices.Sort(calls)
	w.program["calls"] = calls
	text, _ := json.MarshalIndent(w.program, "", " ")
	dir := filepath.Join("..", "..", "..", ".cache", "clients")
	name := regexp.MustCompile(`[^\w.-]+`).ReplaceAllString(w.program["service"].(string)+"-"+w.program["name"].(string), "_")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), append(text, '\n'), 0o644); err != nil {
		w.t.Error(err)
	}
}

// versionOf returns the version of a module that go.mod names.
func versionOf(t *testing.T, module string) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("go.mod does not name %s", module)
	}
	return string(m[1])
}

// slack-go is tried as a whole by the other tests of this package; here it is
// watched while it does what most programs do.
func TestSlackGoIsWatched(t *testing.T) {
	_, c := server.New(t, "--rate-limits", "off")
	w := watch(t, c.Messaging.BaseURL, "messaging", "third party", "github.com/slack-go/slack")
	client := slack.New(c.Messaging.BotToken, slack.OptionAPIURL(w.URL+"/api/"))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := client.AuthTest()
	must(err)
	ch, err := client.CreateConversation(slack.CreateConversationParams{ChannelName: "watched"})
	must(err)
	_, ts, err := client.PostMessage(ch.ID, slack.MsgOptionText("a", false))
	must(err)
	_, _, _, err = client.UpdateMessage(ch.ID, ts, slack.MsgOptionText("b", false))
	must(err)
	must(client.AddReaction("tada", slack.NewRefToMessage(ch.ID, ts)))
	_, err = client.GetUsers()
	must(err)
	_, _, err = client.GetConversations(&slack.GetConversationsParameters{})
	must(err)
	page, err := client.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: ch.ID})
	must(err)
	if len(page.Messages) == 0 || page.Messages[0].Text != "b" {
		t.Errorf("%+v", page.Messages)
	}
	_, _, err = client.DeleteMessage(ch.ID, ts)
	must(err)
}

// The official Go client of the Model Context Protocol lists and calls tools by HTTP.
func TestGoClientOfTools(t *testing.T) {
	_, c := server.New(t, "--rate-limits", "off")
	for service, at := range map[string]struct{ base, token, tool string }{
		"messaging": {c.Messaging.BaseURL, c.Messaging.BotToken, "msg_list_channels"},
		"tracker":   {c.Tracker.BaseURL, c.Tracker.APIKey, "list_teams"},
	} {
		t.Run(service, func(t *testing.T) {
			w := watch(t, at.base, service, "MCP", "github.com/modelcontextprotocol/go-sdk")
			client := mcp.NewClient(&mcp.Implementation{Name: "understudy-test", Version: "1"}, nil)
			transport := &mcp.StreamableClientTransport{Endpoint: w.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(at.token)}}
			s, err := client.Connect(context.Background(), transport, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			list, err := s.ListTools(context.Background(), nil)
			if err != nil || len(list.Tools) < 5 {
				t.Fatalf("%v %v", list, err)
			}
			r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: at.tool, Arguments: map[string]any{}})
			if err != nil || r.IsError {
				t.Fatalf("%+v %v", r, err)
			}
		})
	}
}

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
