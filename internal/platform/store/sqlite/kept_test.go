package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"understudy/internal/platform/store"
)

// A value of KeepLong is found by later transactions until its table changes, and
// not after a write that failed.
func TestValuesAreKeptForTheNextTransactions(t *testing.T) {
	s := newFixture(t, t.TempDir())
	open := s.made("one", "")
	failed := errors.New("refused")
	found := 0
	for i := range 40 {
		fails := i%7 == 6
		err := open.Write(context.Background(), func(tx *store.Tx) error {
			n, ok := store.Kept[int64](tx, "notes")
			var now int64
			if _, err := tx.Get("SELECT count(*) FROM note", nil, &now); err != nil {
				return err
			}
			if ok {
				if found++; n != now {
					t.Errorf("write %d: %d kept, %d there", i, n, now)
				}
			}
			if _, err := tx.Exec("INSERT INTO note (text) VALUES (?)", fmt.Sprint(i)); err != nil {
				return err
			}
			if i%5 != 4 {
				store.KeepLong(tx, "notes", now+1, "note")
			}
			if fails {
				return failed
			}
			return nil
		})
		if (err != nil) != fails {
			t.Fatal(i, err)
		}
		if i%10 == 9 {
			open.Backend().(*world).Suspend()
		}
	}
	if found < 10 {
		t.Errorf("%d values were found", found)
	}
	s.check(open.Close())
}

// Many values of KeepLong are dropped together.
func TestFewValuesAreKeptLong(t *testing.T) {
	s := newFixture(t, t.TempDir())
	open := s.made("one", "")
	kept := 0
	for i := range 1000 {
		s.check(open.Write(context.Background(), func(tx *store.Tx) error {
			kept = 0
			for k := range i {
				if _, ok := store.Kept[int](tx, k); ok {
					kept++
				}
			}
			store.KeepLong(tx, i, i, "note")
			return nil
		}))
	}
	if kept == 0 || kept > 300 {
		t.Errorf("%d values are kept", kept)
	}
	s.check(open.Close())
}
