package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/internal/ingest"
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
