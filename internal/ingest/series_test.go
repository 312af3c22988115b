package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Events that lie within few periods are in the series, whatever the interval and
// wherever the first period begins: also when that is within an hour or a day.
func TestASeriesOfFewPeriodsHasAllEvents(t *testing.T) {
	const minute, hour, day = int64(60_000), int64(3600_000), int64(24 * 3600_000)
	india := time.FixedZone("IST", int(5.5*3600))
	for name, after := range map[string][]int64{ // a midnight in UTC
		"one hour":                   {17*hour + 58*minute, 17*hour + 58*minute + 1, 17*hour + 59*minute},
		"two hours":                  {16*hour + 59*minute, 17 * hour, 17*hour + 1},
		"one minute":                 {17*hour + 58*minute, 17*hour + 58*minute + 30_000},
		"two days":                   {23 * hour, 23*hour + 59*minute, day, day + hour},
		"a midnight and a half hour": {18*hour + 10*minute, 18*hour + 40*minute, 19 * hour, day + 18*hour + 45*minute},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, in *ingest.Ingest) {
				var events []ingest.Event
				for i, at := range after {
					events = append(events, ingest.Event{Session: "s", Name: fmt.Sprint("tool", i%2), Type: "tool", Time: start + at, Success: true, Latency: 10, InputTokens: 1, OutputTokens: ingest.Absent})
				}
				capture(t, in, events)
				for _, zone := range []*time.Location{nil, india} {
					for _, interval := range []ingest.Interval{ingest.Minutely, ingest.FiveMinutes, ingest.Hourly, ingest.Daily, ingest.Weekly} {
						for _, fill := range []bool{false, true} {
							for period, f := range map[string]ingest.Filter{"all": {}, "from": {From: start + after[0]}, "to": {To: start + after[len(after)-1] + 1}, "both": {From: start, To: start + 2*day}} {
								q := ingest.SeriesQuery{Filter: f, Interval: interval, Zone: zone, Fill: fill}
								if interval == ingest.Minutely && fill {
									continue
								}
								want := map[int64]int64{}
								by := q
								by.Distinct = true // is answered from the events
								exact, err := in.Series(ctx, project, by)
								if err != nil {
									t.Fatal(err)
								}
								total := int64(0)
								for _, p := range exact[0].Points {
									want[p.Time] = p.Events
									total += p.Events
								}
								if total != int64(len(after)) {
									t.Fatalf("%d events, want %d", total, len(after))
								}
								got, err := in.Series(ctx, project, q)
								if err != nil {
									t.Fatal(err)
								}
								if len(got[0].Points) != len(want) {
									t.Errorf("interval %d, zone %v, fill %v, %s: %d points, want %d", interval, zone, fill, period, len(got[0].Points), len(want))
								}
								for _, p := range got[0].Points {
									if p.Events != want[p.Time] {
										t.Errorf("interval %d, zone %v, fill %v, %s: %d events at %d, want %d", interval, zone, fill, period, p.Events, p.Time, want[p.Time])
									}
								}
							}
						}
					}
				}
			})
		})
	}
}

// The points of hours come from the roll-ups where these have many events in a row, and
// from the events otherwise: both are the same, whatever is grouped and filtered. The sums
// are damaged before each question, so that a question of the roll-ups is known by having
// them built anew.
func TestHoursOfTheRollUpsAreThoseOfTheEvents(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		rebuilt := 0
		in := over(t, w, func(d *ingest.Deps) { d.Rebuilt = func() { rebuilt++ } })
		r := rand.New(rand.NewPCG(21, 10))
		types := []string{"tool", "search", "agent", "model", "step"}
		var events []ingest.Event
		for n := range 8000 {
			e := random(r, n)
			e.ID, e.Type, e.Time = fmt.Sprint("e", n), types[r.IntN(len(types))], start+r.Int64N(40*3600_000)
			if e.Parent = "e0"; n == 0 {
				e.Parent = ""
			}
			events = append(events, e)
		}
		for some := range slices.Chunk(events, 900) {
			capture(t, in, some)
		}
		if err := in.PutPrices(ctx, project, []ingest.ModelPrice{{Model: "m1", Input: 3, Output: 5}}); err != nil {
			t.Fatal(err)
		}
		no := false
		middle := start + 5*3600_000 + 1_234_567
		for name, f := range map[string]ingest.Filter{"all": {}, "from": {From: middle}, "to": {To: start + 33*3600_000 + 7}, "both": {From: middle, To: middle + 20*3600_000},
			"names": {Names: []string{"tool1", "tool2"}}, "a model": {Models: []string{"m1"}}, "failures": {Success: &no}} {
			for _, by := range []ingest.Dimension{ingest.ByNothing, ingest.ByName, ingest.ByModel, ingest.BySuccess} {
				q := ingest.SeriesQuery{Filter: f, By: by, Top: 2, Kind: []ingest.Kind{ingest.Everything, ingest.Calls, ingest.Steps}[r.IntN(3)]}
				before := rebuilt
				ofEvents := q
				ofEvents.Types = types // all that there are
				want, err := in.Series(ctx, project, ofEvents)
				if err != nil {
					t.Fatal(err)
				}
				if err := in.CatchUp(ctx); err != nil {
					t.Fatal(err)
				}
				for _, damage := range []bool{false, true} {
					if damage {
						err := w.Write(ctx, func(tx *store.Tx) error {
							_, err := tx.Exec(`UPDATE ingest_rollup SET events = events + 1 WHERE grain = 1`)
							return err
						})
						if err != nil {
							t.Fatal(err)
						}
					}
					got, err := in.Series(ctx, project, q)
					if err != nil {
						t.Fatal(err)
					}
					if a, b := shown(got), shown(want); a != b {
						t.Errorf("%s by %d, kind %d, damaged %v:\n%s\nwant\n%s", name, by, q.Kind, damage, a, b)
					}
				}
				if rebuilt != before+1 {
					t.Errorf("%s by %d: the roll-ups were not read", name, by)
				}
			}
		}
	})
}

// shown describes series to compare them.
func shown(list []ingest.Series) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s %v\n", s.Key, s.Rest)
		for i := range s.Points {
			p := &s.Points[i]
			fmt.Fprintln(&b, p.Time, p.Events, p.Errors, p.Turns, p.Calls, p.InputTokens, p.OutputTokens, ingest.RoundCost(p.Cost), p.Latencies.Count(), p.Latencies.Percentiles(.5, .95, .99))
		}
	}
	return b.String()
}
