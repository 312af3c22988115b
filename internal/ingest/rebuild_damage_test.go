package ingest_test

import (
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Sums by hour and day that are damaged are built anew from the events, by the
// first that reads them: a question, a capture or an erasure.
func TestDamagedSumsAreBuiltAnew(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		in := over(t, w)
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
