package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"understudy/internal/crm/rest"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store/storetest"
)

const contactsPage = "/crm/v3/objects/contacts?limit=1"

// Each tier has its window and its day, and says so on every reply.
func TestTiersHaveTheirLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t, schemas), 1)
	for _, c := range []struct {
		tier        string
		addOn       bool
		window, day string
	}{{"free", false, "100", "250000"}, {"starter", false, "100", "250000"}, {"professional", false, "190", "625000"},
		{"enterprise", false, "190", "1000000"}, {"free", true, "250", "1000000"}, {"enterprise", true, "250", "1000000"}} {
		token := w.do(201, "POST", "/account-info/v3/api-keys", fmt.Sprintf(`{"name":"k","tier":%q,"addOn":%v}`, c.tier, c.addOn))["token"].(string)
		code, reply, h := w.send(token, "GET", contactsPage, "")
		if code != 200 || h.Get("X-Crm-Ratelimit-Max") != c.window || h.Get("X-Crm-Ratelimit-Daily") != c.day || h.Get("X-Crm-Ratelimit-Interval-Milliseconds") != "10000" ||
			h.Get("X-Crm-Ratelimit-Remaining") == "" || h.Get("X-Crm-Ratelimit-Daily-Remaining") == "" {
			t.Errorf("%s, add-on %v: %d %v %s", c.tier, c.addOn, code, h, reply)
		}
	}
}

// A portal's day ends for all its tokens and begins again at midnight; another
// portal has a day of its own.
func TestTheDayOfAPortalEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t, schemas), 1)
	other := w.do(201, "POST", "/account-info/v3/api-keys", `{"name":"k"}`)["token"].(string)
	w.limiter.Take("crm/1", ratelimit.Policy{Name: "DAILY", Shape: ratelimit.Daily, Limit: 625_000}, 624_998)
	if code, _, h := w.send(w.token, "GET", contactsPage, ""); code != 200 || h.Get("X-Crm-Ratelimit-Daily-Remaining") != "0" {
		t.Fatalf("%d %v", code, h)
	}
	for _, token := range []string{w.token, other} {
		code, reply, h := w.send(token, "GET", contactsPage, "")
		var out map[string]any
		if err := json.Unmarshal(reply, &out); err != nil {
			t.Fatal(err)
		}
		if code != 429 || out["policyName"] != "DAILY" || out["errorType"] != "RATE_LIMIT" || out["category"] != "RATE_LIMIT" ||
			out["message"] != "You have reached your daily limit." || h.Get("Retry-After") == "" {
			t.Errorf("%d %s %v", code, reply, h)
		}
	}
	if code, reply, _ := w.send(w.other, "GET", contactsPage, ""); code != 200 {
		t.Errorf("the other portal: %d %s", code, reply)
	}
	w.clock.Advance(24 * time.Hour)
	w.do(200, "GET", contactsPage, "")
}

// Replies carry the limits under both families of names, and searches may have a limit of their own.
func TestLimitsUnderBothNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t, schemas), 1)
	_, _, h := w.send(w.token, "GET", contactsPage, "")
	for _, name := range []string{"Max", "Remaining", "Interval-Milliseconds", "Daily", "Daily-Remaining"} {
		if ours, theirs := h.Get("X-Crm-RateLimit-"+name), h.Get("X-HubSpot-RateLimit-"+name); ours == "" || ours != theirs {
			t.Errorf("%s: %q and %q", name, ours, theirs)
		}
	}
	if h.Get("X-HubSpot-RateLimit-Secondly") != "19" || h.Get("X-HubSpot-RateLimit-Secondly-Remaining") == "" {
		t.Errorf("a second: %v", h)
	}
}

func TestSearchesMayHaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limited bool
		limits  ratelimit.Setting
		refused bool
	}{{true, 1, true}, {false, 1, false}, {true, 0, false}, {true, 10, false}} {
		w := newWorld(t, storetest.SQLite(t, schemas), c.limits)
		w.handler.(*rest.Handler).SearchLimit = c.limited
		other := w.do(201, "POST", "/account-info/v3/api-keys", `{"name":"k"}`)["token"].(string)
		var status int
		var reply []byte
		var h http.Header
		for i := range 6 {
			status, reply, h = w.send([]string{w.token, other}[i%2], "POST", "/crm/v3/objects/contacts/search", `{"limit":1}`)
		}
		if !c.refused {
			if status != 200 {
				t.Errorf("%+v: %d %s", c, status, reply)
			}
			continue
		}
		var out map[string]any
		if err := json.Unmarshal(reply, &out); err != nil || status != 429 || out["policyName"] != "SECONDLY" || out["errorType"] != "RATE_LIMIT" ||
			out["message"] != "You have reached your secondly limit." || out["category"] != "RATE_LIMITS" || h.Get("Retry-After") != "1" {
			t.Errorf("%d %s %v", status, reply, h)
		}
		w.do(200, "GET", contactsPage, "")
		w.clock.Advance(1100 * time.Millisecond)
		w.do(200, "POST", "/crm/v3/objects/contacts/search", `{"limit":1}`)
	}
}
