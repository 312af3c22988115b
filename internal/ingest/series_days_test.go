package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/internal/ingest"
)

// Each day of a series begins with the first moment of its date: also where a date
// does not exist (Samoa crossed the date line), or midnight does not or exists twice.
func TestADayBeginsWithTheFirstMomentOfItsDate(t *testing.T) {
	for _, c := range []struct{ zone, from, days string }{
		{"Pacific/Apia", "2011-12-28T00:00:00-10:00", "28 29 31 1 "},
		{"America/Havana", "2026-10-31T00:00:00-04:00", "31 1 2 3 "},
		{"America/Santiago", "2026-09-05T00:00:00-04:00", "5 6 7 8 "},
		{"Asia/Amman", "2021-10-28T00:00:00+03:00", "28 29 30 31 "},
		{"Europe/Berlin", "2026-03-28T00:00:00+01:00", "28 29 30 31 "},
		{"Africa/Cairo", "2026-10-28T00:00:00+03:00", "28 29 30 31 "},
		{"Atlantic/Azores", "2026-10-24T00:00:00Z", "24 25 26 27 "},
	} {
		t.Run(c.zone, func(t *testing.T) {
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			from, err := time.Parse(time.RFC3339, c.from)
			if err != nil {
				t.Fatal(err)
			}
			var events []ingest.Event
			want, days := map[int64]int64{}, "" // the events by day, and the days in their order
			last := ""
			for at := from; ; at = at.Add(30 * time.Minute) {
				date := at.In(zone).Format(time.DateOnly)
				if date != last && len(want) == 4 {
					break
				}
				if date != last {
					days += fmt.Sprint(at.In(zone).Day(), " ")
					from, last = at, date
				}
				want[from.UnixMilli()]++
				events = append(events, ingest.Event{ID: fmt.Sprint("e", len(events)), Session: "s", Name: "tool", Time: at.UnixMilli(), Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent})
			}
			if days != c.days {
				t.Fatalf("the days are %s, want %s", days, c.days)
			}
			run(t, func(t *testing.T, in *ingest.Ingest) {
				capture(t, in, events)
				for _, fill := range []bool{false, true} {
					got, err := in.Series(ctx, project, ingest.SeriesQuery{Interval: ingest.Daily, Zone: zone, Fill: fill})
					if err != nil {
						t.Fatal(err)
					}
					if len(got[0].Points) != len(want) {
						t.Fatalf("%d points, want %d", len(got[0].Points), len(want))
					}
					for _, p := range got[0].Points {
						if p.Events != want[p.Time] {
							t.Errorf("%d events on the day of %s, want %d", p.Events, time.UnixMilli(p.Time).In(zone), want[p.Time])
						}
					}
				}
			})
		})
	}
}
