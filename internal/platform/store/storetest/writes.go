package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/store"
)

func failedWritesLeaveNothing(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	ctx := context.Background()
	refused := errors.New("refused")
	var wg sync.WaitGroup
	var mu sync.Mutex
	committed := 0
	for i := range 60 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			write := w.Write
			if i%2 == 1 {
				write = w.WriteDerived
			}
			err := write(ctx, func(tx *store.Tx) error {
				if _, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil {
					return err
				}
				tx.AfterCommit(func() { mu.Lock(); committed++; mu.Unlock() })
				switch i % 3 {
				case 1:
					return refused
				case 2:
					panic("a bug in one caller")
				}
				return nil
			})
			if (err == nil) != (i%3 == 0) || i%3 == 1 && !errors.Is(err, refused) {
				t.Errorf("write %d: %v", i, err)
			}
		}()
	}
	wg.Wait()
	var n int64
	err := w.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.Get("SELECT COUNT(*) FROM item", nil, &n)
		return err
	})
	if err != nil || n != 20 || committed != 20 {
		t.Fatalf("%d rows, %d hooks, want 20: %v", n, committed, err)
	}
}

// Who draws from a sequence in a write must not draw twice because of a neighbour.
func writesRunOnce(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	w.RunOnce()
	refused := errors.New("refused")
	var wg sync.WaitGroup
	begun, full := make(chan struct{}), make(chan struct{})
	runs := make([]int, 90)
	for i := range runs {
		if i == 1 {
			<-begun // the others gather behind the first
		}
		wg.Go(func() {
			err := w.Write(context.Background(), func(tx *store.Tx) error {
				if i == 0 {
					close(begun)
					<-full
				}
				runs[i]++
				if _, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil || i%3 == 0 {
					return err
				}
				return refused
			})
			if (err == nil) != (i%3 == 0) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond) // a batch that is smaller shows less
	close(full)
	wg.Wait()
	var n int64
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get("SELECT COUNT(*) FROM item", nil, &n)
		return err
	})
	if err != nil || n != 30 {
		t.Errorf("%d rows, want 30: %v", n, err)
	}
	for i, n := range runs {
		if n != 1 {
			t.Errorf("write %d ran %d times", i, n)
		}
	}
}

// What follows commits runs in their order, as far as one had to wait for the other.
func callbacksFollowTheOrderOfCommits(t *testing.T, s store.Store) {
	w := open(t, s, counted)
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
}

// A caller that goes away while its change is committed has it or not: what is
// to follow does so exactly when the change is there.
func callbacksMatchCommits(t *testing.T, s store.Store) {
	w := open(t, s, counted)
	var mu sync.Mutex
	called := map[string]bool{}
	for i := range 300 {
		ctx, cancel := context.WithCancel(context.Background())
		var timer *time.Timer
		_ = w.Write(ctx, func(tx *store.Tx) error {
			id := fmt.Sprint(i)
			if _, err := tx.Exec(`INSERT INTO other (id) VALUES (?)`, id); err != nil {
				return err
			}
			tx.AfterCommit(func() { mu.Lock(); called[id] = true; mu.Unlock() })
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
		if !called[id] {
			t.Errorf("%s is there and nothing followed", id)
		}
	}
	if len(kept) != len(called) {
		t.Errorf("%d are there, %d were followed", len(kept), len(called))
	}
}

// Closing waits for what runs, and whoever comes later is refused: what is
// dropped or made anew under the same name is reached by nobody who had it open.
func closedWorldsRefuse(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	ctx := context.Background()
	begun, closed := make(chan bool), make(chan error)
	result := make(chan error, 1)
	go func() {
		result <- w.Write(ctx, func(tx *store.Tx) error {
			close(begun)
			select {
			case <-closed:
				return errors.New("it was closed meanwhile")
			case <-time.After(50 * time.Millisecond):
			}
			_, err := tx.Exec("INSERT INTO log (item_id) VALUES ('a')")
			return err
		})
	}()
	<-begun
	go func() { closed <- w.Close() }()
	if err := <-result; err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	never := func(*store.Tx) error { t.Error("it is used after it was closed"); return nil }
	for _, err := range []error{w.Write(ctx, never), w.Read(ctx, func(tx *store.Tx) error {
		_, err := tx.Get("SELECT 1", nil, new(int64))
		return err
	})} {
		if !errors.Is(err, store.Unavailable) {
			t.Errorf("a closed world answers %v", err)
		}
	}
}
