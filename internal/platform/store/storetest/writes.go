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
	writes := []func(context.Context, func(*store.Tx) error) error{w.Write, w.WriteDerived, w.WriteBeside}
	for i := range 60 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := writes[i/3%len(writes)](ctx, func(tx *store.Tx) error {
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

// Deferred statements have run when the next statement returns, and their keys
// are set at the commit.
func statementsMayComeLater(t *testing.T, s store.Store) {
	w := open(t, s, counted)
	ctx := context.Background()
	var first, second int64
	err := w.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertIDLater(&first, "seq", `INSERT INTO entry (text) VALUES (?)`, "a"); err != nil {
			return err
		}
		if err := tx.ExecLater(`UPDATE counter SET next = next + ? WHERE id = 1`, 5); err != nil {
			return err
		}
		var n, next int64
		if _, err := tx.Get(`SELECT COUNT(*), MAX(next) FROM entry CROSS JOIN counter`, nil, &n, &next); err != nil || n != 1 || next != 6 || first == 0 {
			t.Errorf("%d entries, next %d, key %d: %v", n, next, first, err)
		}
		if err := tx.ExecLater(`INSERT INTO other (id) VALUES (?)`, "b"); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			if second == 0 {
				t.Error("the key is not known after the commit")
			}
		})
		return tx.InsertIDLater(&second, "seq", `INSERT INTO entry (text) VALUES (?)`, "c")
	})
	if err != nil || second <= first {
		t.Fatalf("keys %d and %d: %v", first, second, err)
	}
	shows(t, w, "the world", fmt.Sprintf("6 counter, %d a, %d c, 0 b", first, second))
}

// Callbacks run in the order of commits, if one had to wait for the other.
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

// If a caller's context ends during the commit, its callback runs exactly when
// the change was committed.
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
	time.Sleep(100 * time.Millisecond) // the server may still be committing one
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

// Close waits for running work and refuses new work, so that nobody who had a
// world open can reach another of the same name.
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
