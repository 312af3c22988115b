package push

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/outbound"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
	"understudy/internal/tracker"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// arrival is a delivery as the receiver got it.
type arrival struct {
	head http.Header
	body []byte
}

// receiver is an HTTP server that answers each delivery with the status it is set to.
type receiver struct {
	url    string
	mu     sync.Mutex
	status int
	got    []arrival
}

func listen(t *testing.T) *receiver {
	r := &receiver{status: http.StatusOK}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, arrival{req.Header, body})
		w.WriteHeader(r.status)
	}))
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// after waits for the n-th delivery and returns it.
func (r *receiver) after(t *testing.T, n int) arrival {
	t.Helper()
	for began := clock.Real(); ; time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		if len(r.got) >= n {
			defer r.mu.Unlock()
			return r.got[n-1]
		}
		r.mu.Unlock()
		if clock.Real().Sub(began) > 10*time.Second {
			t.Fatalf("delivery %d did not come", n)
		}
	}
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// studio is an organization whose events are delivered.
type studio struct {
	*testing.T
	t     *tracker.Tracker
	p     *auth.Principal
	clock *clock.Clock
}

func both(t *testing.T, test func(s *studio)) {
	storetest.Run(t, []store.Schema{auth.Schema(), outbox.Schema(), tracker.Schema()}, func(t *testing.T, w *store.World) {
		c, b, log := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), &bus.Bus{}, slog.New(slog.DiscardHandler)
		source := ids.Seeded(1, 0)
		a := auth.New(w, c, source, b, ids.NewSecrets([]byte("k"), "l"))
		o := outbox.New(outbox.Deps{World: w, Clock: c, Bus: b, Client: outbound.New(true), Log: log})
		s := &studio{T: t, clock: c, t: tracker.New(w, tracker.Deps{Clock: c, IDs: source, Box: ids.NewBox(nil, "test"), Outbox: o, Auth: a, BaseURL: func() string { return "http://tracker" }})}
		o.Deliver(tracker.Service, Deliveries(s.t, log))
		s.must(o.Start(context.Background()))
		t.Cleanup(o.Close)
		s.must(s.t.Provision(context.Background(), tracker.Provision{Key: "trk_api_test", Organization: tracker.CreateOrganization{
			Name: "Acme", URLKey: "acme", Account: auth.Account{Email: "ann@acme.test", Name: "Ann"}}}))
		var err error
		s.p, err = a.Resolve(context.Background(), tracker.Service, "trk_api_test")
		s.must(err)
		test(s)
	})
}

func (s *studio) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *studio) team(key string) string {
	s.Helper()
	c, err := s.t.CreateTeam(context.Background(), s.p, tracker.CreateTeam{Name: opt.Some(key), Key: opt.Some(key)})
	s.must(err)
	return c.EntityID
}

func (s *studio) issue(team, title string) string {
	s.Helper()
	c, err := s.t.CreateIssue(context.Background(), s.p, tracker.WriteIssue{Team: opt.Some(team), Title: opt.Some(title)})
	s.must(err)
	return c.EntityID
}

func (s *studio) hook(in tracker.WriteWebhook) *tracker.Webhook {
	s.Helper()
	c, err := s.t.CreateWebhook(context.Background(), s.p, in)
	s.must(err)
	return c.Entity
}

// A delivery that is refused is tried again after a minute, an hour and six
// hours, each time signed for its moment, and then no more.
func TestRetries(t *testing.T) {
	both(t, func(s *studio) {
		r := listen(s.T)
		hook := s.hook(tracker.WriteWebhook{URL: opt.Some(r.url), Secret: opt.Some("hush")})
		r.answer(http.StatusInternalServerError)
		s.issue(s.team("ENG"), "Told of")
		first := r.after(s.T, 1)
		for n, wait := range []time.Duration{time.Minute, time.Hour, 6 * time.Hour} {
			s.clock.Advance(wait - time.Second)
			time.Sleep(50 * time.Millisecond)
			if r.count() != n+1 {
				s.Fatalf("attempt %d came before %v had passed", n+2, wait)
			}
			s.clock.Advance(2 * time.Second)
			again := r.after(s.T, n+2)
			if again.head.Get("Tracker-Delivery") != first.head.Get("Tracker-Delivery") {
				s.Errorf("attempt %d has another id", n+2)
			}
			var body struct {
				WebhookTimestamp int64
				WebhookID        string
			}
			s.must(json.Unmarshal(again.body, &body))
			if age := clock.Real().UnixMilli() - body.WebhookTimestamp; age < 0 || age > 10_000 || body.WebhookID != hook.ID {
				s.Errorf("attempt %d: %+v, %d ms old", n+2, body, age)
			}
			if want := Sign("hush", again.body); again.head.Get("Tracker-Signature") != want || again.head.Get("Linear-Signature") != want {
				s.Errorf("attempt %d is not signed for what it holds", n+2)
			}
		}
		s.clock.Advance(48 * time.Hour)
		time.Sleep(100 * time.Millisecond)
		if n := r.count(); n != 4 {
			s.Errorf("%d attempts", n)
		}
	})
}

// A webhook receives events of the types that it names, of its team alone, with
// the address of the entity unless that is deleted.
func TestScopes(t *testing.T) {
	both(t, func(s *studio) {
		ctx := context.Background()
		mine, other := s.team("ENG"), s.team("OPS")
		byTeam, byType := listen(s.T), listen(s.T)
		s.hook(tracker.WriteWebhook{URL: opt.Some(byTeam.url), Team: opt.Some("ENG"), ResourceTypes: opt.Some([]string{"Issue", "Comment"})})
		s.hook(tracker.WriteWebhook{URL: opt.Some(byType.url), ResourceTypes: opt.Some([]string{"IssueLabel", "Project"})})
		s.issue(other, "Elsewhere")
		id := s.issue(mine, "Here / now")
		_, err := s.t.CreateComment(ctx, s.p, tracker.CreateComment{Issue: id, Body: "Said"})
		s.must(err)
		_, err = s.t.CreateLabel(ctx, s.p, tracker.WriteLabel{Name: opt.Some("Red")})
		s.must(err)
		_, err = s.t.CreateProject(ctx, s.p, tracker.WriteProject{Name: opt.Some("Alpha"), Teams: opt.Some([]string{mine})})
		s.must(err)
		_, err = s.t.DeleteIssue(ctx, s.p, id, false)
		s.must(err)

		seen := func(r *receiver, n int) map[string]string {
			r.after(s.T, n)
			time.Sleep(50 * time.Millisecond)
			out := map[string]string{}
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, a := range r.got {
				var e struct{ Action, Type, URL string }
				s.must(json.Unmarshal(a.body, &e))
				if a.head.Get("Tracker-Event") != e.Type {
					s.Errorf("%s comes as %s", e.Type, a.head.Get("Tracker-Event"))
				}
				out[e.Type+" "+e.Action] = e.URL
			}
			return out
		}
		got := seen(byTeam, 3)
		if len(got) != 3 || got["Issue create"] != "http://tracker/acme/issue/ENG-1/here-now" || got["Issue remove"] != "" {
			s.Errorf("%v", got)
		}
		if url := got["Comment create"]; len(url) != len("http://tracker/acme/issue/ENG-1#comment-12345678") {
			s.Errorf("the comment's address is %q", url)
		}
		got = seen(byType, 2)
		if _, ok := got["IssueLabel create"]; !ok || len(got) != 2 || got["Project create"] == "" {
			s.Errorf("%v", got)
		}
	})
}
