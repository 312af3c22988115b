package mcpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var silent = slog.New(slog.DiscardHandler)

const anything = `{"type":"object"}`

// A table of tools in an order that is not the alphabet's.
var zoo = NewTable(
	Tool[string]{Name: "zebra", Title: "Zebra", Description: "Says who it acts as.", Output: anything,
		Run: func(_ context.Context, c string, _ Args) (json.RawMessage, error) {
			return Encode(map[string]string{"who": c})
		}},
	Tool[string]{Name: "ape", Title: "Ape", Description: "Needs a scope.", Output: anything, Scopes: []string{"a:write", "a:admin"}, Effect: Creates,
		Args: []Arg{{Name: "text", Required: true}},
		Run:  func(context.Context, string, Args) (json.RawMessage, error) { return nil, errors.New("must not run") }},
	Tool[string]{Name: "moth", Title: "Moth", Description: "Its token is gone.", Output: anything,
		Run: func(context.Context, string, Args) (json.RawMessage, error) {
			return nil, &Failure{Status: http.StatusUnauthorized, Body: map[string]string{"error": "gone"}}
		}},
	Tool[string]{Name: "bug", Title: "Bug", Description: "Panics.", Output: anything,
		Run: func(context.Context, string, Args) (json.RawMessage, error) { panic("a bug") }},
	Tool[string]{Name: "sloth", Title: "Sloth", Description: "Takes its time.", Output: anything,
		Run: func(ctx context.Context, _ string, _ Args) (json.RawMessage, error) {
			time.Sleep(50 * time.Millisecond)
			return json.RawMessage(`{"at":"last"}`), nil
		}},
)

func zooServer(token string) *Server {
	return NewServer(zoo, Identity{Name: "zoo", Title: "Zoo", Instructions: "Feed them.", Scopes: []string{"b:read"},
		Refuse: func(code, detail, hint string) *Failure {
			return &Failure{Body: map[string]string{"error": code, "detail": detail, "hint": hint}}
		}}, token, silent)
}

// door is a handler that accepts tokens beginning with "good", and counts how
// often it checked one.
func door() (*Handler, *atomic.Int64) {
	opened := &atomic.Int64{}
	return NewHandler(func(_ context.Context, token string) (*Server, error) {
		opened.Add(1)
		switch {
		case strings.HasPrefix(token, "good"):
			return zooServer(token), nil
		case token == "busy":
			return nil, &Failure{Status: http.StatusTooManyRequests, RetryAfter: 7, Message: "later"}
		case token == "broken":
			return nil, errors.New("secret detail")
		case token == "odd":
			return nil, &Failure{Message: "not this kind of token"}
		}
		return nil, &Failure{Status: http.StatusUnauthorized, Message: "unknown token"}
	}, nil, silent), opened
}

func ask(h http.Handler, authorization, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", authorization)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func call(tool, args string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

// said is the text of a tool's result, and whether it is a refusal.
func said(t *testing.T, w *httptest.ResponseRecorder) (texts []string, refused bool) {
	t.Helper()
	var r struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || r.Error != nil {
		t.Fatalf("%v in %d %s", err, w.Code, w.Body)
	}
	for _, c := range r.Result.Content {
		texts = append(texts, c.Text)
	}
	return texts, r.Result.IsError
}

func TestHandlerActsAsTheToken(t *testing.T) {
	h, opened := door()
	for _, token := range []string{"good1", "good2", "good1"} {
		texts, refused := said(t, ask(h, "Bearer "+token, call("zebra", "{}")))
		if refused || texts[0] != `{"who":"`+token+`"}` {
			t.Errorf("%s: %v", token, texts)
		}
	}
	if texts, _ := said(t, ask(h, "good2", call("zebra", "{}"))); texts[0] != `{"who":"good2"}` {
		t.Errorf("a bare token: %v", texts)
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("two tokens were resolved %d times", n)
	}
	if _, refused := said(t, ask(h, "Bearer good1", call("moth", "{}"))); !refused {
		t.Error("a token that is gone was not refused")
	}
	ask(h, "Bearer good1", listTools)
	if n := opened.Load(); n != 3 {
		t.Errorf("a token that is gone must be resolved anew: %d", n)
	}
	for i := range 3 * maxServers {
		ask(h, "Bearer good"+strings.Repeat("x", i), listTools)
	}
	if n, _ := h.servers.Len(); n > maxServers {
		t.Errorf("%d servers are remembered", n)
	}
}

func TestHandlerRefuses(t *testing.T) {
	h, _ := door()
	for authorization, want := range map[string]int{"": 401, "Bearer ": 401, "Bearer nobody": 401, "Basic a b": 401, "Bearer busy": 429, "Bearer odd": 403, "Bearer broken": 500} {
		w := ask(h, authorization, listTools)
		if w.Code != want || !strings.Contains(w.Body.String(), `"jsonrpc":"2.0"`) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%q: %d %s", authorization, w.Code, w.Body)
		}
		if want == 401 && !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") || want == 429 && w.Header().Get("Retry-After") != "7" {
			t.Errorf("%q: %v", authorization, w.Header())
		}
	}
	for origin, want := range map[string]int{"https://evil.example": 403, "null": 403, "http://localhost:1": 403, "http://example.com": 200} {
		r := httptest.NewRequest("POST", "http://example.com/mcp", strings.NewReader(listTools))
		r.Header = http.Header{"Authorization": {"Bearer good"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Origin": {origin}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("origin %s: %d", origin, w.Code)
		}
	}
}

func TestAnyClientThatTakesJSONIsServed(t *testing.T) {
	h, _ := door()
	for accept, want := range map[string]int{"": 200, "*/*": 200, "application/json": 200, "application/json, text/event-stream": 200, "text/html": 400} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(listTools))
		r.Header = http.Header{"Authorization": {"Bearer good"}, "Content-Type": {"application/json"}}
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: %d %s", accept, w.Code, w.Body)
		}
	}
}

// Whatever is refused is answered as JSON-RPC; a call of a method that there is
// not as a call that failed: of another status clients read no reply.
func TestAnUnknownMethodIsAnErrorOfJSONRPC(t *testing.T) {
	h, _ := door()
	for _, c := range []struct {
		body   string
		status int
		id     string
		code   int
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"no/such","params":{}}`, 200, "7", -32601},
		{`{"jsonrpc":"2.0","id":"a \"b\"","method":"tools/\u0041\n\"x\""}`, 200, `"a \"b\""`, -32601},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, 400, "1", -32600},
		{`{"jsonrpc":`, 400, "null", -32700},
		{``, 400, "null", -32600},
		{greeting(`5`), 200, "1", -32602},
		{greeting(`{}`), 200, "1", -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, 200, "1", -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, 200, "1", -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":"none"}}`, 200, "1", -32602},
		{greeting(`"2025-06-18"`), 200, "1", 0},
		{listTools, 200, "1", 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, "1", 0},
	} {
		w := ask(h, "Bearer good", c.body)
		var reply struct {
			ID    json.RawMessage
			Error struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || w.Code != c.status || string(reply.ID) != c.id || reply.Error.Code != c.code || c.code != 0 && reply.Error.Message == "" ||
			w.Header().Get("Content-Type") != "application/json; charset=utf-8" && w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %s", c.body, w.Code, w.Header(), w.Body)
		}
	}
}

// greeting returns the first message of a client, with a version of the protocol as JSON.
func greeting(version string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` + version + `,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
}

// The names of members are compared as they are, like those that the library reads:
// otherwise recordings and fault rules would be about another call than the one that is
// made.
func TestOnlyTheCallThatIsMadeIsRead(t *testing.T) {
	for text, want := range map[string]string{
		call("zebra", "{}"): "zebra",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ape","Name":"zebra"}}`:                    "ape",
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"zebra"}}`:                 "",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ape"},"Params":{"name":"zebra"}}`:         "ape",
		`{"jsonrpc":"2.0","id":1,"Method":"tools/list","method":"tools/call","params":{"name":"zebra","NAME":""}}`: "zebra",
	} {
		c, wrong := readCalls([]byte(text))
		if wrong != nil || len(c.list) != 1 || c.list[0].tool() != want {
			t.Errorf("%s: %v %+v, want the tool %q", text, wrong, c, want)
		}
	}
}

// The type of a body is read as the library reads it.
func TestTypesOfBodiesInAnyCase(t *testing.T) {
	h, _ := door()
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":`))
	r.Header = http.Header{"Authorization": {"Bearer good"}, "Content-Type": {"Application/JSON; charset=utf-8"}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "-32700") {
		t.Errorf("a broken body: %d %s", w.Code, w.Body)
	}
}

func TestToolsAreListedInTheirOrder(t *testing.T) {
	h, _ := door()
	body := ask(h, "Bearer good", listTools).Body.String()
	last := -1
	for _, name := range []string{"zebra", "ape", "moth", "bug", "sloth"} {
		i := strings.Index(body, `"name":"`+name+`"`)
		if i < last {
			t.Errorf("%s stands too early, or not at all", name)
		}
		last = i
	}
	if !strings.Contains(body, "Not available: the token lacks the scope a:write or a:admin.") {
		t.Error("a missing scope does not show in the list")
	}
}

func TestRefusalsAreToldToTheModel(t *testing.T) {
	h, _ := door()
	for _, c := range []struct{ tool, args, says string }{
		{"ape", `{"text":"x"}`, `"error":"missing_scope"`},
		{"ape", `{"text":"x"}`, `"detail":"a:write,a:admin"`},
		{"bug", `{}`, `"error":"internal_error"`},
		{"moth", `{}`, `"error":"gone"`},
	} {
		texts, refused := said(t, ask(h, "Bearer good", call(c.tool, c.args)))
		if !refused || !strings.Contains(texts[0], c.says) || strings.Contains(texts[0], "a bug") {
			t.Errorf("%s: %v %v", c.tool, refused, texts)
		}
	}
	texts, refused := said(t, ask(h, "Bearer good", call("zebra", `{"stripes":3}`)))
	if refused || len(texts) != 2 || !strings.Contains(texts[1], "stripes") {
		t.Errorf("an unknown argument: %v", texts)
	}
}

// A script pipes its requests in and closes: each must have its answer.
func TestPipeAnswersBeforeItEnds(t *testing.T) {
	var in, out bytes.Buffer
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`nonsense {`,
		``,
		strings.Replace(call("sloth", "{}"), `"id":1`, `"id":2`, 1),
		strings.Replace(call("zebra", "{}"), `"id":1`, `"id":3`, 1),
	} {
		in.WriteString(line + "\n")
	}
	in.Truncate(in.Len() - 1) // the last line has no end
	if err := zooServer("me").serve(t.Context(), &in, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1`, `"id":2`, `"id":3`, `{\"at\":\"last\"}`, `"code":-32700`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in %s", want, out.String())
		}
	}
}

func TestInProcess(t *testing.T) {
	c := InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		r.URL.Path = "/changed"
		r.Header.Set("X-Changed", "yes")
		w.Header().Set("X-Seen", r.Header.Get("X-Sent"))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(b)
	}))
	r, _ := http.NewRequest("POST", "http://nowhere/path", strings.NewReader("hello"))
	r.Header.Set("X-Sent", "1")
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusTeapot || string(b) != "hello" || res.Header.Get("X-Seen") != "1" {
		t.Error(res.Status, string(b), res.Header)
	}
	if r.URL.Path != "/path" || r.Header.Get("X-Changed") != "" {
		t.Error("the caller's request was changed")
	}
	quit := InProcess(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	if _, err := quit.Get("http://nowhere/"); err == nil {
		t.Error("a reply that was broken off looks like one")
	}
}
