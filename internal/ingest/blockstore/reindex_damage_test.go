package blockstore

import (
	"context"
	"math/rand/v2"
	"testing"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A damaged part of the index is built anew from the events by the first
// question that reads it.
func TestADamagedIndexIsBuiltAnew(t *testing.T) {
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		ctx := context.Background()
		s := open(t, w)
		defer s.Close()
		s.Lazy = true
		const n = fullRows + 100
		list := events(0, n)
		for i := range list {
			list[i].Name, list[i].Args, list[i].Result = "search", "refund", "failed"
			list[i].Success, list[i].Latency, list[i].Metadata = i%2 == 0, 100, `{"checkpoint.db":40}`
		}
		for i := 0; i < n; i += 500 {
			if err := s.Append(ctx, "p", list[i:min(i+500, n)]); err != nil {
				t.Fatal(err)
			}
		}
		ask := func(when string) (checkpoints, failures int) {
			t.Helper()
			sums, err := s.Sum(ctx, ingest.Sum{Match: ingest.Match{Project: "p", Texts: []string{"refund"}}})
			if err != nil || len(sums) != 1 || sums[0].Events != n {
				t.Errorf("%s: %d sums: %v", when, len(sums), err)
			}
			spread, err := s.Spread(ctx, ingest.Match{Project: "p", Names: []string{"search"}})
			if err != nil || spread.Count != n {
				t.Errorf("%s: timeline of %d: %v", when, spread.Count, err)
			}
			for _, c := range spread.Checkpoints {
				checkpoints += int(c.Offsets.Count())
			}
			failed, err := s.Failures(ctx, ingest.Match{Project: "p"})
			if err != nil {
				t.Errorf("%s: %v", when, err)
			}
			for _, f := range failed {
				failures += int(f.Count)
			}
			return checkpoints, failures
		}
		checkpoints, failures := ask("before")
		if failures != n/2 || checkpoints != n {
			t.Fatalf("%d checkpoints, %d failures", checkpoints, failures)
		}
		for column, table := range map[string]string{"terms": "event_run_term", "marks": "event_run", "fails": "event_run"} {
			err := w.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Exec(`UPDATE `+table+` SET `+column+` = ?`, store.Blob([]byte("damaged")))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if c, f := ask(column); c != checkpoints || f != failures {
				t.Errorf("%s: %d checkpoints and %d failures, of %d and %d", column, c, f, checkpoints, failures)
			}
		}
		r := rand.New(rand.NewPCG(1, 8))
		rebuilt := 0
		s.Rebuilt = func() { rebuilt++ }
		for n := range 5 {
			for column, row := range map[string][2]string{"terms": {"event_run_term", "run"}, "marks": {"event_run", "first"}, "fails": {"event_run", "first"}} {
				to := flip(r)
				if n == 0 {
					to = cutTo(0)
				}
				change(t, w, r, row[0], row[1], column, to)
				if c, f := ask(column); c != checkpoints || f != failures {
					t.Errorf("a bit of %s: %d checkpoints and %d failures, of %d and %d", column, c, f, checkpoints, failures)
				}
			}
		}
		if rebuilt < 5 { // a page of terms is read by those who look for one
			t.Errorf("%d damaged parts were found", rebuilt)
		}
	})
}

// Whatever stands in the stored form of an index, reading it ends.
func FuzzIndex(f *testing.F) {
	r := run{first: 1, last: 3}
	for i, e := range events(1, 4) {
		e.Success, e.Metadata = i == 0, `{"checkpoint.db":40}`
		r.addAll([]ingest.Event{e}, &ingest.Columns{First: int64(i + 1)})
	}
	pages, _ := r.postings.pages()
	f.Add(pages[0], uint64(1), true)
	f.Add(r.marks.encode(), uint64(1), true)
	f.Add(r.fails.encode(), uint64(1), true)
	f.Fuzz(func(t *testing.T, b []byte, term uint64, compress bool) {
		if compress && len(b) < 1<<16 { // so that the bytes are not all refused by the checksum of the compression
			b = encoder.EncodeAll(b, nil)
		}
		_, _, _ = rowsInPage(b, term, nil)
		var m marks
		_ = m.decode(b, 1, []timedRow{{number: 1}, {number: 2}, {number: 1 << 20}})
		_, _ = decodeFails(b)
	})
}
