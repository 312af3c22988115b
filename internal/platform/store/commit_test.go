package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// What follows commits runs in their order, as far as one had to wait for the other.
func TestWhatFollowsCommitsKeepsTheirOrder(t *testing.T) {
	storetest.Run(t, counted, func(t *testing.T, w *store.World) {
		const writers, each = 8, 150
		var mu sync.Mutex
		var order []int64
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					err := w.Write(context.Background(), func(tx *store.Tx) error {
						if _, err := tx.Exec(`UPDATE counter SET next = next + 1 WHERE id = 1`); err != nil {
							return err
						}
						var next int64
						if _, err := tx.Get(`SELECT next FROM counter WHERE id = 1`, nil, &next); err != nil {
							return err
						}
						tx.AfterCommit(func() { mu.Lock(); order = append(order, next); mu.Unlock() })
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if len(order) != writers*each || !slices.IsSorted(order) {
			t.Errorf("%d of %d followed, in order: %t", len(order), writers*each, slices.IsSorted(order))
		}
	})
}

// A caller that goes away while its change is committed has it or not: what is
// to follow does so exactly when the change is there.
func TestACommitThatIsGivenUp(t *testing.T) {
	storetest.Run(t, counted, func(t *testing.T, w *store.World) {
		var mu sync.Mutex
		told := map[string]bool{}
		for i := range 300 {
			ctx, cancel := context.WithCancel(context.Background())
			var timer *time.Timer
			_ = w.Write(ctx, func(tx *store.Tx) error {
				id := fmt.Sprint(i)
				if _, err := tx.Exec(`INSERT INTO other (id) VALUES (?)`, id); err != nil {
					return err
				}
				tx.AfterCommit(func() { mu.Lock(); told[id] = true; mu.Unlock() })
				timer = time.AfterFunc(time.Duration(i%50)*10*time.Microsecond, cancel)
				return nil
			})
			if timer != nil {
				timer.Stop()
			}
			cancel()
		}
		var kept []string
		look := func() {
			kept = nil
			err := w.Read(context.Background(), func(tx *store.Tx) error {
				return tx.Each(`SELECT id FROM other`, nil, func(r store.Row) error {
					var id string
					err := r.Scan(&id)
					kept = append(kept, id)
					return err
				})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		look()
		time.Sleep(100 * time.Millisecond) // the server may still be at one
		look()
		for _, id := range kept {
			if !told[id] {
				t.Errorf("%s is there and nothing followed", id)
			}
		}
		if len(kept) != len(told) {
			t.Errorf("%d are there, %d were followed", len(kept), len(told))
		}
	})
}
