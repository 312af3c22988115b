package storetest

import (
	"context"
	"fmt"
	"testing"

	"understudy/internal/platform/store"
)

func typesRoundTrip(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	ctx := context.Background()
	err := w.Write(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec("INSERT INTO item (id, n, ok, note) VALUES (?, ?, ?, ?)", "a", 7, true, []byte(`{"x":"?"}`))
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows", n)
		}
		if err != nil {
			return err
		}
		return tx.ExecBatch("INSERT INTO item (id, n, ok, note) VALUES (?, ?, ?, NULL)", [][]any{{"b", 1, false}, {"B", 2, false}})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Read(ctx, func(tx *store.Tx) error {
		var id, dialect string
		var n int64
		var ok bool
		var note *string
		if found, err := tx.Get("SELECT id, n, ok, note FROM item WHERE note = '{\"x\":\"?\"}' AND id = ?", []any{"a"}, &id, &n, &ok, &note); err != nil || !found {
			return fmt.Errorf("found %v: %w", found, err)
		}
		if id != "a" || n != 7 || !ok || note == nil || *note != `{"x":"?"}` {
			t.Errorf("got %q %d %v %v", id, n, ok, note)
		}
		if _, err := tx.Get("SELECT note FROM item WHERE id = 'b'", nil, &note); err != nil || note != nil {
			t.Errorf("note of b: %v, %v", note, err)
		}
		var borrowed store.Borrowed
		var read []string
		err := tx.Each("SELECT note FROM item ORDER BY id DESC", nil, func(r store.Row) error {
			err := r.Scan(&borrowed)
			read = append(read, string(borrowed))
			return err
		})
		if err != nil || fmt.Sprintf("%q", read) != `["" "{\"x\":\"?\"}" ""]` {
			t.Errorf("borrowed notes: %q, %v", read, err)
		}
		if _, err := tx.Get("SELECT name FROM dialect", nil, &dialect); err != nil || dialect != tx.Dialect().Name {
			t.Errorf("dialect %q: %v", dialect, err)
		}
		var order []string
		err = tx.Each("SELECT id FROM item ORDER BY id", nil, func(r store.Row) error {
			var id string
			order = append(order, id)
			return r.Scan(&order[len(order)-1])
		})
		if fmt.Sprint(order) != "[B a b]" {
			t.Errorf("text sorts as %v, not by bytes", order)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFromIsAtomic(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	copyRows := func(rows ...[]any) error {
		return w.Write(context.Background(), func(tx *store.Tx) error {
			return tx.CopyFrom("item", []string{"id", "n", "ok", "note"}, rows)
		})
	}
	if err := copyRows([]any{"a", 1, true, "x"}, []any{"b", int64(2), false, nil}); err != nil {
		t.Fatal(err)
	}
	if err := copyRows([]any{"c", 3, true, nil}, []any{"a", 4, true, nil}); err == nil {
		t.Error("a second row with the same key was taken")
	}
	var n, sum int64
	err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get("SELECT COUNT(*), CAST(SUM(n) AS BIGINT) FROM item", nil, &n, &sum)
		return err
	})
	if err != nil || n != 2 || sum != 3 {
		t.Errorf("%d rows, sum %d, %v", n, sum, err)
	}
}

func takenValuesAreReported(t *testing.T, s store.Store) {
	w := open(t, s, sample)
	insert := func(id string, n any) error {
		return w.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO item (id, n, ok) VALUES (?, ?, FALSE)", id, n)
			return err
		})
	}
	if err := insert("a", 1); err != nil {
		t.Fatal(err)
	}
	if err := insert("a", 1); !store.IsTaken(err) {
		t.Errorf("the same id again: %v", err)
	}
	if err := insert("b", nil); err == nil || store.IsTaken(err) {
		t.Errorf("a missing value: %v", err)
	}
	if store.IsTaken(nil) {
		t.Error("no error")
	}
}
