package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"understudy/internal/app/apptest"
)

// logged is a test that keeps what the program logs as an error.
type logged struct {
	testing.TB
	mu    sync.Mutex
	lines []string
}

func (l *logged) Log(args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprint(args...))
}

// An answer that a fault rule orders is no failure of the program.
func TestNoFailureIsLoggedForWhatAFaultRuleOrders(t *testing.T) {
	log := &logged{TB: t}
	s := apptest.Start(log)
	key := s.Credential("admin", "key")
	const faults = "/admin/v1/environments/default/faults"
	messaging, tracker, ingest := s.Credential("messaging", "base_url"), s.Credential("tracker", "base_url"), s.Credential("ingest", "base_url")
	_, hook := s.Call("POST", messaging+"/api/webhooks/incoming", s.Credential("messaging", "user_token"), object{"channel": "general"})
	for _, status := range []int{500, 502, 503} {
		for _, do := range []string{"error", "error_after"} {
			if got, reply := s.Call("POST", faults, key, object{"id": "it", "on": "request", "do": object{do: object{"status": status}}}); got != 201 {
				t.Fatalf("%d %v", got, reply)
			}
			asked := [][3]string{
				{"GET", s.Credential("crm", "base_url") + "/api/crm/v3/objects/contacts", s.Credential("crm", "access_token")},
				{"POST", messaging + "/api/auth.test", s.Credential("messaging", "bot_token")},
				{"GET", messaging + "/api/webhooks/outgoing", s.Credential("messaging", "user_token")},
				{"POST", fmt.Sprint(hook["url"]), ""},
				{"POST", tracker + "/graphql", s.Credential("tracker", "api_key")},
				{"GET", tracker + "/api/organization", s.Credential("tracker", "api_key")},
				{"GET", ingest + "/api/v1/sessions", s.Credential("ingest", "api_key")},
				{"POST", ingest + "/v1/traces", s.Credential("ingest", "api_key")},
			}
			for _, q := range asked {
				if got, reply := s.Call(q[0], q[1], q[2], object{"query": "{viewer{id}}", "text": "a"}); got < 500 && reply["ok"] != false {
					t.Errorf("%s %s answers %d %v, want what the rule orders", q[0], q[1], got, reply)
				}
			}
			if _, rule := s.Call("GET", faults+"/it", key, nil); rule["fired"] != float64(len(asked)) {
				t.Errorf("%s %d fired %v times, want %d", do, status, rule["fired"], len(asked))
			}
			s.Call("DELETE", faults, key, nil)
		}
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if len(log.lines) > 0 {
		t.Errorf("the program logs errors:\n%s", strings.Join(log.lines, "\n"))
	}
}
