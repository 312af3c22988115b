package graph

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// Callers see nothing of an internal error; the environment's log has it.
func TestInternalErrorsGoToTheLog(t *testing.T) {
	both(t, 0, func(d *desk) {
		var log bytes.Buffer
		d.h.d.Log = slog.New(slog.NewTextHandler(&log, nil))
		err := d.world.Write(d.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("DROP TABLE tracker_project_status")
			return err
		})
		if err != nil {
			d.Fatal(err)
		}
		s := d.refuse(`{ projectStatuses { nodes { id } } }`)
		if e := s.Errors[0]; e.Extensions["type"] != "internal error" || strings.Contains(e.Message, "tracker_project_status") {
			d.Errorf("%+v", s)
		}
		if !strings.Contains(log.String(), "tracker_project_status") {
			d.Errorf("the log says %q", log.String())
		}
	})
}

// Replies are written into memory that later replies use again. What is recorded
// of them does not change.
func TestRecordedRepliesStayAsTheyWere(t *testing.T) {
	both(t, 0, func(d *desk) {
		d.fill(3)
		rec := record.New(clock.System())
		var sent []string
		for i := range 3 {
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(fmt.Sprintf(`{"query":"{ issues(first: 1) { nodes { a%d: title } } }"}`, i)))
			r.Header.Set("Authorization", deskKey)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			tap := record.NewTap(w, r)
			d.h.ServeHTTP(tap, r)
			rec.Add(tap, record.Request{})
			sent = append(sent, w.Body.String())
		}
		for i, recorded := range rec.All() {
			if got := string(recorded.Reply); got != sent[i] || !strings.Contains(got, fmt.Sprintf(`"a%d"`, i)) {
				d.Errorf("the reply %s is now %s", sent[i], got)
			}
		}
	})
}

// Every reply to a known caller has the six headers, whatever became of the request.
func TestLimitsAreOnEveryReply(t *testing.T) {
	both(t, 1, func(d *desk) {
		spent := regexp.MustCompile(`^\d+$`)
		shown := func(w *httptest.ResponseRecorder, body string, status int) *httptest.ResponseRecorder {
			d.Helper()
			if w.Code != status {
				d.Errorf("%.60s: %d %s", body, w.Code, w.Body)
			}
			for _, name := range []string{"Requests-Limit", "Requests-Remaining", "Requests-Reset", "Complexity-Limit", "Complexity-Remaining", "Complexity-Reset"} {
				if got := w.Header().Get("X-RateLimit-" + name); !spent.MatchString(got) || strings.HasSuffix(name, "Reset") && len(got) != 13 {
					d.Errorf("%.60s: %s is %q", body, name, got)
				}
			}
			return w
		}
		check := func(body string, status int) *httptest.ResponseRecorder {
			d.Helper()
			return shown(d.post([]byte(body)), body, status)
		}
		for method, status := range map[string]int{http.MethodGet: 405, http.MethodPost: 415} {
			r := httptest.NewRequest(method, "/graphql", strings.NewReader("query={viewer{id}}"))
			r.Header.Set("Authorization", deskKey)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			d.h.ServeHTTP(w, r)
			shown(w, method, status)
		}
		check(`{"query":"{ viewer { id } }"}`, 200)
		check(`{"query":"{ issue(id: \"ENG-9\") { id } }"}`, 200)
		check(`{"query":"{ nonsense }"}`, 400)
		check(`{"query":"{"}`, 400)
		check(`{`, 400)
		check(`{"query":"{ issues(first: 250) { nodes { comments(first: 250) { nodes { body } } } } }"}`, 400)
		check(`{"query":"mutation { issueCreate(input: {teamId: \"x\", title: \"x\"}) { success } }"}`, 400)
		for range 5000 {
			if w := d.post([]byte(`{`)); w.Header().Get("X-RateLimit-Requests-Remaining") == "0" {
				break
			}
		}
		w := check(`{"query":"{ viewer { id } }"}`, 400)
		if !strings.Contains(w.Body.String(), `"RATELIMITED"`) || w.Header().Get("Retry-After") == "" {
			d.Errorf("%s", w.Body)
		}
		d.clock.Advance(2e9) // nanoseconds: one request comes back every 0.72 seconds
		check(`{"query":"{ viewer { id } }"}`, 200)
	})
}

// A caller who has spent the three million points of an hour is refused before
// anything is loaded.
func TestPointsRunOut(t *testing.T) {
	both(t, 1, func(d *desk) {
		d.fill(50)
		large := []byte(`{"query":"{ issues(first: 250) { nodes { id title labels(first: 5) { nodes { id name } } } } }"}`) // 1,800 points
		w := d.post(large)
		if w.Code != http.StatusOK {
			d.Fatal(w.Body)
		}
		d.h.d.Limiter.Take(limitKey(d.p), pointBudget, 2_999_000)
		w = d.post(large)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "RATELIMITED") {
			d.Errorf("%d %s", w.Code, w.Body)
		}
		left := w.Header().Get("X-RateLimit-Complexity-Remaining")
		if w = d.post([]byte(`{"query":"{ viewer { id } }"}`)); w.Code != http.StatusOK {
			d.Errorf("a small request is refused with %s points left: %s", left, w.Body)
		}
	})
}
