package ingest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/budget"
)

// Lists and trees of long events come in pages: none is longer than a reply may
// be, and together they hold every event once.
func TestPagesOfLongEventsEndEarly(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		const n = 12
		var events []ingest.Event
		for i := range n {
			e := ingest.Event{Session: "s", Name: "tool", Time: start + int64(i)*1000, Success: true, Args: strings.Repeat("x\"", 2<<20),
				Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}
			if i > 0 {
				e.Parent = events[(i-1)/2].ID
			}
			e.ID = string(rune('a' + i))
			events = append(events, e)
		}
		capture(t, in, events)
		seen := map[string]bool{}
		see := func(e *ingest.Event) int {
			if seen[e.ID] || len(e.Args) != 4<<20 {
				t.Errorf("%s is there twice, or has %d bytes", e.ID, len(e.Args))
			}
			seen[e.ID] = true
			return e.Size()
		}
		for below, more := (ingest.Position{}), true; more; {
			var page []ingest.Listed
			var err error
			if page, more, err = in.Events(ctx, project, ingest.Filter{}, below, 100, false); err != nil {
				t.Fatal(err)
			}
			size := 0
			for i := range page {
				size += see(&page[i].Event)
			}
			if size > budget.MaxReply {
				t.Errorf("a page has %d bytes", size)
			}
			below = page[len(page)-1].Position
		}
		if len(seen) != n {
			t.Errorf("%d events in the list", len(seen))
		}
		clear(seen)
		pages := 0
		for after, more := []ingest.Place(nil), true; more; {
			_, f, err := in.SessionTree(ctx, project, "s", ingest.Filter{}, after, false)
			if err != nil {
				t.Fatal(err)
			}
			size := 0
			var walk func(nodes []*ingest.Node)
			walk = func(nodes []*ingest.Node) {
				for _, n := range nodes {
					size += see(&n.Event)
					for _, c := range n.Children {
						if c.Parent != n.ID {
							t.Errorf("%s stands below %s", c.ID, n.ID)
						}
					}
					walk(n.Children)
				}
			}
			walk(f.Roots)
			if size > budget.MaxReply || size == 0 {
				t.Fatalf("a page has %d bytes", size)
			}
			pages++
			after, more = f.Next, f.Next != nil
		}
		if len(seen) != n || pages < 2 {
			t.Errorf("%d events in %d pages of the tree", len(seen), pages)
		}
	})
}

// Lists of sessions and users with long metadata and traits end their pages early too.
func TestPagesOfLongSessionsEndEarly(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		const n = 40
		long := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
		for i := range n {
			s := ingest.Session{ID: fmt.Sprint("s", i), User: fmt.Sprint("u", i), Started: start + int64(i), Metadata: ingest.Members{"long": long}, Traits: ingest.Members{"long": long}}
			if err := in.CaptureSession(ctx, project, s); err != nil {
				t.Fatal(err)
			}
		}
		seen, pages := 0, 0
		for below, more := (ingest.SessionPosition{}), true; more; pages++ {
			var page []ingest.Session
			var err error
			if page, more, err = in.Sessions(ctx, project, ingest.Filter{}, below, 1000); err != nil || len(page) == 0 || len(page) > 16 {
				t.Fatalf("a page of %d sessions of 2 MiB: %v", len(page), err)
			}
			seen += len(page)
			below = ingest.SessionPosition{Started: page[len(page)-1].Started, ID: page[len(page)-1].ID}
		}
		if seen != n || pages < 5 {
			t.Errorf("%d sessions in %d pages", seen, pages)
		}
		seen = 0
		for below, more := (ingest.UserPosition{}), true; more; {
			var page []ingest.User
			var err error
			if page, more, err = in.Users(ctx, project, ingest.Filter{}, below, 1000); err != nil || len(page) == 0 || len(page) > 17 {
				t.Fatalf("a page of %d users of 1 MiB: %v", len(page), err)
			}
			seen += len(page)
			below = ingest.UserPosition{Seen: page[len(page)-1].LastSeen, ID: page[len(page)-1].ID}
		}
		if seen != n {
			t.Errorf("%d users", seen)
		}
	})
}
