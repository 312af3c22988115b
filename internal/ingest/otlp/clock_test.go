package otlp_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"understudy/internal/ingest"
	"understudy/internal/platform/clock"
)

// Whether the clock of a world is in the past, is in the future or was moved, spans
// with the real time and spans with the world's time are stored, in both encodings.
// Spans more than a day ahead of both times are rejected. An event has the time that
// was sent, and the time of arrival on the world's clock.
func TestWorldsWithOtherClocksTakeTracesOfToday(t *testing.T) {
	now := time.Now()
	frozen := func(at time.Time) func() *clock.Clock {
		return func() *clock.Clock {
			c := clock.At(now)
			c.Freeze(at)
			return c
		}
	}
	for name, row := range map[string]struct {
		clock func() *clock.Clock
		world time.Time
	}{
		"in 2001":  {frozen(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)), time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)},
		"in 2040":  {frozen(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)), time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)},
		"moved on": {func() *clock.Clock { c := frozen(now)(); c.Advance(400 * 24 * time.Hour); return c }, now.Add(400 * 24 * time.Hour)},
		"moved back": {func() *clock.Clock {
			c := frozen(now.Add(30 * 24 * time.Hour))()
			c.Freeze(now.Add(-30 * 24 * time.Hour))
			return c
		}, now.Add(-30 * 24 * time.Hour)},
	} {
		for _, kind := range []string{protobuf, jsonType} {
			t.Run(name+" "+kind, func(t *testing.T) {
				w := openAt(t, row.clock())
				later := now
				if row.world.After(later) {
					later = row.world
				}
				starts := []time.Time{now, row.world, later.Add(23 * time.Hour), later.Add(25 * time.Hour)}
				var spans []*tracepb.Span
				for i, at := range starts {
					s := span(byte(i + 1))
					s.StartTimeUnixNano, s.EndTimeUnixNano = uint64(at.UnixNano()), uint64(at.Add(7*time.Millisecond).UnixNano())
					spans = append(spans, s)
				}
				body := request(spans...)
				if kind == jsonType {
					body = inJSON(t, body)
				}
				rec := w.send(kind, body)
				if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "1 of 4 spans were rejected. span 0404040404040404: timestamp must not be more than 24 hours ahead") {
					t.Fatalf("%d %q", rec.Code, rec.Body)
				}
				events, _, err := w.in.Events(ctx, w.in.DefaultProject(), ingest.Filter{}, ingest.Position{}, 10, true)
				if err != nil || len(events) != 3 {
					t.Fatalf("%d events, %v", len(events), err)
				}
				sent := map[int64]bool{}
				for _, e := range events {
					sent[e.Event.Time] = true
					if e.Received != row.world.UnixMilli() || e.Latency != 7 {
						t.Errorf("received at %d for %d ms, the world's time is %d", e.Received, e.Latency, row.world.UnixMilli())
					}
				}
				for _, at := range starts[:3] {
					if !sent[at.UnixMilli()] {
						t.Errorf("no event has the time %d that was sent: %v", at.UnixMilli(), sent)
					}
				}
			})
		}
	}
}
