package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/server"
)

// ask makes a request with headers given as "Name: value"; Host is one of them.
func ask(t *testing.T, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply, string(text)
}

// A page whose name was made to point to this machine reaches nothing.
func TestHostsThatAreAnswered(t *testing.T) {
	t.Parallel()
	own, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := server.New(t, "--messaging-listen", own, "--allowed-hosts", "proxy.example,*.lan.example,exact.example:8080", "--public-url", "https://public.example/under")
	_, port, _ := net.SplitHostPort(s.Listen)
	for host, want := range map[string]int{
		"localhost:" + port: 200, "localhost": 200, "LOCALHOST": 200, "127.0.0.1:" + port: 200, "[::1]:" + port: 200, "127.9.9.9": 200,
		"proxy.example": 200, "Proxy.Example:1": 200, "a.lan.example": 200, "exact.example:8080": 200, "public.example": 200,
		"evil.example": 421, "evil.example:" + port: 421, "localhost.evil.example": 421, "lan.example": 421, "xlan.example": 421,
		"exact.example": 421, "10.0.0.1": 421, "127.0.0.1.evil.example": 421,
	} {
		for _, url := range []string{s.URL + "/healthz", "http://" + own + "/api/health"} {
			reply, body := ask(t, "GET", url, "", "Host: "+host)
			if reply.StatusCode != want || want == 421 && !strings.Contains(body, `"host_not_allowed"`) {
				t.Errorf("%s to %s: %d %s", url, host, reply.StatusCode, body)
			}
		}
	}
	var c struct {
		Messaging, Admin struct {
			BaseURL string `json:"base_url"`
		}
	}
	if err := s.ReadCredentials(&c); err != nil || c.Messaging.BaseURL != "https://public.example/under/messaging" || c.Admin.BaseURL != "https://public.example/under/admin/v1" {
		t.Errorf("%v %+v", err, c)
	}
}

// Beyond loopback any name is answered, or only those that are allowed.
func TestHostsBeyondLoopback(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]int{"": 200, "only.example": 421} {
		addr, err := server.FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(addr)
		args := []string{"--messaging-listen", "0.0.0.0:" + port}
		if flag != "" {
			args = append(args, "--allowed-hosts", flag)
		}
		server.New(t, args...)
		if reply, body := ask(t, "GET", "http://"+addr+"/api/health", "", "Host: any.example"); reply.StatusCode != want {
			t.Errorf("--allowed-hosts %q: %d %s", flag, reply.StatusCode, body)
		}
	}
}

// Pages of other sites read nothing unless they are named; the capture routes
// are open, without credentials.
func TestPagesOfOtherSites(t *testing.T) {
	t.Parallel()
	s, c := server.New(t, "--cors-origins", "https://app.example")
	paths := []string{"/healthz", "/messaging/api/auth.test", "/messaging/api/workspaces", "/messaging/socket.io/?EIO=4&transport=polling",
		"/crm/api/crm/v3/objects/contacts", "/tracker/graphql", "/tracker/socket.io/?EIO=4&transport=polling", "/ingest/api/v1/sessions", "/admin/v1/environments", "/messaging/mcp", "/metrics"}
	for _, path := range paths {
		for _, method := range []string{"OPTIONS", "GET", "POST"} {
			reply, _ := ask(t, method, s.URL+path, "", "Origin: https://evil.example", "Access-Control-Request-Method: POST", "Authorization: Bearer "+c.Messaging.UserToken)
			for name := range reply.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s %s for a stranger: %s %q", method, path, name, reply.Header.Get(name))
				}
			}
			reply, _ = ask(t, method, s.URL+path, "", "Origin: https://app.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
			if got := reply.Header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != "https://app.example" {
				t.Errorf("%s %s for a named origin: %q", method, path, got)
			}
			if method == "OPTIONS" && (reply.StatusCode != 204 || reply.Header.Get("Access-Control-Allow-Headers") != "authorization") {
				t.Errorf("preflight of %s: %d %v", path, reply.StatusCode, reply.Header)
			}
		}
	}
	for _, route := range []string{"capture-session", "capture-event", "capture-events"} {
		reply, _ := ask(t, "OPTIONS", s.URL+"/ingest/api/v1/"+route, "", "Origin: https://evil.example", "Access-Control-Request-Method: POST")
		if reply.StatusCode != 204 || reply.Header.Get("Access-Control-Allow-Origin") != "*" || reply.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d %v", route, reply.StatusCode, reply.Header)
		}
	}
}

// No reply is kept by a browser or proxy, and no page can be framed.
func TestHeadersOfReplies(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	for _, x := range [][2]string{{"GET", "/admin/v1/environments"}, {"POST", "/admin/v1/environments/default/reset"}, {"GET", "/messaging/api/apps"}, {"GET", "/ingest/api/v1/api-keys"},
		{"POST", "/messaging/api/auth/login"}, {"POST", "/tracker/api/auth/login"}, {"GET", "/crm/api/account-info/v3/api-keys"}, {"POST", "/messaging/api/admin/provision"}} {
		reply, _ := ask(t, x[0], s.URL+x[1], "", "Authorization: Bearer "+c.Admin.Key)
		if !strings.Contains(reply.Header.Get("Cache-Control"), "no-store") || reply.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %v", x[0], x[1], reply.Header)
		}
	}
	var crm struct {
		CRM struct {
			ClientID string `json:"client_id"`
		}
	}
	if err := s.ReadCredentials(&crm); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/messaging/api/docs", "/crm/api/docs", "/tracker/api/docs", "/ingest/api/docs",
		"/crm/oauth/authorize?client_id=" + crm.CRM.ClientID + "&redirect_uri=http://localhost:1/x&scope=oauth"} {
		reply, body := ask(t, "GET", s.URL+path, "")
		h := reply.Header
		if reply.StatusCode != 200 || !strings.HasPrefix(h.Get("Content-Type"), "text/html") || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			h.Get("Referrer-Policy") == "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v %.80s", path, reply.StatusCode, h, body)
		}
	}
}

// half sends a request whose body stops after one byte, and leaves the connection open.
func half(t *testing.T, addr, path, token string, headers ...string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n%s\r\n{",
		path, token, token, strings.Join(headers, ""))
	return conn
}

// A client that sends half a body is nobody's business: reset, snapshot, fork,
// deletion and the end of the program do not wait for it.
func TestADrainDoesNotWaitForAClient(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	var rest struct {
		CRM struct {
			Token string `json:"access_token"`
		}
		Tracker struct {
			Key string `json:"api_key"`
		}
	}
	if err := s.ReadCredentials(&rest); err != nil {
		t.Fatal(err)
	}
	const hung = 20 * time.Second // clients that send nothing are given up after 30, and one here never
	open := func() {
		half(t, s.Listen, "/messaging/api/chat.postMessage", c.Messaging.BotToken)
		half(t, s.Listen, "/messaging/api/apps", c.Messaging.UserToken)
		half(t, s.Listen, "/messaging/mcp", c.Messaging.UserToken)
		half(t, s.Listen, "/crm/api/crm/v3/objects/contacts", rest.CRM.Token)
		half(t, s.Listen, "/tracker/graphql", rest.Tracker.Key)
		half(t, s.Listen, "/ingest/api/v1/capture-events", c.Ingest.APIKey, "Content-Encoding: gzip\r\n")
		half(t, s.Listen, "/admin/v1/environments", c.Admin.Key)
		slow := half(t, s.Listen, "/messaging/api/chat.postMessage", c.Messaging.BotToken)
		go func() { // progress, but never an end
			for t.Context().Err() == nil {
				if _, err := slow.Write([]byte(" ")); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		time.Sleep(300 * time.Millisecond)
	}
	for _, x := range [][2]string{{"POST", "/reset"}, {"POST", "/snapshots"}, {"POST", "/fork"}} {
		open()
		began := time.Now()
		reply, body := ask(t, x[0], s.URL+"/admin/v1/environments/default"+x[1], "{}", "Authorization: Bearer "+c.Admin.Key)
		if took := time.Since(began); reply.StatusCode > 201 || took > hung {
			t.Errorf("%s: %d after %s: %s", x[1], reply.StatusCode, took, body)
		}
	}
	if err := call(client, c.Messaging.BaseURL, c.Messaging.BotToken, "auth.test", nil, nil); err != nil {
		t.Errorf("an ordinary call after it: %v", err)
	}
	open()
	began := time.Now()
	if err := s.Stop(); err != nil || time.Since(began) > hung {
		t.Errorf("the end of the program: %v after %s", err, time.Since(began))
	}
}

// A body that makes no progress for 30 seconds is given up, on every service.
func TestABodyWithoutProgressIsClosed(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	var wg sync.WaitGroup
	for _, path := range []string{"/messaging/api/chat.postMessage", "/messaging/api/apps", "/messaging/mcp", "/crm/api/crm/v3/objects/contacts",
		"/tracker/graphql", "/tracker/mcp", "/ingest/api/v1/capture-event", "/admin/v1/environments", "/healthz"} {
		token := c.Messaging.UserToken
		if strings.HasPrefix(path, "/admin") {
			token = c.Admin.Key
		}
		conn := half(t, s.Listen, path, token)
		wg.Go(func() {
			began := time.Now()
			_ = conn.SetReadDeadline(began.Add(50 * time.Second))
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("%s: still open after %s: %v", path, time.Since(began), err)
			}
		})
	}
	wg.Wait()
}

// A broken percent escape is refused in the form of what was asked, everywhere.
func TestBrokenPercentEscapes(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	for path, holds := range map[string]string{
		"/messaging/api/conversations.info%zz":    `"ok":false`,
		"/messaging/api/conversations.info?a=%zz": `"ok":false`,
		"/messaging/api/workspaces/%":             `"message":`,
		"/crm/api/crm/v3/objects/%gg":             `"category":`,
		"/crm/api/crm/v3/objects/contacts?a=%":    `"category":`,
		"/tracker/api/organization%1":             `"error":"invalid_url"`,
		"/tracker/graphql%":                       `{`,
		"/ingest/api/v1/sessions/%2":              `"code":`,
		"/messaging/mcp%x":                        `{`,
		"/messaging/mcp?x=%x":                     `"jsonrpc"`,
		"/admin/v1/environments/%zz":              `"code":"invalid_url"`,
		"/e/default/crm/api/%zz":                  `"category":`,
	} {
		conn, err := net.Dial("tcp", s.Listen)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second on the same connection
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, c.Admin.Key)
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				break
			}
			body, _ := io.ReadAll(reply.Body)
			if reply.StatusCode != 400 || !json.Valid(body) || !strings.Contains(string(body), holds) {
				t.Errorf("%s: %d %s", path, reply.StatusCode, body)
			}
		}
		conn.Close()
	}
	if reply, _ := ask(t, "GET", s.URL+"/messaging/api/api.test?a=%25&b=%C3%A9", "", "Authorization: Bearer "+c.Messaging.BotToken); reply.StatusCode != 200 {
		t.Errorf("whole escapes: %d", reply.StatusCode)
	}
}

// The admin plane and the metrics have addresses of their own where they are given.
func TestAddressesForOperators(t *testing.T) {
	t.Parallel()
	admin, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s, c := server.New(t, "--admin-listen", admin, "--metrics-listen", metrics)
	if c.Admin.BaseURL != "http://"+admin+"/admin/v1" {
		t.Errorf("credentials.json names %s", c.Admin.BaseURL)
	}
	for url, want := range map[string]int{
		"http://" + admin + "/admin/v1/environments": 200, s.URL + "/admin/v1/environments": 404, "http://" + metrics + "/admin/v1/environments": 404,
		"http://" + metrics + "/metrics": 200, "http://" + metrics + "/healthz": 200, "http://" + admin + "/messaging/api/health": 404, s.URL + "/messaging/api/health": 200,
	} {
		if reply, body := ask(t, "GET", url, "", "Authorization: Bearer "+c.Admin.Key); reply.StatusCode != want {
			t.Errorf("%s: %d %.200s", url, reply.StatusCode, body)
		}
	}
}

// From another address than loopback the metrics need the admin key.
func TestMetricsAreForThisMachineAndTheAdmin(t *testing.T) {
	t.Parallel()
	var outside string
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			outside = ip.IP.String()
		}
	}
	if outside == "" {
		t.Skip("skipped: this machine has no address but loopback")
	}
	addr, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(addr)
	s, err := server.Start(server.Options{Dir: t.TempDir(), Listen: "0.0.0.0:" + port})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	c, err := s.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		host, key string
		want      int
	}{{"127.0.0.1", "", 200}, {outside, "", 401}, {outside, "wrong", 401}, {outside, c.Admin.Key, 200}} {
		headers := []string{}
		if x.key != "" {
			headers = append(headers, "Authorization: Bearer "+x.key)
		}
		if reply, _ := ask(t, "GET", "http://"+net.JoinHostPort(x.host, port)+"/metrics", "", headers...); reply.StatusCode != x.want {
			t.Errorf("from %s with key %t: %d", x.host, x.key != "", reply.StatusCode)
		}
	}
}

// What the admin plane does not know is refused by name, wherever it stands.
func TestUnknownMembersOfTheAdminPlane(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	base := s.URL + "/admin/v1/environments"
	for _, x := range []struct{ method, path, body, field, near string }{
		{"POST", "", `{"nme":"x"}`, "nme", "name"},
		{"POST", "", `{"rate_limit":"off"}`, "rate_limit", "rate_limits"},
		{"POST", "", `{"name":"x","quite_another_thing":1}`, "quite_another_thing", ""},
		{"GET", "?limt=1", "", "limt", "limit"},
		{"GET", "/default?limit=1", "", "limit", ""},
		{"PATCH", "/default", `{"ttl_second":1}`, "ttl_second", "ttl_seconds"},
		{"POST", "/default/reset", `{"hard":true}`, "hard", ""},
		{"POST", "/default/snapshots", `{"nmae":"x"}`, "nmae", "name"},
		{"GET", "/default/snapshots?curser=x", "", "curser", "cursor"},
		{"POST", "/default/restore", `{"snapshot":"x","snapsot":"y"}`, "snapsot", "snapshot"},
		{"POST", "/default/fork", `{"delivery":"off"}`, "delivery", ""},
		{"POST", "/default/clock", `{"advanced":"1s"}`, "advanced", "advance"},
		{"GET", "/default/diff?form=x", "", "form", "from"},
		{"GET", "/default/requests?services=crm", "", "services", "service"},
		{"GET", "/default/deliveries?state=failed", "", "state", ""},
		{"POST", "/default/seed?dryrun=true", "{}", "dryrun", "dry_run"},
		{"DELETE", "/default?force=1", "", "force", ""},
	} {
		reply, body := ask(t, x.method, base+x.path, x.body, "Authorization: Bearer "+c.Admin.Key)
		var got struct {
			Error struct {
				Code, Message, Field string
				Near                 string `json:"did_you_mean"`
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || reply.StatusCode != 400 || got.Error.Code != "unknown_member" || got.Error.Message == "" ||
			got.Error.Field != x.field || x.near != "" && got.Error.Near != x.near {
			t.Errorf("%s %s %s: %d %s", x.method, x.path, x.body, reply.StatusCode, body)
		}
	}
}
