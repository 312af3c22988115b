package ingest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/ingest/blockstore"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	project = "p"
	start   = int64(1_763_683_200_000) // a midnight
)

var ctx = context.Background()

var schemas = []store.Schema{blockstore.Schema(), ingest.EventsSchema()}

func run(t *testing.T, test func(t *testing.T, in *ingest.Ingest)) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) { test(t, over(t, w)) })
}

// over returns the service on a world, until the end of the test. changes change
// what it uses.
func over(t *testing.T, w *store.World, changes ...func(d *ingest.Deps)) *ingest.Ingest {
	log := slog.New(slog.DiscardHandler)
	events := blockstore.Open(w, log)
	d := ingest.Deps{Events: w, Store: events, Upkeep: events.Upkeep, Clock: clock.At(time.UnixMilli(start).Add(72 * time.Hour)), IDs: ids.Seeded(1, 0), Log: log}
	for _, change := range changes {
		change(&d)
	}
	in := ingest.New(d)
	t.Cleanup(events.Close)
	t.Cleanup(in.Close)
	return in
}

func capture(t *testing.T, in *ingest.Ingest, events []ingest.Event) {
	t.Helper()
	for i := range events {
		if err := in.CheckEvent(&events[i], true, in.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.CaptureEvents(ctx, project, events); err != nil {
		t.Fatal(err)
	}
}

func random(r *rand.Rand, n int) ingest.Event {
	return ingest.Event{Session: fmt.Sprint("s", r.IntN(20)), Name: fmt.Sprint("tool", r.IntN(3)), Type: "tool", Model: fmt.Sprint("m", r.IntN(2)),
		User: []string{"", "u1", "u2", "u3"}[r.IntN(4)], Customer: fmt.Sprint("c", r.IntN(2)), Time: start + r.Int64N(60*3600*1000),
		Success: r.IntN(4) > 0, Latency: int64(math.Exp(r.NormFloat64()*1.2 + 5)), InputTokens: int64(n % 11), OutputTokens: ingest.Absent}
}

// exact returns a percentile of all values, by the rank that the sketch uses.
func exact(all []int64, q float64) float64 {
	slices.Sort(all)
	return float64(all[max(int(math.Ceil(q*float64(len(all))*(1-1e-12))), 1)-1])
}

func TestToolsAndSeriesAreRight(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		for i, user := range []string{"u1", "u2"} {
			s := ingest.Session{ID: fmt.Sprint("s", i), User: user, Traits: ingest.Members{"plan": json.RawMessage(fmt.Sprintf(`"plan%d"`, i))}, Started: start}
			if err := in.CaptureSession(ctx, project, s); err != nil {
				t.Fatal(err)
			}
		}
		r := rand.New(rand.NewPCG(7, 7))
		var events []ingest.Event
		for n := range 6000 { // late ones correct their hour: times are in no order
			events = append(events, random(r, n))
			if len(events)%700 == 0 {
				capture(t, in, events[len(events)-700:])
				if err := in.CatchUp(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		capture(t, in, events[len(events)/700*700:])
		yes := true
		for name, f := range map[string]ingest.Filter{
			"all": {}, "whole hours": {From: start + 5*3600_000, To: start + 50*3600_000},
			"any period": {From: start + 5_555_555, To: start + 155_555_555}, "within an hour": {From: start + 100, To: start + 3_000_000},
			"outcome": {Success: &yes}, "model": {Models: []string{"m1"}}, "customer": {Customers: []string{"c1"}}, "user": {Users: []string{"u1"}},
			"trait": {Traits: []ingest.Named{{Name: "plan", Values: []string{"plan1"}}}, From: start + 1_000_000},
		} {
			owner := func(e *ingest.Event) string {
				if e.User != "" {
					return e.User
				}
				return map[string]string{"s0": "u1", "s1": "u2"}[e.Session]
			}
			pass := func(e *ingest.Event) bool {
				return e.Time >= f.From && (f.To == 0 || e.Time < f.To) && (f.Success == nil || e.Success) && (f.Models == nil || e.Model == f.Models[0]) &&
					(f.Customers == nil || e.Customer == f.Customers[0]) && (f.Users == nil || owner(e) == f.Users[0]) && (f.Traits == nil || owner(e) == "u2")
			}
			latencies, errors, perDay, users := map[string][]int64{}, map[string]int64{}, map[int64]int64{}, map[int64]map[string]bool{}
			for i := range events {
				e := &events[i]
				if !pass(e) {
					continue
				}
				latencies[e.Name] = append(latencies[e.Name], e.Latency)
				if !e.Success {
					errors[e.Name]++
				}
				day := e.Time - e.Time%(24*3600_000)
				perDay[day]++
				if users[day] == nil {
					users[day] = map[string]bool{}
				}
				users[day][owner(e)] = true
			}
			tools, err := in.Totals(ctx, project, f, ingest.ByName, ingest.Calls)
			if err != nil {
				t.Fatal(err)
			}
			if len(tools) != len(latencies) {
				t.Errorf("%s: %d tools, want %d", name, len(tools), len(latencies))
			}
			for _, tool := range tools {
				all := latencies[tool.Key]
				p := tool.Latencies.Percentiles(.5, .95, .99)
				if tool.Events != int64(len(all)) || tool.Errors != errors[tool.Key] {
					t.Errorf("%s: %s has %d calls and %d errors, want %d and %d", name, tool.Key, tool.Events, tool.Errors, len(all), errors[tool.Key])
				}
				for q, got := range map[float64]float64{.5: p[0], .95: p[1], .99: p[2]} {
					if want := exact(all, q); math.Abs(got-want) > .02*want {
						t.Errorf("%s: p%v of %s is %v, exactly %v", name, 100*q, tool.Key, got, want)
					}
				}
			}
			for _, distinct := range []bool{false, true} {
				series, err := in.Series(ctx, project, ingest.SeriesQuery{Filter: f, Interval: ingest.Daily, Distinct: distinct})
				if err != nil {
					t.Fatal(err)
				}
				points := series[0].Points
				if len(points) != len(perDay) {
					t.Errorf("%s: %d days, want %d", name, len(points), len(perDay))
				}
				for _, p := range points {
					want := int64(0)
					if distinct {
						want = int64(len(users[p.Time]))
						if users[p.Time][""] { // events of nobody count for nobody
							want--
						}
					}
					if p.Events != perDay[p.Time] || p.Users != want {
						t.Errorf("%s: %d events and %d users on %d, want %d and %d", name, p.Events, p.Users, p.Time, perDay[p.Time], want)
					}
				}
			}
		}
	})
}

func TestSessionsMerge(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		capture(t, in, []ingest.Event{{Session: "s", Time: start + 5000, Success: true, Latency: 3, InputTokens: 10, OutputTokens: ingest.Absent}})
		s, tree, err := in.SessionTree(ctx, project, "s", ingest.Filter{}, nil, false)
		if err != nil || s.Registered || s.Started != start+5000 || s.Events != 1 || len(tree.Roots) != 1 {
			t.Errorf("a session known by its events: %+v, %d, %v", s, len(tree.Roots), err)
		}
		for _, s := range []ingest.Session{
			{ID: "s", User: "u", Started: start + 9000, Traits: ingest.Members{"plan": json.RawMessage(`"free"`), "old": json.RawMessage(`1`)}},
			{ID: "s", User: "u", Started: start + 1000, Traits: ingest.Members{"plan": json.RawMessage(`"pro"`), "old": json.RawMessage(`null`), "tags": json.RawMessage(`["a","b"]`)}},
		} {
			if err := in.CaptureSession(ctx, project, s); err != nil {
				t.Fatal(err)
			}
		}
		s, tree, err = in.SessionTree(ctx, project, "s", ingest.Filter{}, nil, false)
		if err != nil || !s.Registered || s.Started != start+1000 || s.InputTokens != 10 || tree.Roots[0].User != "u" {
			t.Errorf("%+v %v", s, err)
		}
		if traits, _ := json.Marshal(s.Traits); string(traits) != `{"plan":"pro","tags":["a","b"]}` {
			t.Errorf("traits %s", traits)
		}
		values, _, err := in.Traits(ctx, project, ingest.Filter{}, "")
		if got := fmt.Sprint(values); err != nil || got != "[{plan [{pro 1}] false} {tags [{a 1} {b 1}] false}]" {
			t.Errorf("%s %v", got, err)
		}
		if _, _, err := in.SessionTree(ctx, "other", "s", ingest.Filter{}, nil, false); err == nil {
			t.Error("another project sees the session")
		}
	})
}

func TestListsPageWithoutGapOrDouble(t *testing.T) {
	run(t, func(t *testing.T, in *ingest.Ingest) {
		r := rand.New(rand.NewPCG(3, 3))
		var events []ingest.Event
		for n := range 300 {
			e := random(r, n)
			e.Time -= e.Time % 3_600_000 // many at the same time
			events = append(events, e)
		}
		for part := range slices.Chunk(events, 70) {
			capture(t, in, part)
		}
		seen, below := map[string]bool{}, ingest.Position{}
		for {
			page, _, err := in.Events(ctx, project, ingest.Filter{Tools: []string{"tool1"}}, below, 7, false)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				if seen[e.ID] || e.Name != "tool1" || below != (ingest.Position{}) && (e.Event.Time > below.Time) {
					t.Errorf("%s twice, wrong or out of order", e.ID)
				}
				seen[e.ID], below = true, e.Position
			}
		}
		want := 0
		for _, e := range events {
			if e.Name == "tool1" {
				want++
			}
		}
		if len(seen) != want {
			t.Errorf("%d events, want %d", len(seen), want)
		}
	})
}
