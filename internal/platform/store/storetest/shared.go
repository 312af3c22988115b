package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/store"
)

// together runs n writes concurrently and returns their errors. The first waits
// in its transaction until the others are queued, so that transactions contain
// several writes each. fn may run more than once for a write.
func together(w *store.World, n int, fn func(i int, tx *store.Tx) error) []error {
	var wg sync.WaitGroup
	var gather sync.Once
	begun, full := make(chan struct{}), make(chan struct{})
	errs := make([]error, n)
	for i := range n {
		if i == 1 {
			<-begun
		}
		wg.Go(func() {
			errs[i] = w.Write(context.Background(), func(tx *store.Tx) error {
				if i == 0 {
					gather.Do(func() { close(begun); <-full })
				}
				return fn(i, tx)
			})
		})
	}
	time.Sleep(50 * time.Millisecond) // with less time, transactions contain fewer writes, and the test covers less
	close(full)
	wg.Wait()
	return errs
}

// A write that draws from a sequence must not draw twice because of a concurrent
// write.
func writesRunOnce(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	w.RunOnce()
	refused := errors.New("refused")
	runs := make([]int, 90)
	errs := together(w, len(runs), func(i int, tx *store.Tx) error {
		runs[i]++
		if _, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil || i%3 == 0 {
			return err
		}
		return refused
	})
	for i, err := range errs {
		if (err == nil) != (i%3 == 0) {
			t.Errorf("write %d: %v", i, err)
		}
	}
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

// Kept values are valid for the writes of a transaction until a statement changes
// the table; a failed write leaves none.
func whatWritesKeepHolds(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	failed := errors.New("refused")
	var shared atomic.Int64
	errs := together(w, 60, func(i int, tx *store.Tx) error {
		n, ok := store.Kept[int64](tx, "items")
		if ok {
			shared.Add(1)
		} else if _, err := tx.Get("SELECT COUNT(*) FROM item", nil, &n); err != nil {
			return err
		}
		var now int64
		if i%5 == 0 { // the kept value must equal the table's
			if _, err := tx.Get("SELECT COUNT(*) FROM item", nil, &now); err != nil || now != n {
				t.Errorf("%d kept, %d there: %v", n, now, err)
			}
		}
		if err := tx.ExecLater("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil {
			return err
		}
		if _, stale := store.Kept[int64](tx, "items"); stale {
			t.Error("it is kept though the table has changed")
		}
		store.Keep(tx, "items", n+1, "item")
		if i%3 == 2 { // of another table
			if _, err := tx.Exec("INSERT INTO log (item_id) VALUES (?)", fmt.Sprint(i)); err != nil {
				return err
			}
		}
		if _, ok := store.Kept[string](tx, "items"); ok {
			t.Error("a number is a text")
		}
		if i%7 == 6 {
			return failed
		}
		if _, ok := store.Kept[int64](tx, "items"); !ok {
			t.Error("it is not kept though nothing has changed")
		}
		return nil
	})
	for i, err := range errs {
		if (err == nil) == (i%7 == 6) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if shared.Load() == 0 {
		t.Error("no write found what another one of its transaction has kept")
	}
}

// A failed write reports nothing to a witness, even if none of its statements was
// sent to the database.
func failedWritesAreNotNoted(t *testing.T, s store.Store) {
	for _, once := range []bool{false, true} {
		w, err := s.Open(t.Context(), fmt.Sprint("once_", once), sample)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		wt := &Witness{Tables: map[string]store.Noted{store.Inside("item"): {Number: 1}}}
		w.Watch(wt)
		if once {
			w.RunOnce()
		}
		refused := errors.New("refused")
		together(w, 20, func(i int, tx *store.Tx) error {
			if err := tx.ExecLater("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", fmt.Sprint(i), i); err != nil {
				return err
			}
			store.Note(t.Context(), tx, "item", store.Inserted, int64(i))
			if i%3 != 2 {
				return refused
			}
			return nil
		})
		var noted []int64
		for _, c := range wt.Take() {
			if c.Table == 1 {
				noted = append(noted, c.Row)
			}
		}
		slices.Sort(noted)
		if want := []int64{2, 5, 8, 11, 14, 17}; !slices.Equal(noted, want) {
			t.Errorf("once %v: the writes %v are noted, want %v", once, noted, want)
		}
	}
}

// The error of a deferred statement undoes only its own write, even if others ran
// meanwhile, and whether or not it was the last statement.
func lateErrorsUndoOneWrite(t *testing.T, s store.Store) {
	for _, once := range []bool{false, true} {
		w, err := s.Open(t.Context(), fmt.Sprint("once_", once), sample)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		if once {
			w.RunOnce()
		}
		errs := together(w, 40, func(i int, tx *store.Tx) error {
			id, log := fmt.Sprint(i), "INSERT INTO log (item_id) VALUES (?)"
			if i%4 == 1 || i%4 == 2 {
				id = "0" // already the first row's
			}
			if i%4 == 1 {
				if err := tx.ExecLater(log, fmt.Sprint(i)); err != nil {
					return err
				}
			}
			if err := tx.ExecLater("INSERT INTO item (id, n, ok) VALUES (?, ?, TRUE)", id, i); err != nil || i%4 == 1 {
				return err
			}
			_, err := tx.Exec(log, fmt.Sprint(i))
			return err
		})
		for i, err := range errs {
			if (err == nil) != (i%4 == 0 || i%4 == 3) {
				t.Errorf("write %d: %v", i, err)
			}
		}
		var items, lines int64
		err = w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get("SELECT (SELECT COUNT(*) FROM item), (SELECT COUNT(*) FROM log)", nil, &items, &lines)
			return err
		})
		if err != nil || items != 20 || lines != 20 {
			t.Errorf("once %v: %d items, %d lines, want 20: %v", once, items, lines, err)
		}
	}
}
