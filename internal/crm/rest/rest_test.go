package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/internal/crm"
	"understudy/internal/crm/rest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var (
	start   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	schemas = []store.Schema{auth.Schema(), crm.Schema()}
)

// world is a CRM with two portals, behind its wire.
type world struct {
	t        testing.TB
	handler  http.Handler
	crm      *crm.CRM
	clock    *clock.Clock
	limiter  ratelimit.Limiter
	token    string // of the first portal
	other    string // of the second
	password string
	check    func(method, path string, status int, body []byte) // looks at every reply
	date     string                                             // calls go to the dated form of their paths, where there is one
}

func newWorld(t testing.TB, w *store.World, limits ratelimit.Setting) *world {
	t.Helper()
	c := clock.At(start)
	source := ids.Seeded(1, 0)
	secrets := ids.NewSecrets([]byte("root"), "lineage")
	a := auth.New(w, c, source, &bus.Bus{}, secrets)
	service := crm.New(w, crm.Deps{Clock: c, IDs: source, Secrets: secrets, Auth: a, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(service.Close)
	out := &world{t: t, crm: service, clock: c, token: "pat-na1-first", other: "pat-na1-second"}
	portal := func(name, token string) crm.Portal {
		p, _, err := service.CreatePortal(context.Background(), crm.NewPortal{Name: name, Email: name + "@example.com", FirstName: "Ann", LastName: name,
			PasswordHash: auth.DerivedPassword(name), Token: token})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := portal("first", out.token)
	portal("second", out.other)
	out.password = a.DerivedPasswordText("first")
	if err := service.RegisterClient(context.Background(), crm.Client{ID: "client", Portal: first.ID, App: 7, Name: "App", Secret: "secret"}); err != nil {
		t.Fatal(err)
	}
	out.limiter = ratelimit.NewMemory(c, func() ratelimit.Setting { return limits })
	out.handler = rest.NewHandler(rest.Deps{CRM: service, Auth: a, IDs: source, Clock: c, Limiter: out.limiter, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	return out
}

// send makes a request with a token; body is JSON text or "".
func (w *world) send(token, method, path, body string) (int, []byte, http.Header) {
	w.t.Helper()
	path = w.dated(path)
	r := httptest.NewRequest(method, "http://crm.test/api"+path, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if w.check != nil {
		w.check(method, path, rec.Code, rec.Body.Bytes())
	}
	return rec.Code, rec.Body.Bytes(), rec.Header()
}

var datedForms = []struct {
	undated *regexp.Regexp
	dated   string
}{
	{regexp.MustCompile(`^/crm/v3/(objects/[^/]+/[^/]+/associations/.*|associations/.*)$`), ""},
	{regexp.MustCompile(`^/crm/v[34]/(objects|associations|properties|pipelines|owners)(.*)$`), "/crm/$1/DATE$2"},
	{regexp.MustCompile(`^/(account-info|crm-object-schemas)/v3/(details|api-usage|schemas)(.*)$`), "/$1/DATE/$2$3"},
}

// dated returns the dated form of a path, if calls go there and it has one.
func (w *world) dated(path string) string {
	for _, f := range datedForms {
		if w.date != "" && f.undated.MatchString(path) {
			if f.dated == "" {
				return path
			}
			return strings.Replace(f.undated.ReplaceAllString(path, f.dated), "DATE", w.date, 1)
		}
	}
	return path
}

// do makes a request of the first portal, which must be answered with a status, and decodes the reply.
func (w *world) do(status int, method, path, body string) map[string]any {
	w.t.Helper()
	return w.as(w.token, status, method, path, body)
}

func (w *world) as(token string, status int, method, path, body string) map[string]any {
	w.t.Helper()
	code, reply, _ := w.send(token, method, path, body)
	if code != status {
		w.t.Fatalf("%s %s: %d, not %d: %s", method, path, code, status, reply)
	}
	if len(reply) == 0 {
		return nil
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(reply))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		w.t.Fatalf("%s %s: %v in %s", method, path, err, reply)
	}
	return out
}

// create makes a record of the first portal and returns its id.
func (w *world) create(objects, properties string) string {
	w.t.Helper()
	return w.do(201, "POST", "/crm/v3/objects/"+objects, `{"properties":`+properties+`}`)["id"].(string)
}

// names returns a property of each result, with blanks between.
func names(reply map[string]any, property string) string {
	var out []string
	for _, r := range reply["results"].([]any) {
		out = append(out, fmt.Sprint(r.(map[string]any)["properties"].(map[string]any)[property]))
	}
	return strings.Join(out, " ")
}

func run(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, sw *store.World) { test(t, newWorld(t, sw, 0)) })
}
