package postgres_test

import (
	"errors"
	"testing"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A write beside the others does not wait for them, sees only what is committed,
// and they do not wait for it.
func TestWritesBesideOthersDoNotWait(t *testing.T) {
	w := storetest.Postgres(t, items)
	insert := func(id string) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, 1, TRUE)", id)
			return err
		}
	}
	seen := func(tx *store.Tx) (n int, err error) {
		_, err = tx.Get("SELECT COUNT(*) FROM item", nil, &n)
		return n, err
	}
	beside := make(chan error, 1)
	if err := w.Write(t.Context(), func(tx *store.Tx) error {
		if err := insert("a")(tx); err != nil {
			return err
		}
		go func() {
			beside <- w.WriteBeside(t.Context(), func(tx *store.Tx) error {
				if n, err := seen(tx); err != nil || n != 0 {
					return errors.Join(err, errors.New("an uncommitted row is seen"))
				}
				return insert("b")(tx)
			})
		}()
		select {
		case err := <-beside:
			return err
		case <-time.After(5 * time.Second):
			return errors.New("a write beside waits for another write")
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteBeside(t.Context(), func(tx *store.Tx) error {
		if err := insert("c")(tx); err != nil {
			return err
		}
		written := make(chan error, 1)
		go func() { written <- w.Write(t.Context(), insert("d")) }()
		select {
		case err := <-written:
			return err
		case <-time.After(5 * time.Second):
			return errors.New("a write waits for one beside")
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Read(t.Context(), func(tx *store.Tx) error {
		if n, err := seen(tx); err != nil || n != 4 {
			return errors.Join(err, errors.New("rows are missing"))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A function that hides the error of a statement has written nothing, and learns
// it.
func TestAWriteBesideThatFailedSaysSo(t *testing.T) {
	w := storetest.Postgres(t, items)
	called := false
	err := w.WriteBeside(t.Context(), func(tx *store.Tx) error {
		tx.AfterCommit(func() { called = true })
		_, _ = tx.Exec("INSERT INTO item (id, n, ok) VALUES ('a', 1, TRUE)")
		_, _ = tx.Exec("INSERT INTO item (id, n, ok) VALUES ('a', 1, TRUE)")
		return nil
	})
	if err == nil || called {
		t.Errorf("error %v, callback %v", err, called)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteBeside(t.Context(), func(*store.Tx) error { return nil }); !errors.Is(err, store.Closed) {
		t.Errorf("in a closed world: %v", err)
	}
}
