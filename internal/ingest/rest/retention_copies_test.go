package rest_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// agedEvent returns the id of an event by its age in days and its number.
func agedEvent(age, n int) string { return fmt.Sprintf("bbbbbbbb-%04d-4000-8000-%012d", age, n) }

// aged returns the events of a world by age, read page by page. It fails the test if
// an event occurs twice.
func (a agentEvents) aged(what string) map[int]map[string]bool {
	a.p.T.Helper()
	out := map[int]map[string]bool{}
	for cursor := ""; ; {
		page := a.call("GET", "/events?limit=60&view=summary&cursor="+url.QueryEscape(cursor), nil, 200)
		for _, one := range page["events"].([]any) {
			id := apptest.Get(one, "event_id").(string)
			age := 0
			_, _ = fmt.Sscanf(id[9:13], "%d", &age)
			if out[age] == nil {
				out[age] = map[string]bool{}
			}
			if out[age][id] {
				a.p.T.Errorf("%s: event %s is there twice", what, id)
			}
			out[age][id] = true
		}
		if cursor, _ = page["next_cursor"].(string); cursor == "" {
			return out
		}
	}
}

// agedWriter repeatedly captures one event of each age, and records the acknowledged
// events.
type agedWriter struct {
	a    agentEvents
	ages []int
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	acked map[string]bool
}

func (w *agedWriter) run() {
	defer close(w.done)
	for n := 1; ; n++ {
		select {
		case <-w.stop:
			return
		case <-time.After(4 * time.Millisecond):
		}
		age := w.ages[n%len(w.ages)]
		status, _ := w.a.p.Server.Call("POST", w.a.base+"/capture-event", w.a.key, map[string]any{"event_id": agedEvent(age, n),
			"session_id": fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", n%9), "primitive_name": "search", "primitive_type": "tool", "args": "{}", "latency": n % 7,
			"timestamp": time.Now().Add(-time.Duration(age) * 24 * time.Hour).UnixMilli()})
		if status == http.StatusOK {
			w.mu.Lock()
			w.acked[agedEvent(age, n)] = true
			w.mu.Unlock()
		}
	}
}

func (w *agedWriter) known() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]bool, len(w.acked))
	for id := range w.acked {
		out[id] = true
	}
	return out
}

// While events of several ages are captured, merged and read, the test shortens,
// lengthens and lifts the retention. Events that all retentions so far keep exist
// exactly once. After a change that keeps an event is acknowledged, the event is no
// longer removed, and a fork contains it. In the end no event of 50 days is left, and
// the roll-ups count exactly the events that are left.
func TestRetentionChangesWhileEventsAreReadAndMaintained(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		made := p.Call("POST", "", map[string]any{}, 201)
		id, a := made["id"].(string), agentEventsOf(p, made)
		ages := []int{1, 12, 30, 50}
		w := &agedWriter{a: a, ages: ages, stop: make(chan struct{}), done: make(chan struct{}), acked: map[string]bool{}}
		go w.run()
		retain := func(days int) {
			body := map[string]any{"days": days}
			if days == 0 {
				body["days"] = nil
			}
			a.call("PUT", "/retention", body, 200)
		}
		keeps := func(days, age int) bool { return days == 0 || age < days }
		r := rand.New(rand.NewPCG(6, 1))
		shortest := 1 << 20 // of all retentions so far
		for round, days := range []int{40, 0, 20, 60, 40} {
			time.Sleep(time.Duration(200+r.IntN(400)) * time.Millisecond) // blocks are merged after half a second or two seconds
			retain(days)
			if days > 0 {
				shortest = min(shortest, days)
			}
			known := w.known()
			begun := a.aged(fmt.Sprint("round ", round))
			for one := range known {
				age := 0
				_, _ = fmt.Sscanf(one[9:13], "%d", &age)
				if keeps(shortest, age) && !begun[age][one] {
					t.Fatalf("round %d: event %s of %d days is missing, the shortest retention was %d", round, one, age, shortest)
				}
			}
			time.Sleep(time.Duration(r.IntN(600)) * time.Millisecond)
			copied := agentEventsOf(p, p.Call("POST", "/"+id+"/fork", map[string]any{}, 201)).aged(fmt.Sprint("fork ", round))
			later := a.aged(fmt.Sprint("later in round ", round))
			for age, events := range begun {
				for one := range events {
					if keeps(days, age) && (!later[age][one] || !copied[age][one]) {
						t.Fatalf("round %d: event %s of %d days is gone (from the fork: %v), the retention is %d", round, one, age, !copied[age][one], days)
					}
				}
			}
		}
		close(w.stop)
		<-w.done
		known := w.known()
		for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
			left, wrong := a.aged("at the end"), ""
			if n := len(left[50]); n > 0 {
				wrong = fmt.Sprintf("%d events of 50 days are left", n)
			}
			n := 0
			for one := range known {
				age := 0
				_, _ = fmt.Sscanf(one[9:13], "%d", &age)
				if age < 20 && !left[age][one] {
					t.Fatalf("event %s is missing at the end", one)
				}
			}
			for _, events := range left {
				n += len(events)
			}
			count := 0.0
			for _, tool := range a.call("GET", "/tools", nil, 200)["tools"].([]any) {
				count += apptest.Get(tool, "count").(float64)
			}
			if int(count) != n {
				wrong += fmt.Sprintf(" the roll-ups count %v of %d events", count, n)
			}
			if wrong == "" {
				return
			}
			if time.Since(began) > 60*time.Second {
				t.Fatal(wrong)
			}
		}
	})
}
