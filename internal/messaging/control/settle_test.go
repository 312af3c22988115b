package control_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// settling is a world with an app that receives its messages.
type settling struct {
	actors
	app *appServer
}

// settlingOn returns a world whose clock stands still. Its app answers each event
// with the status that each sends, after it has posted "seen", when that is 200.
func settlingOn(t *testing.T, p apptest.Plane, each func(n int) int) *settling {
	w := &settling{actors{p.Create(map[string]any{"fixture": "demo", "rate_limits": "off", "clock": "2026-03-02T09:00:00Z"})}, newAppServer(t)}
	made := p.Seed(w.ID, "application/json", strings.ReplaceAll(approvals, "URL", w.app.URL), 200)["made"]
	bot := apptest.Get(made, "messaging", "apps", "approvals", "bot_token").(string)
	w.act(200, "lena.park", "join", object{"channel": "#launch"})
	w.act(200, "jon.abel", "join", object{"channel": "#launch"})
	n := 0
	w.app.answers(func(r appRequest) (int, string) {
		if r.path != "/events" || !strings.Contains(r.body, `"text":"ping"`) {
			return 200, ""
		}
		n++
		status := each(n)
		if status == 200 {
			if _, reply := p.Server.Call("POST", w.Base("messaging")+"/api/chat.postMessage", bot, object{"channel": "launch", "text": "seen"}); reply["ok"] != true {
				t.Errorf("the app cannot post: %v", reply)
			}
		}
		return status, ""
	})
	w.settles(true, 0)
	return w
}

// settles waits for quiet, for a fifth of a second where there is none, and compares what it finds.
func (w *settling) settles(settled bool, pending float64) {
	w.T.Helper()
	body := object{"quiet_ms": 50}
	if !settled {
		body["timeout_ms"] = 200
	}
	if got := w.Call("POST", "/"+w.ID+"/settle", body, 200); got["settled"] != settled || got["pending_deliveries"] != pending {
		w.T.Errorf("settled %v with %v deliveries pending, want %v and %v", got["settled"], got["pending_deliveries"], settled, pending)
	}
}

// pings has a person say something of which the app is told.
func (w *settling) pings() {
	w.T.Helper()
	w.act(200, "jon.abel", "say", object{"channel": "#launch", "text": "ping"})
}

// wantSeen checks whether the app's message came to somebody since their last act.
func (w *settling) wantSeen(what string, seen bool) {
	w.T.Helper()
	body := object{"for": object{"channel": "#launch", "text": "seen"}, "timeout_ms": 0}
	if seen {
		w.act(200, "jon.abel", "wait", body)
		return
	}
	if got := w.act(409, "jon.abel", "wait", body); code(got) != "timed_out" {
		w.T.Errorf("%s: %v", what, got)
	}
}

// A delivery that failed waits for its next try: the world is quiet meanwhile, and
// says what is pending. It is quiet again when the delivery has come, or was given up.
func TestSettlingWhileDeliveriesFail(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		const fails = 2
		w := settlingOn(t, p, func(n int) int {
			if n <= fails {
				return 500
			}
			return 200
		})
		w.pings()
		for range fails {
			w.settles(true, 1)
			w.wantSeen("before the delivery", false)
			w.Advance("5m")
		}
		w.settles(true, 0)
		w.wantSeen("after the delivery", true)

		given := settlingOn(t, p, func(int) int { return 500 })
		given.pings()
		given.settles(true, 1)
		for range 3 {
			given.Advance("24h")
			given.Call("POST", "/"+given.ID+"/settle", object{}, 200)
		}
		given.settles(true, 0)
		given.wantSeen("after it was given up", false)
	})
}

// A delivery that hangs is under way: the world does not settle until it has ended.
func TestSettlingWhileADeliveryHangs(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		came, proceed := make(chan bool, 10), make(chan bool, 10)
		defer close(proceed)
		w := settlingOn(t, p, func(int) int {
			came <- true
			<-proceed
			return 200
		})
		arrives := func() {
			t.Helper()
			select {
			case <-came:
			case <-time.After(10 * time.Second):
				t.Fatal("no delivery comes")
			}
		}
		w.pings()
		arrives()
		w.settles(false, 1)
		w.wantSeen("while the app hangs", false)
		waiting := make(chan map[string]any, 1)
		go func() {
			_, reply := p.Server.Call("POST", "/admin/v1/environments/"+w.ID+"/people/messaging/jon.abel/wait", p.Key, object{"for": object{"text": "seen"}, "timeout_ms": 30_000})
			waiting <- reply
		}()
		w.settles(false, 1)
		proceed <- true
		if got := <-waiting; apptest.Get(got, "item", "text") != "seen" {
			t.Errorf("who waits while a delivery hangs: %v", got)
		}
		w.settles(true, 0)

		// A delivery that is repeated is under way like the first.
		for _, one := range w.Call("GET", "/"+w.ID+"/deliveries?service=messaging", nil, 200)["deliveries"].([]any) {
			path := "/" + w.ID + "/deliveries/" + fmt.Sprint(apptest.Get(one, "id"))
			if !strings.Contains(fmt.Sprint(w.Call("GET", path, nil, 200)), "text:ping") {
				continue
			}
			w.act(200, "jon.abel", "read", object{"channel": "#launch"})
			w.Call("POST", path+"/replay", object{}, 202)
			arrives()
			w.settles(false, 1)
			w.wantSeen("before the repetition has ended", false)
			proceed <- true
			w.settles(true, 0)
			w.wantSeen("after the repetition", true)
			return
		}
		t.Error("the delivery is not listed")
	})
}
