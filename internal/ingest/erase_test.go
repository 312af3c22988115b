package ingest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"understudy/internal/ingest"
	"understudy/internal/platform/fault"
)

// answers is what the service answers to a set of questions, without the numbers
// of events, which show in what order they came.
func answers(t *testing.T, in *ingest.Ingest) map[string]any {
	t.Helper()
	out := map[string]any{}
	note := func(name string, v any, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = v
	}
	for name, f := range map[string]ingest.Filter{"all": {}, "one tool": {Tools: []string{"tool1"}}, "u2": {Users: []string{"u2"}},
		"a part": {From: start + 3_456_789, To: start + 123_456_789}} {
		events, _, err := in.Events(ctx, project, f, ingest.Position{}, 1000, false)
		var list []string
		for _, e := range events {
			list = append(list, fmt.Sprint(e.ID, e.Session, e.User, e.Event.Time, e.Name))
		}
		slices.Sort(list)
		note(name+": events", list, err)
		for _, by := range []ingest.Dimension{ingest.ByName, ingest.ByModel, ingest.ByCustomer} {
			totals, err := in.Totals(ctx, project, f, by, ingest.Everything)
			text, _ := json.Marshal(totals)
			note(fmt.Sprint(name, ": totals ", by), string(text), err)
		}
		sessions, _, err := in.Sessions(ctx, project, f, ingest.SessionPosition{}, 1000)
		text, _ := json.Marshal(sessions)
		note(name+": sessions", string(text), err)
		series, err := in.Series(ctx, project, ingest.SeriesQuery{Filter: f})
		text, _ = json.Marshal(series)
		note(name+": series", string(text), err)
		traits, _, err := in.Traits(ctx, project, f, "")
		note(name+": traits", traits, err)
		users, _, err := in.Users(ctx, project, f, ingest.UserPosition{}, 1000)
		var names []string
		for _, u := range users {
			names = append(names, u.ID)
		}
		slices.Sort(names)
		note(name+": users", names, err)
	}
	count, err := in.Count(ctx)
	note("count", count, err)
	return out
}

// session registers one of the sessions that random events belong to.
func session(t *testing.T, in *ingest.Ingest, n int, user string) {
	t.Helper()
	s := ingest.Session{ID: fmt.Sprint("s", n), User: user, Started: start, Traits: ingest.Members{"plan": json.RawMessage(fmt.Sprintf(`"of %s"`, user))}}
	if err := in.CaptureSession(ctx, project, s); err != nil {
		t.Fatal(err)
	}
}

var owners = map[int]string{0: "u1", 1: "u2", 2: "u3", 3: "u3"}

// What is erased is in no reply from then on, before and after it has gone from
// the disk: every question is answered as if it had never come.
func TestWhatIsErasedWasNeverThere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var events []ingest.Event
	for n := range 900 {
		e := random(r, n)
		e.ID = fmt.Sprintf("00000000-0000-4000-8000-%012x", n)
		events = append(events, e)
	}
	fill := func(t *testing.T, in *ingest.Ingest, keep func(e *ingest.Event) bool, sessions func(n int) bool) {
		for n := range 4 {
			if sessions(n) {
				session(t, in, n, owners[n])
			}
		}
		list := slices.Clone(events)
		list = slices.DeleteFunc(list, func(e ingest.Event) bool { return !keep(&e) })
		for part := range slices.Chunk(list, 37) {
			capture(t, in, slices.Clone(part))
		}
	}
	everything := func(*ingest.Event) bool { return true }
	for name, what := range map[string]ingest.Erased{"a session": {Sessions: []string{"s5"}}, "a user": {User: "u3"}} {
		erased := func(e *ingest.Event) bool {
			if what.User == "" {
				return e.Session == "s5"
			}
			return e.User == "u3" || e.Session == "s2" || e.Session == "s3"
		}
		t.Run(name, func(t *testing.T) {
			var want map[string]any
			run(t, func(t *testing.T, in *ingest.Ingest) {
				if want == nil {
					fill(t, in, func(e *ingest.Event) bool { return !erased(e) }, func(n int) bool { return what.User == "" || n < 2 })
					want = answers(t, in)
				}
			})
			run(t, func(t *testing.T, in *ingest.Ingest) {
				fill(t, in, everything, func(int) bool { return true })
				if err := in.Maintain(ctx); err != nil { // blocks with gaps
					t.Fatal(err)
				}
				if _, err := in.Erase(ctx, project, what); err != nil {
					t.Fatal(err)
				}
				same(t, "at once", answers(t, in), want)
				if err := in.Maintain(ctx); err != nil {
					t.Fatal(err)
				}
				same(t, "from the disk", answers(t, in), want)
				if _, err := in.Erase(ctx, project, what); !errors.Is(err, ingest.SessionNotFound) && !errors.Is(err, ingest.UserNotFound) {
					t.Errorf("again: %v", err)
				}
				again := slices.DeleteFunc(slices.Clone(events), func(e ingest.Event) bool { return !erased(&e) })
				capture(t, in, again) // nothing remembers them, so they may come again
				if n, err := in.Count(ctx); err != nil || n["events"] != int64(len(events)) {
					t.Errorf("sent again: %v, %v", n, err)
				}
			})
		})
	}
}

func same(t *testing.T, when string, got, want map[string]any) {
	t.Helper()
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s, %s:\n got %.600v\nwant %.600v", when, name, got[name], want[name])
		}
	}
}

// Events of a user arrive while the user is erased: those acknowledged before are
// gone, those sent afterwards are there, and the sums are those of the list.
func TestAUserIsErasedWhileEventsArrive(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		session(t, in, 0, "u1")
		var ended atomic.Bool
		var senders sync.WaitGroup
		for g := range 3 {
			senders.Go(func() {
				for n := 0; !ended.Load() && n < 2000; n++ {
					e := ingest.Event{ID: fmt.Sprintf("00000000-0000-4000-8%03x-%012x", g, n), Session: fmt.Sprint("s", n%3), User: []string{"u1", "u2"}[n%2],
						Name: "x", Type: "tool", Time: start + int64(n), Latency: 5, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}
					if err := in.CaptureEvents(ctx, project, []ingest.Event{e}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 4 {
			if _, err := in.Erase(ctx, project, ingest.Erased{User: "u1"}); err != nil && !errors.Is(err, ingest.UserNotFound) {
				t.Error(err)
			}
			if err := in.Maintain(ctx); err != nil {
				t.Error(err)
			}
		}
		ended.Store(true)
		senders.Wait()
		if _, err := in.Erase(ctx, project, ingest.Erased{User: "u1"}); err != nil && !errors.Is(err, ingest.UserNotFound) {
			t.Fatal(err)
		}
		for range 2 {
			events, sums := eventsAndSums(t, in, "u1")
			if events["u1"] != 0 || sums != events["u2"] {
				t.Errorf("%v events, the roll-ups count %d", events, sums)
			}
			if err := in.Maintain(ctx); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// eventsAndSums counts events by user, and by the roll-ups.
func eventsAndSums(t *testing.T, in *ingest.Ingest, user string) (events map[string]int64, sums int64) {
	t.Helper()
	events = map[string]int64{}
	for below := (ingest.Position{}); ; {
		list, more, err := in.Events(ctx, project, ingest.Filter{}, below, 1000, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			events[e.User]++
			below = e.Position
		}
		if !more {
			break
		}
	}
	totals, err := in.Totals(ctx, project, ingest.Filter{}, ingest.ByName, ingest.Everything)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range totals {
		sums += x.Events
	}
	return events, sums
}

// What is older than retention goes, with what is derived of it; a clock that is
// set back brings nothing back, and takes nothing.
func TestRetentionRemovesWhatIsOlder(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		for _, days := range []int64{-1, ingest.MaxRetention + 1, 1 << 60} {
			if err := in.SetRetention(ctx, project, days); !errors.Is(err, ingest.ValidationFailed) {
				t.Errorf("%d days: %v", days, err)
			}
		}
		const day = int64(24 * 3600 * 1000)
		at := func(n int, time int64) ingest.Event {
			return ingest.Event{ID: fmt.Sprintf("00000000-0000-4000-8000-%012x", n), Session: fmt.Sprint("s", n%40), User: fmt.Sprint("user", n%40), Name: "x",
				Type: "tool", Time: time, Latency: int64(n), InputTokens: 1, OutputTokens: 1}
		}
		var old, late []ingest.Event
		for n := range 300 { // today is start + 3 days
			old = append(old, at(n, start-20*day+int64(n)))
			late = append(late, at(1000+n, start+2*day+int64(n)))
		}
		capture(t, in, old)
		capture(t, in, append([]ingest.Event{at(500, start-30*day)}, late[:100]...)) // one block with both
		capture(t, in, late[100:])
		if err := in.SetRetention(ctx, project, 10); err != nil {
			t.Fatal(err)
		}
		if err := in.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		check := func() {
			t.Helper()
			events, sums := eventsAndSums(t, in, "")
			n := int64(0)
			for _, e := range events {
				n += e
			}
			count, err := in.Count(ctx)
			if err != nil || n != 300 || sums != 300 || count["events"] != 300 || count["sessions"] != 40 || count["users"] != 40 {
				t.Errorf("%d events, %d in the roll-ups, %v, %v", n, sums, count, err)
			}
		}
		check()
		if days, err := in.Retention(ctx, project); err != nil || days != 10 {
			t.Errorf("%d days, %v", days, err)
		}
		if err := in.SetRetention(ctx, project, 0); err != nil {
			t.Fatal(err)
		}
		if err := in.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		check()
	})
}

// Scores go with what they judge: with a session all of them, with a user also
// those of the user's events in sessions of others.
func TestScoresAreErasedWithWhatTheyJudge(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		for id, user := range map[string]string{"mine": "u1", "theirs": "u2", "third": "u3"} {
			if err := in.CaptureSession(ctx, project, ingest.Session{ID: id, User: user, Started: start}); err != nil {
				t.Fatal(err)
			}
		}
		event := func(id, session, user string) ingest.Event {
			return ingest.Event{ID: id, Session: session, User: user, Name: "x", Type: "tool", Time: start, Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}
		}
		capture(t, in, []ingest.Event{event("e1", "mine", ""), event("e2", "theirs", "u1"), event("e3", "theirs", ""), event("e4", "third", "")})
		one := 1.0
		for _, s := range []ingest.Score{{Session: "mine"}, {Event: "e1"}, {Session: "theirs"}, {Event: "e2"}, {Event: "e3"}, {Session: "third"}, {Event: "e4"}} {
			s.Name, s.Text, s.Number, s.Comment = "quality", "1", &one, s.Session+s.Event
			if _, err := in.AddScore(ctx, project, s); err != nil {
				t.Fatal(err)
			}
		}
		left := func() string {
			scores, _, err := in.Scores(ctx, project, ingest.ScoreQuery{}, 1<<50, 100)
			if err != nil {
				t.Fatal(err)
			}
			var of []string
			for _, s := range scores {
				of = append(of, s.Comment)
			}
			slices.Sort(of)
			return fmt.Sprint(of)
		}
		if _, err := in.Erase(ctx, project, ingest.Erased{Sessions: []string{"third"}}); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != "[e1 e2 e3 mine theirs]" {
			t.Errorf("after the session: %s", got)
		}
		if _, err := in.Erase(ctx, project, ingest.Erased{User: "u1"}); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != "[e3 theirs]" {
			t.Errorf("after the user: %s", got)
		}
	})
}

// The averages of scores with many names do not fit in a reply, and are not built.
func TestAveragesAreBounded(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		if err := in.CaptureSession(ctx, project, ingest.Session{ID: "s", Started: start}); err != nil {
			t.Fatal(err)
		}
		one, long := 1.0, strings.Repeat("n", 240)
		add := func(from, to int) {
			var all errgroup.Group
			all.SetLimit(64)
			for n := from; n < to; n++ {
				all.Go(func() error {
					_, err := in.AddScore(ctx, project, ingest.Score{Session: "s", Name: fmt.Sprint(long, n), Text: "1", Number: &one})
					return err
				})
			}
			if err := all.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		add(0, 1000)
		if averages, err := in.Averages(ctx, project, []int64{start}); err != nil || len(averages[0]) != 1000 {
			t.Errorf("%d averages, %v", len(averages[0]), err)
		}
		add(1000, 10_000)
		_, err := in.Averages(ctx, project, []int64{start})
		if e, ok := fault.As(err); !ok || e.Reason != ingest.ValidationFailed.Reason || e.Field != "interval" {
			t.Errorf("10,000 names: %v", err)
		}
	})
}

// Scores go with what they judge when that is older than retention: those of an
// event with the event, also from a session that stays.
func TestScoresGoWithWhatRetentionRemoves(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		const day = int64(24 * 3600 * 1000)
		old := start - 20*day
		for _, id := range []string{"old", "stays", "empty"} { // "unknown" is known by its events alone
			if err := in.CaptureSession(ctx, project, ingest.Session{ID: id, User: "u1", Started: old}); err != nil {
				t.Fatal(err)
			}
		}
		event := func(id, session string, time int64) ingest.Event {
			return ingest.Event{ID: id, Session: session, Name: "x", Type: "tool", Time: time, Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}
		}
		capture(t, in, []ingest.Event{event("e1", "old", old), event("e2", "stays", old), event("e3", "unknown", old)})
		capture(t, in, []ingest.Event{event("e4", "stays", start+2*day)})
		one := 1.0
		for _, s := range []ingest.Score{{Session: "old"}, {Event: "e1"}, {Session: "stays"}, {Event: "e2"}, {Session: "unknown"}, {Event: "e3"}, {Event: "e4"}, {Session: "empty"}} {
			s.Name, s.Text, s.Number, s.Comment = "quality", "1", &one, s.Session+s.Event
			if _, err := in.AddScore(ctx, project, s); err != nil {
				t.Fatal(err)
			}
		}
		if err := in.SetRetention(ctx, project, 10); err != nil {
			t.Fatal(err)
		}
		if err := in.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		scores, _, err := in.Scores(ctx, project, ingest.ScoreQuery{}, 1<<50, 100)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, s := range scores {
			left = append(left, s.Comment)
		}
		if got := fmt.Sprint(left); got != "[e4 stays]" {
			t.Errorf("scores that are left are of %s", got)
		}
	})
}
