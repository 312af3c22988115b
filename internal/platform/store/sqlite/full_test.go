package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
)

// When space runs out in the middle of a batch, SQLite rolls all of it back by
// itself. Each writer learns whether its own write was committed, and that the
// store failed where it was not; nothing runs outside a transaction afterwards.
func TestSpaceRunsOutInABatch(t *testing.T) {
	for _, once := range []bool{false, true} {
		for place := range 3 {
			t.Run(fmt.Sprintf("once=%v/%d", once, place), func(t *testing.T) {
				s := newFixture(t, t.TempDir())
				w := s.made("a", "")
				if once {
					w.RunOnce()
				}
				s.check(w.Write(context.Background(), func(tx *store.Tx) error {
					_, err := tx.Get("PRAGMA max_page_count = 64", nil, new(int64))
					return err
				}))
				queue := &w.Backend().(*world).queue
				until := func(enough func() bool) {
					for end := clock.Real().Add(time.Second); clock.Real().Before(end); time.Sleep(time.Millisecond) {
						if enough() {
							return
						}
					}
				}
				var writers sync.WaitGroup
				var gather sync.Once
				var leading atomic.Bool
				results := make([]error, 4)
				for i := range results {
					text := fmt.Sprintf("%08d", i)
					if i == place {
						text += strings.Repeat("x", 1<<20)
					}
					writers.Go(func() {
						results[i] = w.Write(context.Background(), func(tx *store.Tx) error {
							if i == 0 { // until all others have come, which makes them one batch
								leading.Store(true)
								gather.Do(func() { until(func() bool { return queue.Len() == len(results)-1 }) })
							}
							_, err := tx.Exec(`INSERT INTO note (text) VALUES (?)`, text)
							return err
						})
					})
					until(func() bool { return leading.Load() && queue.Len() == i || i == len(results)-1 })
				}
				writers.Wait()
				var kept []string
				for i, err := range results {
					if err == nil {
						kept = append(kept, fmt.Sprintf("%08d", i))
					} else if !errors.Is(err, store.Unavailable) {
						t.Errorf("%d: %v", i, err)
					}
				}
				if results[place] == nil {
					t.Error("what has no room was kept")
				}
				s.holds(w, strings.Join(kept, " "))
				s.write(w, "afterall")
				s.holds(w, strings.Join(append(kept, "afterall"), " "))
				s.check(w.Close())
			})
		}
	}
}
