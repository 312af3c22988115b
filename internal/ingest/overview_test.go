package ingest_test

import (
	"testing"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Where the clock of an environment is behind, agents send real times: a period that
// begins after the clock ends now, so that there is one of the same length before it.
func TestThePeriodBeforeOneOfRealTimes(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		in := over(t, w, func(d *ingest.Deps) { d.Clock = clock.At(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)) })
		now := time.Now().UnixMilli()
		var events []ingest.Event
		for i, ago := range []int64{10, 20, 50, 70, 90, 130} { // minutes
			events = append(events, ingest.Event{ID: string(rune('a' + i)), Session: "s", Time: now - ago*60_000})
		}
		capture(t, in, events)
		this, before, err := in.Overview(ctx, project, ingest.Filter{From: now - 60*60_000})
		if err != nil || this.Events != 3 || before.Events != 2 {
			t.Errorf("%d events, and %d in the hour before: %v", this.Events, before.Events, err)
		}
	})
}
