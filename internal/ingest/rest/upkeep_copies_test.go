package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/app/apptest"
)

// steadyWriter sends numbered events one by one. With every fourth event it sends one
// that is too old to be kept and one of a session that is erased. It sends at most
// 150 per second, so that a stream of live events drops none.
type steadyWriter struct {
	p           apptest.Plane
	base, key   string
	shown       atomic.Int64 // the number of the last event in the stream of live events
	sent, acked atomic.Int64 // the numbers of the last event that was sent, and acknowledged
	refused     atomic.Int64 // the number of events that were not acknowledged
	erased      atomic.Int64 // the number of erased sessions
	endless     atomic.Bool  // no client reads the stream any more
	stop        chan struct{}
	done        chan struct{}
}

// mostAhead is the number of events that the writer may be ahead of the stream. The
// stream drops events if its reader is slow.
const mostAhead = 50

const (
	keptEvent   = "bbbbbbbb-0000-4000-8000-"
	oldEvent    = "cccccccc-0000-4000-8000-"
	erasedEvent = "dddddddd-0000-4000-8000-"
	keptSession = "aaaaaaaa-0000-4000-8000-000000000001"
)

func erasedSession(n int64) string { return fmt.Sprintf("eeeeeeee-0000-4000-8000-%012d", n) }

func (w *steadyWriter) capture(id string, n int64, session string, at time.Time) bool {
	status, _ := w.p.Server.Call("POST", w.base+"/capture-event", w.key, map[string]any{"event_id": fmt.Sprintf("%s%012d", id, n), "session_id": session,
		"primitive_name": "search", "primitive_type": "tool", "args": "{}", "latency": n % 7, "timestamp": at.UnixMilli()})
	return status == http.StatusOK
}

func (w *steadyWriter) run() {
	defer close(w.done)
	for n := int64(1); ; n++ {
		for wait := true; wait; wait = !w.endless.Load() && n-w.shown.Load() > mostAhead {
			select {
			case <-w.stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		w.sent.Store(n)
		if w.capture(keptEvent, n, keptSession, time.Now()) {
			w.acked.Store(n)
		} else {
			w.refused.Add(1)
		}
		if n%4 == 0 {
			w.capture(oldEvent, n, keptSession, time.Now().Add(-40*24*time.Hour))
			w.capture(erasedEvent, n, erasedSession(n/40), time.Now())
		}
		if n%40 == 39 {
			if status, _ := w.p.Server.Call("DELETE", w.base+"/sessions/"+erasedSession(n/40), w.key, nil); status == http.StatusAccepted {
				w.erased.Store(n/40 + 1)
			}
		}
	}
}

// numbers returns the numbers of the stored events, ascending. It fails if an event
// occurs twice or its session was erased before.
func (a agentEvents) numbers(erased int64) (kept []int64) {
	a.p.T.Helper()
	for cursor := ""; ; {
		page := a.call("GET", "/events?limit=500&view=summary&cursor="+url.QueryEscape(cursor), nil, 200)
		for _, one := range page["events"].([]any) {
			id, session := apptest.Get(one, "event_id").(string), apptest.Get(one, "session_id").(string)
			if n := numberAfter(id, keptEvent); n > 0 {
				kept = append(kept, n)
			} else if strings.HasPrefix(session, "eeeeeeee") && session < erasedSession(erased) {
				a.p.T.Errorf("%s of %s is there, which was erased before", id, session)
			}
		}
		if cursor, _ = page["next_cursor"].(string); cursor == "" {
			break
		}
	}
	slices.Sort(kept)
	return kept
}

// numberAfter returns the number of an event whose id has a prefix, 0 for others.
func numberAfter(id, prefix string) (n int64) {
	if text, ok := strings.CutPrefix(id, prefix); ok {
		_, _ = fmt.Sscanf(strings.TrimLeft(text, "0"), "%d", &n)
	}
	return n
}

// wantRun fails the test unless the numbers are consecutive, begin with from and end
// with a number in [least, most]. It returns the last one.
func wantRun(t *testing.T, what string, numbers []int64, from, least, most int64) (last int64) {
	t.Helper()
	last = from - 1
	for _, n := range numbers {
		if n != last+1 {
			t.Fatalf("%s: event %d follows event %d", what, n, last)
		}
		last = n
	}
	if last < least || last > most {
		t.Fatalf("%s: the last event is %d, want one from %d to %d", what, last, least, most)
	}
	return last
}

// followLive reads the stream of live events until ctx ends. It returns the numbers
// of the kept events in the order of arrival.
func (w *steadyWriter) followLive(ctx context.Context, begun chan<- struct{}) (numbers []int64, dropped bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/live", nil)
	if err != nil {
		return nil, false, err
	}
	r.Header.Set("X-Api-Key", w.key)
	reply, err := w.p.Server.Client.Do(r)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = reply.Body.Close() }()
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		if begun != nil {
			close(begun)
			begun = nil
		}
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var one map[string]any
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			return numbers, dropped, err
		}
		dropped = dropped || one["dropped"] != nil
		if id, ok := one["event_id"].(string); ok {
			if n := numberAfter(id, keptEvent); n > 0 {
				numbers = append(numbers, n)
				w.shown.Store(n)
			}
		}
	}
	return numbers, dropped, nil
}

// passes waits until a counter exceeds a number.
func passes(t *testing.T, what string, number *atomic.Int64, n int64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); number.Load() <= n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: event %d is the last one after a minute, want later ones than %d", what, number.Load(), n)
		}
	}
}

// keptIn returns the numbers of the kept events in one list of a diff, ascending.
func keptIn(diff map[string]any, list string) (numbers []int64) {
	for _, one := range diff[list].([]any) {
		if apptest.Get(one, "entity") == "event" {
			if n := numberAfter(apptest.Get(one, "key").(string), keptEvent); n > 0 {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	return numbers
}

// While events are captured, merged, erased and removed by age, a fork contains each
// event that was acknowledged before it, once and in order. A diff with a snapshot
// shows the events captured since the snapshot and no maintenance. A stream of live
// events shows each event once. A restored world continues from its snapshot.
func TestCopiesAreExactWhileEventsAreMaintained(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		made := p.Call("POST", "", map[string]any{}, 201)
		id, a := made["id"].(string), agentEventsOf(p, made)
		a.call("PUT", "/retention", map[string]any{"days": 30}, 200)
		w := &steadyWriter{p: p, base: a.base, key: a.key, stop: make(chan struct{}), done: make(chan struct{})}

		ctx, endLive := context.WithCancel(context.Background())
		defer endLive()
		begun, live := make(chan struct{}), make(chan struct{})
		var shown []int64
		var dropped bool
		go func() {
			defer close(live)
			shown, dropped, _ = w.followLive(ctx, begun)
		}()
		select {
		case <-begun:
		case <-time.After(10 * time.Second):
			t.Fatal("the stream does not begin")
		}
		go w.run()

		type moment struct {
			id          string
			least, most int64
		}
		var snapshots []moment
		for round := range 4 {
			time.Sleep(700 * time.Millisecond) // blocks are merged after half a second or two seconds
			least, erased := w.acked.Load(), w.erased.Load()
			reply := p.Call("POST", "/"+id+"/fork", map[string]any{}, 201)
			most := w.sent.Load()
			fork := agentEventsOf(p, reply)
			last := wantRun(t, fmt.Sprint("fork ", round), fork.numbers(erased), 1, least, most)
			fork.call("POST", "/capture-event", map[string]any{"event_id": fmt.Sprintf("%s%012d", keptEvent, last+1), "session_id": keptSession,
				"primitive_name": "search", "primitive_type": "tool"}, 200) // its own event, whatever its parent stores
			wantRun(t, fmt.Sprint("fork ", round, " goes on"), fork.numbers(erased), 1, last+1, last+1)

			least = w.acked.Load()
			snapshot := p.Call("POST", "/"+id+"/snapshots", map[string]any{}, 201)["id"].(string)
			snapshots = append(snapshots, moment{snapshot, least, w.sent.Load()})
		}
		for i, s := range snapshots {
			passes(t, "a write after a snapshot", &w.acked, s.most)
			least := w.acked.Load()
			diff := p.Call("GET", "/"+id+"/diff?from="+s.id, nil, 200)
			most := w.sent.Load()
			for _, list := range []string{"updates", "deletes"} {
				if n := keptIn(diff, list); len(n) > 0 {
					t.Errorf("the diff with snapshot %d has %d events that are kept in its %s: maintenance shows", i, len(n), list)
				}
			}
			inserted := keptIn(diff, "inserts")
			if len(inserted) == 0 || inserted[0] <= s.least || inserted[0] > s.most+1 {
				t.Fatalf("the diff with snapshot %d of event %d to %d begins with %v", i, s.least, s.most, inserted[:min(len(inserted), 1)])
			}
			wantRun(t, fmt.Sprint("the diff with snapshot ", i), inserted, inserted[0], least, most)
		}

		known := w.acked.Load()
		passes(t, "live", &w.shown, known)
		w.endless.Store(true)
		endLive()
		<-live
		if dropped {
			t.Error("the stream left events out")
		}
		wantRun(t, "live", shown, 1, known, w.sent.Load())
		if n := w.refused.Load(); n > 0 {
			t.Errorf("%d events were refused", n)
		}

		// A world restored while events arrive contains the events of the snapshot and
		// those acknowledged since the restore.
		s := snapshots[1]
		before := w.sent.Load()
		p.Call("POST", "/"+id+"/restore", map[string]any{"snapshot": s.id}, 200)
		after := w.sent.Load()
		passes(t, "a write after the world was put back", &w.acked, after+20)
		close(w.stop)
		<-w.done
		all := a.numbers(0)
		at, _ := slices.BinarySearch(all, before)
		wantRun(t, "put back", all[:at], 1, s.least, s.most)
		at, found := slices.BinarySearch(all, after+1)
		if !found || w.acked.Load() != w.sent.Load() {
			t.Fatalf("event %d, which was acknowledged after the world was put back, is missing", after+1)
		}
		wantRun(t, "after it was put back", all[at:], after+1, w.acked.Load(), w.acked.Load())
	})
}
