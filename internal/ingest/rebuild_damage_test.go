package ingest_test

import (
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

// Sums by hour and day that are damaged are built anew from the events, by the
// first that reads them: a question, a capture or an erasure.
func TestDamagedSumsAreBuiltAnew(t *testing.T) {
	storetest.Run(t, []store.Schema{blockstore.Schema(), ingest.EventsSchema()}, func(t *testing.T, w *store.World) {
		log := slog.New(slog.DiscardHandler)
		stored := blockstore.Open(w, log)
		defer stored.Close()
		in := ingest.New(ingest.Deps{Events: w, Store: stored, Upkeep: stored.Upkeep, Clock: clock.At(time.UnixMilli(start).Add(72 * time.Hour)), IDs: ids.Seeded(1, 0), Log: log})
		defer in.Close()
		events := kinds(3000)
		capture(t, in, events[:2000])
		counted(t, in, events[:2000])
		damage := func() {
			t.Helper()
			if err := in.CatchUp(ctx); err != nil {
				t.Fatal(err)
			}
			err := w.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Exec(`UPDATE ingest_rollup SET sketch = ?`, store.Blob([]byte("damaged")))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		damage()
		counted(t, in, events[:2000]) // the question that finds it
		counted(t, in, events[:2000])
		damage()
		capture(t, in, events[2000:])
		counted(t, in, events)
		damage()
		gone := events[0].Session
		if _, err := in.Erase(ctx, project, ingest.Erased{Sessions: []string{gone}}); err != nil {
			t.Fatal(err)
		}
		if err := in.FinishErasures(ctx); err != nil {
			t.Fatal(err)
		}
		var left []ingest.Event
		for _, e := range events {
			if e.Session != gone {
				left = append(left, e)
			}
		}
		counted(t, in, left)
		counted(t, in, left)
	})
}
