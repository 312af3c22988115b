package crm

import (
	"errors"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// On SQLite a write finds the next number of a sequence, and the version of the
// definitions, as the write before has left them: not after one that failed, nor
// after another statement has changed them.
func TestWritesFindWhatTheOneBeforeHasLeft(t *testing.T) {
	w := storetest.SQLite(t, []store.Schema{Schema()})
	refused := errors.New("refused")
	write := func(fails error, do func(tx *store.Tx) error) {
		t.Helper()
		err := w.Write(t.Context(), func(tx *store.Tx) error {
			if err := do(tx); err != nil {
				return err
			}
			return fails
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
	}
	take := func(want int64, known bool) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			_, kept := store.Kept[int64](tx, sequence("record"))
			n, err := nextIn(tx, "record", 100, 2)
			if n != want || kept != known {
				t.Errorf("%d, known %v, want %d, %v", n, kept, want, known)
			}
			return err
		}
	}
	versionIs := func(want int64, known bool) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			_, kept := store.Kept[int64](tx, versionOf(7))
			n, err := portalVersion(tx, 7)
			if n != want || kept != known {
				t.Errorf("version %d, known %v, want %d, %v", n, kept, want, known)
			}
			return err
		}
	}
	write(nil, func(tx *store.Tx) error { return insertPortal(tx, Portal{ID: 7}) })
	write(nil, take(100, false))
	write(nil, take(102, true))
	write(nil, versionIs(1, false))
	write(nil, versionIs(1, true))
	write(refused, take(104, true))
	write(nil, take(104, false))
	write(nil, versionIs(1, false))
	write(nil, func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE crm_sequence SET next = 200 WHERE name = 'record'`)
		return err
	})
	write(nil, take(200, false))
	write(nil, func(tx *store.Tx) error { return raiseVersion(tx, 7) })
	write(nil, versionIs(2, false))
}
