package ingest_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// Sums by hour and day that are damaged are built anew from the events, by the
// first that reads them: a question, a capture or an erasure.
func TestDamagedSumsAreBuiltAnew(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		damaged, rebuilt := 0, 0
		in := over(t, w, func(d *ingest.Deps) { d.Rebuilt = func() { rebuilt++ } })
		events := kinds(3000)
		capture(t, in, events[:2000])
		counted(t, in, events[:2000])
		damage := func() {
			t.Helper()
			damaged++
			if err := in.CatchUp(ctx); err != nil {
				t.Fatal(err)
			}
			err := w.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Exec(`UPDATE ingest_rollup SET parts = ?`, store.Blob([]byte("damaged")))
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
		if rebuilt != damaged {
			t.Errorf("%d of %d damages were reported", rebuilt, damaged)
		}
	})
}

// One bit that changed in the parts of a row, or a number that changed, is found by whoever
// reads the row first: sums stay those of the events.
func TestChangedSumsAreBuiltAnew(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		rebuilt := 0
		in := over(t, w, func(d *ingest.Deps) { d.Rebuilt = func() { rebuilt++ } })
		events := kinds(1500)
		capture(t, in, events)
		counted(t, in, events)
		r := rand.New(rand.NewPCG(4, 4))
		for n := range 16 {
			if err := in.CatchUp(ctx); err != nil {
				t.Fatal(err)
			}
			err := w.Write(t.Context(), func(tx *store.Tx) error {
				columns := []string{"parts", "events", "parts", "at", "parts"}
				column, where := columns[n%len(columns)], ` WHERE grain = 24`
				if column != "parts" {
					_, err := tx.Exec(`UPDATE ingest_rollup SET ` + column + ` = ` + column + ` + 1` + where)
					return err
				}
				type row struct {
					at    int64
					tool  string
					parts []byte
				}
				var rows []row
				err := tx.Each(`SELECT at, tool, parts FROM ingest_rollup`+where+` ORDER BY at, tool`, nil, func(one store.Row) error {
					var k row
					err := one.Scan(&k.at, &k.tool, &k.parts)
					k.parts = bytes.Clone(k.parts)
					rows = append(rows, k)
					return err
				})
				if err != nil {
					return err
				}
				k := rows[r.IntN(len(rows))]
				k.parts[r.IntN(len(k.parts))] ^= 1 << r.IntN(8)
				_, err = tx.Exec(`UPDATE ingest_rollup SET parts = ?`+where+` AND at = ? AND tool = ?`, store.Blob(k.parts), k.at, k.tool)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			before := rebuilt
			for range 2 {
				counted(t, in, events)
			}
			if rebuilt != before+1 {
				t.Errorf("change %d was found %d times", n, rebuilt-before)
			}
		}
	})
}
