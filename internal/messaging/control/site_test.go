package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/messaging"
	"understudy/internal/messaging/control"
	"understudy/internal/messaging/webapi"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const adminKey = "adm_test"

// site is messaging in one environment, as its HTTP handlers see it.
type site struct {
	t       testing.TB
	address string // of the client, when it matters
	handler http.Handler
	clock   *clock.Clock
	limits  atomic.Value // ratelimit.Setting
	changed atomic.Int64 // how often the credentials changed
	service *messaging.Service
	def     messaging.Provisioned
	seen    func(path, body string, r reply) // is called with every exchange, when set
}

var schemas = []store.Schema{auth.Schema(), outbox.Schema(), messaging.Schema()}

// onSites runs a test on each database, with a site of its own.
func onSites(t *testing.T, test func(t *testing.T, s *site)) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) { test(t, newSite(t, w, "lineage")) })
}

func newSite(t testing.TB, w *store.World, lineage string) *site {
	t.Helper()
	s := &site{t: t, clock: clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	s.limits.Store(ratelimit.Setting(1))
	log := slog.New(slog.NewTextHandler(testLog{s}, nil))
	source, secrets, b := ids.Random(), ids.NewSecrets([]byte("root"), lineage), &bus.Bus{}
	a := auth.New(w, s.clock, source, b, secrets)
	limiter := ratelimit.NewMemory(s.clock, func() ratelimit.Setting { return s.limits.Load().(ratelimit.Setting) })
	s.service = messaging.New(w, messaging.Deps{Clock: s.clock, IDs: source, Secrets: secrets, Auth: a, Outbox: outbox.New(outbox.Deps{World: w, Clock: s.clock, Bus: b, Log: log}), Log: log,
		WorkspaceURL: func(domain string) string { return "https://" + domain + ".example/" }})
	t.Cleanup(s.service.Close)
	data := webapi.NewHandler(s.service, a, limiter, log)
	plane := control.NewHandler(control.Deps{Service: s.service, Auth: a, Log: log, Limiter: limiter,
		CheckAdminKey: func(_, text string) (bool, error) { return text == adminKey, nil }, BaseURL: func() string { return "http://site/messaging" },
		BotScopes: webapi.BotScopes, UserScopes: webapi.UserScopes, CredentialsChanged: func() { s.changed.Add(1) }, Client: outbound.New(true)})
	s.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if webapi.Method(r.URL.Path) != "" {
			data.ServeHTTP(rw, r)
			return
		}
		plane.ServeHTTP(rw, r)
	})
	if err := s.service.Provision(context.Background(), webapi.BotScopes, webapi.UserScopes); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.def, err = s.service.Default(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// testLog fails a test that has something logged as an error.
type testLog struct{ s *site }

func (l testLog) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("level=ERROR")) {
		l.s.t.Errorf("logged: %s", b)
	}
	return len(b), nil
}

// reply is what came back.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   map[string]any
	raw    string
}

// uuid is what no payload of the service contains.
var uuid = regexp.MustCompile(`"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"`)

// send sends a raw body, as JSON unless a header says otherwise.
func (s *site) send(method, path, token, body string, header ...string) reply {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://site"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if s.address != "" {
		r.RemoteAddr = s.address + ":1234"
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	out := reply{t: s.t, what: method + " " + path, status: w.Code, header: w.Header(), raw: w.Body.String()}
	_ = json.Unmarshal(w.Body.Bytes(), &out.body)
	if found := uuid.FindString(out.raw); found != "" {
		s.t.Errorf("%s: the reply has a UUID, %s: %s", out.what, found, out.raw)
	}
	if s.seen != nil {
		s.seen(path, body, out)
	}
	return out
}

type object = map[string]any

// call sends JSON; a nil body sends none.
func (s *site) call(method, path, token string, body any) reply {
	s.t.Helper()
	if body == nil {
		return s.send(method, path, token, "")
	}
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(method, path, token, string(b))
}

// is checks the status, and the code of a refusal.
func (r reply) is(status int, code ...string) reply {
	r.t.Helper()
	if r.status != status || len(code) > 0 && r.body["error"] != code[0] {
		r.t.Fatalf("%s: %d %s, want %d %v", r.what, r.status, r.raw, status, code)
	}
	if status >= 400 {
		if _, ok := r.body["message"].(string); !ok || r.body["error"] == "" {
			r.t.Fatalf("%s: a refusal without error and message: %s", r.what, r.raw)
		}
	}
	return r
}

// at returns the text at a path of members, "" when there is none.
func (r reply) at(path string) string {
	var v any = r.body
	for _, name := range strings.Split(path, ".") {
		m, _ := v.(object)
		v = m[name]
	}
	text, _ := v.(string)
	return text
}

func (r reply) list(name string) []any {
	l, _ := r.body[name].([]any)
	return l
}

// person is someone with an account, and a user id once they have joined.
type person struct{ email, account, refresh, token, user string }

const password = "correct horse"

func (s *site) signUp(email string) person {
	s.t.Helper()
	r := s.call("POST", "/api/auth/signup", "", object{"email": email, "password": password, "name": "Pat"}).is(201)
	return person{email: email, account: r.at("account.id"), refresh: r.at("refresh_token"), token: r.at("access_token")}
}

func (s *site) member(email string) person {
	s.t.Helper()
	p := s.signUp(email)
	r := s.call("POST", "/api/workspaces/"+s.def.Workspace.ID+"/join", p.token, nil).is(200)
	p.token, p.user = r.at("access_token"), r.at("user.id")
	return p
}

// admin is the default user token.
func (s *site) admin() string { return s.def.Secrets.UserToken }

// works reports whether the data plane accepts a token, and as whom.
func (s *site) works(token string) (user, team string, ok bool) {
	r := s.call("POST", "/api/auth.test", token, nil)
	return r.at("user_id"), r.at("team_id"), r.body["ok"] == true
}
