package app_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// signIn is one way to sign in with a password.
type signIn struct {
	name    string
	attempt func(c *http.Client, password string) (*http.Response, error)
	right   string
	success int
}

func signIns(s *apptest.Server) []signIn {
	login := func(service, email string) func(*http.Client, string) (*http.Response, error) {
		return func(c *http.Client, password string) (*http.Response, error) {
			body := `{"email": "` + email + `", "password": "` + password + `"}`
			return c.Post(s.URL+"/"+service+"/api/auth/login", "application/json", strings.NewReader(body))
		}
	}
	consent := s.URL + "/crm/oauth/authorize?" + url.Values{"client_id": {s.Credential("crm", "client_id")}, "redirect_uri": {"http://127.0.0.1/back"}}.Encode()
	return []signIn{
		{"messaging", login("messaging", s.Credential("messaging", "admin_email")), s.Credential("messaging", "admin_password"), 200},
		{"crm", login("crm", s.Credential("crm", "user_email")), s.Credential("crm", "user_password"), 200},
		{"tracker", login("tracker", s.Credential("tracker", "user_email")), s.Credential("tracker", "user_password"), 200},
		{"crm consent", func(c *http.Client, password string) (*http.Response, error) {
			return c.PostForm(consent, url.Values{"email": {s.Credential("crm", "user_email")}, "password": {password}})
		}, s.Credential("crm", "user_password"), 303},
	}
}

// from returns a client whose requests come from an address of this machine.
func from(t *testing.T, address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	tr := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, addr)
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Timeout: 20 * time.Second, Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestEveryServiceThrottlesFailedSignIns(t *testing.T) {
	s := apptest.Start(t)
	for i, way := range signIns(s) { // failures count by address: each way has two of its own
		t.Run(way.name, func(t *testing.T) {
			status := func(c *http.Client, password string, want int) http.Header {
				t.Helper()
				r, err := way.attempt(c, password)
				if err != nil {
					t.Fatal(err)
				}
				_ = r.Body.Close()
				if r.StatusCode != want {
					t.Fatalf("status %d, want %d", r.StatusCode, want)
				}
				return r.Header
			}
			here, elsewhere := from(t, "127.0.1."+strconv.Itoa(i)), from(t, "127.0.2."+strconv.Itoa(i))
			for range 12 {
				status(here, way.right, way.success) // successes do not count
			}
			for range 10 {
				status(here, "wrong horse", 401)
			}
			wait, err := strconv.Atoi(status(here, way.right, 429).Get("Retry-After"))
			if err != nil || wait < 1 || wait > 60 {
				t.Errorf("Retry-After: %d, %v", wait, err)
			}
			status(elsewhere, way.right, way.success)
		})
	}
}

// Wrong keys are throttled, the right one is accepted whatever came before it:
// an agent that guesses on the runner's address cannot keep the runner from its
// verdict.
func TestWrongAdminKeysAreThrottledByAddress(t *testing.T) {
	s := apptest.Start(t)
	here, elsewhere := from(t, "127.0.0.1"), from(t, "127.0.0.2")
	call := func(c *http.Client, method, path, key string) *http.Response {
		t.Helper()
		r, err := http.NewRequest(method, s.URL+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		reply, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply
	}
	const list = "/admin/v1/environments"
	right := s.Credential("admin", "key")
	for range 150 { // no key is no attempt
		if r := call(here, "GET", list, ""); r.StatusCode != 401 {
			t.Fatalf("without a key: %d", r.StatusCode)
		}
	}
	doors := []struct{ method, path string }{{"GET", list}, {"POST", "/messaging/api/admin/provision"}, {"GET", "/ingest/api/v1/api-keys"}, {"GET", "/ingest/api/v1/tools"}}
	for i := range 100 {
		if r := call(here, doors[i%4].method, doors[i%4].path, "adm_wrong"); r.StatusCode != 401 {
			t.Fatalf("attempt %d at %s: %d", i, doors[i%4].path, r.StatusCode)
		}
	}
	for _, door := range doors {
		if r := call(here, door.method, door.path, "adm_wrong"); r.StatusCode != 429 || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s with a wrong key: %d, Retry-After %q", door.path, r.StatusCode, r.Header.Get("Retry-After"))
		}
		if r := call(here, door.method, door.path, right); r.StatusCode == 401 || r.StatusCode == 429 {
			t.Errorf("%s with the right key: %d", door.path, r.StatusCode)
		}
	}
	if r := call(elsewhere, "GET", list, right); r.StatusCode != 200 {
		t.Errorf("from another address: %d", r.StatusCode)
	}
	if r := call(here, "GET", "/ingest/api/v1/tools", s.Credential("ingest", "api_key")); r.StatusCode != 200 {
		t.Errorf("an ingestion key is no admin key: %d", r.StatusCode)
	}
}
