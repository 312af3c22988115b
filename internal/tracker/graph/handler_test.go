package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/tracker"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// desk is an endpoint with an organization, a key for its owner and a team.
type desk struct {
	testing.TB
	h     *Handler
	t     *tracker.Tracker
	p     *auth.Principal
	team  string
	clock *clock.Clock
	world *store.World
}

const deskKey = "trk_api_test"

var schemas = []store.Schema{auth.Schema(), outbox.Schema(), tracker.Schema()}

func newDesk(t testing.TB, w *store.World, limits ratelimit.Setting) *desk {
	t.Helper()
	c, b := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), &bus.Bus{}
	source := ids.Seeded(1, 0)
	a := auth.New(w, c, source, b, ids.NewSecrets([]byte("k"), "l"))
	tr := tracker.New(w, tracker.Deps{Clock: c, IDs: source, Box: ids.NewBox(nil, "test"), Outbox: outbox.New(outbox.Deps{World: w, Clock: c, Bus: b, Log: slog.New(slog.DiscardHandler)}), Auth: a, BaseURL: func() string { return "http://tracker" }})
	h := NewHandler(Deps{Tracker: tr, Log: slog.New(slog.DiscardHandler),
		Limiter: ratelimit.NewMemory(c, func() ratelimit.Setting { return limits })})
	err := tr.Provision(context.Background(), tracker.Provision{Key: deskKey, Organization: tracker.CreateOrganization{
		Name: "Acme", URLKey: "acme", Account: auth.Account{Email: "ann@acme.test", Name: "Ann"}}})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{TB: t, h: h, t: tr, clock: c, world: w}
	if d.p, err = a.Resolve(context.Background(), tracker.Service, deskKey); err != nil {
		t.Fatal(err)
	}
	team, err := tr.CreateTeam(context.Background(), d.p, tracker.CreateTeam{Name: opt.Some("Engineering"), Key: opt.Some("ENG")})
	if err != nil {
		t.Fatal(err)
	}
	d.team = team.EntityID
	return d
}

// fill makes issues with labels, an assignee and a description.
func (d *desk) fill(n int) {
	d.Helper()
	label, err := d.t.CreateLabel(context.Background(), d.p, tracker.WriteLabel{Name: opt.Some("Bug")})
	if err != nil {
		d.Fatal(err)
	}
	for ; n > 0; n -= 50 {
		var in []tracker.WriteIssue
		for i := range min(n, 50) {
			d.clock.Advance(time.Millisecond)
			in = append(in, tracker.WriteIssue{Team: opt.Some(d.team), Title: opt.Some(fmt.Sprintf("Issue %d of a page", i)), Assignee: opt.Some(d.p.Subject),
				Labels: opt.Some([]string{label.EntityID}), Description: opt.Some("What is wrong, and how to see it."), Priority: opt.Some(i % 5)})
		}
		if _, err := d.t.CreateIssues(context.Background(), d.p, in); err != nil {
			d.Fatal(err)
		}
	}
}

func (d *desk) post(body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Authorization", deskKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	d.h.ServeHTTP(w, r)
	return w
}

// ask runs a document and returns its data; errors fail the test.
func (d *desk) ask(query string, variables map[string]any) map[string]any {
	d.Helper()
	body, _ := json.Marshal(map[string]any{"query": query, "variables": variables})
	w := d.post(body)
	var reply struct {
		Data   map[string]any
		Errors []any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || w.Code != http.StatusOK || reply.Errors != nil {
		d.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	return reply.Data
}

// small is what a hand-written client asks for.
const small = `{"query":"{ issues(first: 50) { nodes { id identifier title priority state { name } assignee { name } } } }"}`

func BenchmarkIssues(b *testing.B) {
	large, err := os.ReadFile("testdata/issues.json")
	if err != nil {
		b.Fatal(err)
	}
	for name, body := range map[string][]byte{"client": large, "small": []byte(small)} {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b, storetest.SQLite(b, schemas), 0)
			d.fill(1000)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if w := d.post(body); w.Code != http.StatusOK {
						b.Fatal(w.Body)
					}
				}
			})
		})
	}
}

func BenchmarkIssueCreate(b *testing.B) {
	d := newDesk(b, storetest.SQLite(b, schemas), 0)
	body, _ := json.Marshal(map[string]any{
		"query":     `mutation createIssue($input: IssueCreateInput!) { issueCreate(input: $input) { __typename lastSyncId issue { id } success } }`,
		"variables": map[string]any{"input": map[string]any{"teamId": d.team, "title": "One of many"}},
	})
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if w := d.post(body); w.Code != http.StatusOK {
				b.Fatal(w.Body)
			}
		}
	})
}
