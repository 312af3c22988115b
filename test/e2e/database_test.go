package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/server"
)

// While PostgreSQL hangs every service says within some seconds that it is not
// available, in its own form and with the time to try again; afterwards all is well.
func TestAHangingDatabase(t *testing.T) {
	postgres := server.OwnPostgres(t)
	s, c := server.New(t, "--database", postgres.URL, "--rate-limits", "off")
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
	calls := []struct{ method, path, token, body, holds string }{
		{"POST", "/messaging/api/chat.postMessage", c.Messaging.BotToken, `{"channel":"general","text":"x"}`, `"ok":false`},
		{"POST", "/messaging/api/apps", c.Messaging.UserToken, `{"manifest":{"display_information":{"name":"x"}}}`, `"error":"`},
		{"POST", "/crm/api/crm/v3/objects/contacts", rest.CRM.Token, `{"properties":{"firstname":"x"}}`, `"category":"`},
		{"GET", "/crm/api/crm/v3/objects/contacts", rest.CRM.Token, "", `"category":"`},
		{"POST", "/tracker/graphql", rest.Tracker.Key, `{"query":"{ teams { nodes { id } } }"}`, `"errors":[`},
		{"POST", "/tracker/graphql", rest.Tracker.Key, `{"query":"mutation { teamCreate(input: {name: \"x\"}) { success } }"}`, `"errors":[`},
		{"POST", "/ingest/api/v1/capture-session", c.Ingest.APIKey, `{"session_id":"0198a5e2-7a0e-7c3e-9a51-0f2b8c6d4e11","user_data":{"user_id":"u"}}`, `"code":"`},
		{"GET", "/admin/v1/environments", c.Admin.Key, "", `"code":"`},
	}
	patient := &http.Client{Timeout: 20 * time.Second}
	run := func(i int) (int, string, http.Header) {
		x := calls[i%len(calls)]
		r, err := http.NewRequest(x.method, s.URL+x.path, strings.NewReader(x.body))
		if err != nil {
			t.Error(err)
			return 0, "", nil
		}
		r.Header.Set("Authorization", "Bearer "+x.token)
		r.Header.Set("X-Api-Key", x.token)
		if strings.HasPrefix(x.path, "/tracker") {
			r.Header.Set("Authorization", x.token)
		}
		r.Header.Set("Content-Type", "application/json")
		reply, err := patient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", x.path, err)
			return 0, "", nil
		}
		defer reply.Body.Close()
		var body json.RawMessage
		if err := json.NewDecoder(reply.Body).Decode(&body); err != nil {
			t.Errorf("%s: %d: %v", x.path, reply.StatusCode, err)
		}
		return reply.StatusCode, string(body), reply.Header
	}
	for i, x := range calls {
		if status, body, _ := run(i); status >= 300 {
			t.Fatalf("%s before: %d %s", x.path, status, body)
		}
	}
	if status, body := get(t, client, s.URL+"/readyz"); status != http.StatusOK {
		t.Errorf("/readyz before: %d %s", status, body)
	}
	if err := postgres.Pause(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var wg sync.WaitGroup
	for i := range 5 * len(calls) {
		wg.Go(func() {
			status, body, header := run(i)
			if x := calls[i%len(calls)]; status != http.StatusServiceUnavailable || !strings.Contains(body, x.holds) || header.Get("Retry-After") == "" {
				t.Errorf("%s %s: %d, Retry-After %q, %s", x.method, x.path, status, header.Get("Retry-After"), body)
			}
		})
	}
	asked := time.Now()
	if status, body := get(t, client, s.URL+"/readyz"); status != http.StatusServiceUnavailable || time.Since(asked) > 3*time.Second {
		t.Errorf("/readyz: %d %s after %s", status, body, time.Since(asked))
	}
	wg.Wait()
	took := time.Since(began)
	t.Logf("the last reply came after %s", took)
	if took > 12*time.Second {
		t.Error("which is too late")
	}
	if err := postgres.Resume(); err != nil {
		t.Fatal(err)
	}
	resumed := time.Now()
	var last string
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		ready, _ := get(t, client, s.URL+"/readyz")
		if last = fmt.Sprint("/readyz: ", ready); ready != http.StatusOK {
			continue
		}
		last = ""
		for i, x := range calls {
			if status, body, _ := run(i); status >= 500 {
				last = fmt.Sprint(x.path, ": ", status, " ", body)
			}
		}
		if last == "" {
			break
		}
	}
	t.Logf("all was well %s after it", time.Since(resumed))
	if last != "" {
		t.Errorf("after it: %s", last)
	}
}

// A second process on one database is refused in one line, and the first goes on.
func TestASecondProcessOnADatabase(t *testing.T) {
	t.Parallel()
	url := server.Postgres(t)
	s, c := server.New(t, "--database", url)
	addr, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	status, _, stderr := run(t, nil, "serve", "--listen", addr, "--data", t.TempDir(), "--database", url)
	if status != 1 || !strings.Contains(stderr, "another understudy uses this database") {
		t.Errorf("status %d, %q", status, stderr)
	}
	oneLine(t, stderr)
	if err := call(client, s.URL+"/messaging", c.Messaging.BotToken, "auth.test", nil, nil); err != nil {
		t.Error(err)
	}
}
