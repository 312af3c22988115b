package ingest_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A page of a tree goes on where the event stood on which it ended, also when
// that event, or one above it, was erased meanwhile.
func TestPagesOfATreeGoOnAfterAnErasure(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		const n, kids = 30, 3
		session(t, in, 0, "u1") // s0
		var events []ingest.Event
		for i := range n {
			root := ingest.Event{ID: fmt.Sprintf("00000000-0000-4000-8000-%012x", i), Session: "s0", User: "u1", Name: "root", Time: start + int64(1000*i), Result: strings.Repeat("x", 1<<20)}
			if i%2 == 1 {
				root.User = "gone"
			}
			events = append(events, root)
			for k := range kids {
				events = append(events, ingest.Event{ID: fmt.Sprintf("00000000-0000-4000-9000-%012x", kids*i+k), Session: "s0", User: "u1", Parent: root.ID, Name: "kid", Time: root.Time + int64(1+k)})
			}
		}
		session(t, in, 9, "gone") // another session of that user
		capture(t, in, events)
		level := func(parent string, after ingest.Place, limit int) ingest.Level {
			t.Helper()
			l, err := in.Level(ctx, project, "s0", parent, ingest.Filter{}, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		forest := func(after []ingest.Place) ingest.Forest {
			t.Helper()
			_, f, err := in.SessionTree(ctx, project, "s0", ingest.Filter{}, after, false)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		seen := map[string]int{}
		var count func(nodes []*ingest.Node)
		count = func(nodes []*ingest.Node) {
			for _, e := range nodes {
				seen[e.ID]++
				count(e.Children)
			}
		}
		first := level("", ingest.Place{}, 2) // ends on an event that goes
		if len(first.Nodes) != 2 || first.Nodes[1].User != "gone" || first.Counts[1] != kids {
			t.Fatalf("%d nodes", len(first.Nodes))
		}
		page := forest(nil)
		if page.Next == nil {
			t.Fatal("all events fit on a page")
		}
		count(page.Roots)
		if _, err := in.Erase(ctx, project, ingest.Erased{User: "gone"}); err != nil {
			t.Fatal(err)
		}
		var left []string
		for after := first.Next; after != (ingest.Place{}); {
			l := level("", after, 7)
			for _, e := range l.Nodes {
				left = append(left, e.ID)
			}
			after = l.Next
		}
		want := 0
		for _, e := range events[2*(1+kids):] {
			if e.User != "gone" && (e.Parent == "" || events[indexOf(events, e.Parent)].User == "gone") {
				want++
			}
		}
		want += kids // those of the event on which the page ended
		if len(left) != want || left[0] != events[1+kids+1].ID {
			t.Errorf("%d events follow from %v on, want %d", len(left), left[:1], want)
		}
		for after := page.Next; after != nil; {
			f := forest(after)
			count(f.Roots)
			after = f.Next
		}
		for _, e := range events {
			if seen[e.ID] == 0 && e.User != "gone" {
				t.Errorf("%s is on no page", e.ID)
			}
			if seen[e.ID] > 1 && e.Parent == "" {
				t.Errorf("%s is on %d pages", e.ID, seen[e.ID])
			}
		}
	})
}

func indexOf(events []ingest.Event, id string) int {
	for i := range events {
		if events[i].ID == id {
			return i
		}
	}
	return -1
}

// allocated returns how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A level of a long session takes the memory of what it shows, not that of the
// texts of the session. The databases take turns: what is allocated is counted for
// the whole process.
func TestALevelOfALongSession(t *testing.T) {
	for name, database := range map[string]func(testing.TB, []store.Schema) *store.World{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(name, func(t *testing.T) { levelOfALongSession(t, over(t, database(t, schemas))) })
	}
}

func levelOfALongSession(t *testing.T, in *ingest.Ingest) {
	const n, size, most = 4000, 20_000, 30 << 20
	var events []ingest.Event
	for i := range n {
		e := ingest.Event{ID: fmt.Sprintf("00000000-0000-4000-8000-%012x", i), Session: "long", Name: "step", Time: start + int64(i), Result: strings.Repeat("result ", size/7)}
		if i >= 10 {
			e.Parent = events[i%10].ID
		}
		events = append(events, e)
	}
	for i := 0; i < n; i += 500 {
		capture(t, in, events[i:i+500])
	}
	if _, err := in.Level(ctx, project, "long", "", ingest.Filter{}, ingest.Place{}, 10); err != nil {
		t.Fatal(err) // adds up the events
	}
	used := uint64(math.MaxUint64)
	for end := time.Now().Add(20 * time.Second); used > most && time.Now().Before(end); time.Sleep(50 * time.Millisecond) { // the index is built meanwhile
		used = min(used, allocated(func() {
			l, err := in.Level(ctx, project, "long", events[3].ID, ingest.Filter{}, ingest.Place{}, 5)
			if err != nil || len(l.Nodes) != 5 || l.Nodes[0].ID != events[13].ID || l.Nodes[0].Result == "" || l.Next.Seq == 0 {
				t.Fatalf("%d nodes, next %v, %v", len(l.Nodes), l.Next, err)
			}
		}))
	}
	if used > most {
		t.Errorf("a level of 5 of %d events of %d bytes used %d MiB", n, size, used>>20)
	}
}
