package ingest_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// kinds returns events of all kinds of primitive, over three days.
func kinds(n int) []ingest.Event {
	r := rand.New(rand.NewPCG(5, 8))
	out := make([]ingest.Event, n)
	for i := range out {
		out[i] = random(r, i)
		out[i].ID = fmt.Sprint("e", i)
		out[i].Type = []string{"tool", "", "agent", "model", "step", "retrieval"}[r.IntN(6)]
		if r.IntN(2) == 0 {
			out[i].Parent = "e0"
			if i == 0 {
				out[i].Parent = ""
			}
		}
	}
	return out
}

// counted checks that the roll-ups have the turns and calls that the events have.
func counted(t *testing.T, in *ingest.Ingest, events []ingest.Event) {
	t.Helper()
	for _, kind := range []ingest.Kind{ingest.Turns, ingest.Calls} {
		want, got := map[string]int64{}, map[string]int64{}
		for i := range events {
			if kindOf(&events[i]) == kind {
				want[events[i].Name]++
			}
		}
		totals, err := in.Totals(ctx, project, ingest.Filter{}, ingest.ByName, kind) // by the roll-ups
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range totals {
			got[x.Key] = x.Events
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("kind %d: %v, want %v", kind, got, want)
		}
	}
}

// Agents, calls of models and steps below another event are calls of no tool.
func TestOnlyToolsCountAsTools(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		events := kinds(3000)
		capture(t, in, events)
		counted(t, in, events)
		now, _, err := in.Overview(ctx, project, ingest.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		calls := int64(0)
		for i := range events {
			if kindOf(&events[i]) == ingest.Calls {
				calls++
			}
		}
		if now.Calls != calls {
			t.Errorf("%d tool calls, want %d", now.Calls, calls)
		}
	})
}

// Data of an older version keeps its sums of sessions and gets its sums by hour
// and day anew.
func TestOldRollUpsAreBuiltAnew(t *testing.T) {
	for _, next := range []string{"0008", "0010"} { // migrations that change their form
		t.Run(next, func(t *testing.T) { builtAnew(t, next) })
	}
}

// builtAnew opens data of the version before a migration with all migrations.
func builtAnew(t *testing.T, next string) {
	all := ingest.EventsSchema()
	older, files := fstest.MapFS{}, []string{}
	entries, err := fs.ReadDir(all.Migrations, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() >= next {
			continue
		}
		text, err := fs.ReadFile(all.Migrations, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		older[e.Name()], files = &fstest.MapFile{Data: text}, append(files, e.Name())
	}
	if len(files) == 0 {
		t.Fatal("no older migrations")
	}
	before := all
	before.Migrations = older
	upgraded := func(t *testing.T, url string) {
		dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
		world := func(schema store.Schema) (*store.World, func()) {
			s, err := storetest.Open(ctx, url, dir)
			if err != nil {
				t.Fatal(err)
			}
			w, err := s.Open(ctx, "upgraded", []store.Schema{blockstore.Schema(), schema})
			if err != nil {
				t.Fatal(err)
			}
			return w, func() { _, _ = w.Close(), s.Close() }
		}
		service := func(w *store.World) (*ingest.Ingest, func()) {
			events := blockstore.Open(w, log)
			in := ingest.New(ingest.Deps{Events: w, Store: events, Upkeep: events.Upkeep, Clock: clock.At(time.UnixMilli(start).Add(72 * time.Hour)), IDs: ids.Seeded(1, 0), Log: log})
			return in, func() { in.Close(); events.Close() }
		}
		events := kinds(45_000) // more than two passes
		w, end := world(before)
		blocks := blockstore.Open(w, log)
		for i := range events {
			events[i].Received = events[i].Time
		}
		for i := 0; i < len(events); i += 3000 {
			if err := blocks.Append(ctx, project, events[i:i+3000]); err != nil {
				t.Fatal(err)
			}
		}
		// What the older version had summed up: all but the last 3,000.
		err := w.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(`INSERT INTO ingest_progress (name, seq) VALUES ('rollup', 42000)`)
			if err == nil {
				_, err = tx.Exec(`INSERT INTO ingest_session (project, id, user_id, traits, metadata, attributes, client_config, started, registered, last_event, events, errors, input_tokens, output_tokens)
					VALUES (?, 's0', '', '{}', '{}', '{}', '', ?, TRUE, ?, 1000000, 0, 0, 0)`, project, start, start)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		blocks.Close()
		end()

		w, end = world(all)
		defer end()
		in, done := service(w)
		defer done()
		counted(t, in, events)
		late := int64(0)
		for i := 42000; i < len(events); i++ {
			if events[i].Session == "s0" {
				late++
			}
		}
		sessions, _, err := in.Sessions(ctx, project, ingest.Filter{}, ingest.SessionPosition{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions {
			if s.ID == "s0" && s.Events != 1_000_000+late {
				t.Errorf("session s0 has %d events: its sums were built anew too", s.Events)
			}
		}
		counted(t, in, events)
	}
	t.Run("sqlite", func(t *testing.T) { upgraded(t, "") })
	t.Run("postgres", func(t *testing.T) { upgraded(t, storetest.DatabaseURL(t)) })
}
