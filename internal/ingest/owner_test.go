package ingest_test

import (
	"testing"

	"understudy/internal/ingest"
)

// ownedEvents returns the number of events by user.
func ownedEvents(t *testing.T, in *ingest.Ingest) map[string]int64 {
	t.Helper()
	facets, err := in.Facets(ctx, project, ingest.FacetQuery{Only: []string{"user_id"}, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, f := range facets {
		for _, v := range f.Values {
			out[v.Value] = v.Count
		}
	}
	return out
}

// An event without a user has that of its session, also if the session came to its
// user by a span, after the users of sessions were read.
func TestASpanSetsTheUserOfItsSessionAtOnce(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		capture(t, in, []ingest.Event{{ID: "e", Session: "s", Time: start, User: "other"}})
		ownedEvents(t, in)
		root, child := span(1, 1, 0, 0), span(1, 2, 1, 10)
		root.User = "u-1"
		captureSpans(t, in, root, child)
		if got := ownedEvents(t, in); got["u-1"] != 2 {
			t.Errorf("the events of users: %v, want 2 of u-1", got)
		}
		named := span(1, 3, 1, 20) // its session is the trace's from now on
		named.Naming = "conv-1"
		captureSpans(t, in, named)
		if got := ownedEvents(t, in); got["u-1"] != 3 {
			t.Errorf("the events of users after a session was named: %v, want 3 of u-1", got)
		}
	})
}

// A session that comes back after it was erased or has expired has no user.
func TestARemovedSessionLosesItsUser(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		for _, id := range []string{"s1", "s2"} {
			if err := in.CaptureSession(ctx, project, ingest.Session{ID: id, User: "u-" + id, Started: start}); err != nil {
				t.Fatal(err)
			}
			capture(t, in, []ingest.Event{{ID: "e-" + id, Session: id, Time: start, Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}})
		}
		if got := ownedEvents(t, in); len(got) != 2 {
			t.Fatalf("the events of users: %v", got)
		}
		if _, err := in.Erase(ctx, project, ingest.Erased{User: "u-s1"}); err != nil {
			t.Fatal(err)
		}
		if err := in.SetRetention(ctx, project, 2); err != nil {
			t.Fatal(err)
		}
		if err := in.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"s1", "s2"} {
			capture(t, in, []ingest.Event{{ID: "again-" + id, Session: id, Time: start + 70*3600*1000, Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}})
		}
		if got := ownedEvents(t, in); len(got) != 0 {
			t.Errorf("the events of users after their removal: %v", got)
		}
	})
}
