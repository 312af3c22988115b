package ingest_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// limitPages leaves a database no room to grow beyond a number of pages.
func limitPages(t *testing.T, w *store.World, pages int) {
	t.Helper()
	err := w.Write(ctx, func(tx *store.Tx) error {
		var now int64
		_, err := tx.Get(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages), nil, &now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// On a full disk the roll-ups and the index stay behind the events. Every
// question is answered nevertheless, sums with the events that are in no roll-up
// yet. Once there is room, everything is as if there had always been some.
func TestQuestionsAreAnsweredOnAFullDisk(t *testing.T) {
	w := storetest.SQLite(t, schemas)
	log := slog.New(slog.DiscardHandler)
	events := blockstore.Open(w, log)
	events.Lazy = true // nothing is indexed before it is asked for
	in := ingest.New(ingest.Deps{Events: w, Store: events, Upkeep: events.Upkeep, Clock: clock.At(time.UnixMilli(start).Add(72 * time.Hour)), IDs: ids.Seeded(1, 0), Log: log, Lazy: true})
	defer events.Close()
	defer in.Close()
	const known, fresh = 1000, 20_000 // a run of the index has fewer
	made := func(from, n int) (out []ingest.Event) {
		for i := from; i < from+n; i++ {
			e := ingest.Event{ID: fmt.Sprint("e", i), Session: fmt.Sprint("s", i%50), Name: fmt.Sprint("tool", i%7), Type: "tool", Args: "refund", User: fmt.Sprint("u", i%9),
				Time: start + int64(i)*1000, Received: start, Success: true, Latency: int64(i % 900), InputTokens: 1, OutputTokens: ingest.Absent}
			out = append(out, e)
		}
		return out
	}
	capture(t, in, made(0, known))
	if err := in.CatchUp(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < fresh; i += 5000 { // stored, but nothing follows them
		if err := events.Append(ctx, project, made(known+i, 5000)); err != nil {
			t.Fatal(err)
		}
	}
	limitPages(t, w, 1) // the number of pages that there are is the least
	if err := in.CatchUp(ctx); err == nil {
		t.Fatal("the roll-ups had room")
	}
	ask := func() {
		t.Helper()
		for name, f := range map[string]ingest.Filter{"all": {}, "a word": {Texts: []string{"refund"}}, "a period": {From: start, To: start + 48*3600*1000}} {
			totals, err := in.Totals(ctx, project, f, ingest.ByName, ingest.Calls)
			n := int64(0)
			for _, t := range totals {
				n += t.Events
			}
			if err != nil || n != known+fresh {
				t.Errorf("%s: %d calls of tools: %v", name, n, err)
			}
			if now, _, err := in.Overview(ctx, project, f); err != nil || now.Events != known+fresh || now.Sessions != 50 || now.Users != 9 {
				t.Errorf("%s: overview %d events, %d sessions, %d users: %v", name, now.Events, now.Sessions, now.Users, err)
			}
			if series, err := in.Series(ctx, project, ingest.SeriesQuery{Filter: f, Interval: ingest.Daily, By: ingest.ByName, Top: 20}); err != nil || len(series) != 7 {
				t.Errorf("%s: %d series: %v", name, len(series), err)
			}
			if list, _, err := in.Sessions(ctx, project, f, ingest.SessionPosition{}, 100); err != nil || len(list) != 50 {
				t.Errorf("%s: %d sessions: %v", name, len(list), err)
			}
			if users, _, err := in.Users(ctx, project, f, ingest.UserPosition{}, 100); err != nil || len(users) != 9 {
				t.Errorf("%s: %d users: %v", name, len(users), err)
			}
			if list, _, err := in.Events(ctx, project, f, ingest.Position{}, 10, true); err != nil || len(list) != 10 {
				t.Errorf("%s: %d events: %v", name, len(list), err)
			}
			if s, samples, err := in.Spread(ctx, project, "tool3", f); err != nil || s.Count != (known+fresh)/7 || len(samples) == 0 {
				t.Errorf("%s: timeline of %d calls: %v", name, s.Count, err)
			}
			if facets, err := in.Facets(ctx, project, ingest.FacetQuery{Filter: f}); err != nil || len(facets) == 0 {
				t.Errorf("%s: facets: %v", name, err)
			}
		}
		if _, tree, err := in.SessionTree(ctx, project, "s1", ingest.Filter{}, nil, true); err != nil || len(tree.Roots) == 0 {
			t.Errorf("tree: %d roots: %v", len(tree.Roots), err)
		}
	}
	ask()
	limitPages(t, w, 1<<30)
	ask()
	if err := in.CatchUp(ctx); err != nil {
		t.Error(err)
	}
	runs := 0
	err := w.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT COUNT(*) FROM event_run`, nil, &runs)
		return err
	})
	if err != nil || runs == 0 {
		t.Errorf("%d runs of the index are stored: %v", runs, err)
	}
}
