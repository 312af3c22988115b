package understudytest

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// World is a fork that one test has for itself. Its methods may be called from
// several goroutines, except Expect and NothingElse.
type World struct {
	Credentials
	ID  string
	URL string // http://HOST/e/ID

	t        testing.TB
	server   *server
	expected []Expectation
}

// New makes a world for a test and deletes it when the test ends; one that was
// not deleted ends after an hour. With UNDERSTUDY_KEEP=1 the world of a test that
// failed stays, and its address is logged.
func New(t testing.TB, opts ...Option) *World {
	t.Helper()
	o := options{made: map[string]any{}, fork: map[string]any{"ephemeral": true, "credentials": "fresh", "recordings": "full"}}
	keep := os.Getenv("UNDERSTUDY_KEEP") == "1"
	if !keep {
		o.fork["ttl_seconds"] = 3600
	}
	for _, set := range opts {
		set(&o)
	}
	s, err := theServer()
	if err != nil {
		t.Fatal("understudytest: ", err)
	}
	w := &World{t: t, server: s}
	if err := w.fork(o); err != nil {
		t.Fatal("understudytest: ", err)
	}
	t.Cleanup(func() {
		if keep && t.Failed() {
			t.Logf("understudy keeps %s", w.URL)
			return
		}
		if err := s.call("DELETE", w.path(""), nil, nil); err != nil && !isGone(err) {
			t.Error("understudytest: ", err)
		}
	})
	return w
}

// isGone reports whether an environment had ended before it was to be deleted.
func isGone(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status == 404
}

// fork makes the world as the options say.
func (w *World) fork(o options) (err error) {
	from := o.environment
	if from == "" {
		if from, err = w.server.base(o.made); err != nil {
			return err
		}
	} else {
		if o.made["fixture"] != nil || o.made["document"] != nil {
			return errors.New("Environment goes with neither Fixture nor Document: it is there already")
		}
		for member, value := range o.made {
			o.fork[member] = value
		}
	}
	if err := w.server.call("POST", "/environments/"+escape(from)+"/fork", o.fork, &w.Credentials); err != nil {
		return err
	}
	w.ID = w.Environment
	w.setAPIURLs()
	w.URL = strings.TrimSuffix(w.Messaging.BaseURL, "/messaging")
	return nil
}

func (w *World) path(rest string) string { return "/environments/" + w.ID + rest }

// do sends a request below the world's address. It ends the test when that is refused.
func (w *World) do(method, rest string, body, into any) {
	w.t.Helper()
	if err := w.server.call(method, w.path(rest), body, into); err != nil {
		w.t.Fatal("understudytest: ", err)
	}
}

// Env returns the variables that a program needs to reach the world, as
// exec.Cmd wants them: SLACK_BOT_TOKEN=…, HUBSPOT_BASE_PATH=… and so on.
func (w *World) Env() []string {
	w.t.Helper()
	var text string
	w.do("GET", "/credentials?format=env", nil, &text)
	return strings.Split(strings.TrimSpace(text), "\n")
}

// Settled is what Settle found.
type Settled struct {
	Settled           bool  `json:"settled"`
	WaitedMS          int64 `json:"waited_ms"`
	InFlight          int   `json:"in_flight"`
	PendingDeliveries int   `json:"pending_deliveries"`
}

// Settle waits until no request and no delivery was under way for 150 ms, for five seconds at most.
func (w *World) Settle() Settled {
	w.t.Helper()
	var out Settled
	w.do("POST", "/settle", struct{}{}, &out)
	return out
}

// Rule is a fault rule as the server shows it.
type Rule struct {
	ID      string `json:"id"`
	On      string `json:"on"`
	Matched int    `json:"matched"`
	Fired   int    `json:"fired"`
}

// Fault adds rules that break requests or deliveries. Each is a value that
// encodes as JSON, such as a map, or a json.RawMessage.
func (w *World) Fault(rules ...any) []Rule {
	w.t.Helper()
	var out struct{ Faults []Rule }
	w.do("POST", "/faults", map[string]any{"faults": rules}, &out)
	return out.Faults
}

// Faults returns the rules of the world, with how often each matched and fired.
func (w *World) Faults() []Rule {
	w.t.Helper()
	var out struct{ Faults []Rule }
	w.do("GET", "/faults", nil, &out)
	return out.Faults
}

// ClockState is the time of a world, and whether it stands still.
type ClockState struct {
	Now    string `json:"now"` // RFC 3339
	Frozen bool   `json:"frozen"`
}

// Advance moves the world's clock forward: 5m, 90s.
func (w *World) Advance(duration string) ClockState {
	w.t.Helper()
	var out struct{ Clock ClockState }
	w.do("POST", "/clock", map[string]string{"advance": duration}, &out)
	return out.Clock
}
