package sqlite

import (
	"bytes"
	"context"
	"os"
	"testing"

	"understudy/internal/platform/store"
)

// A connection that cannot be opened to the end writes nothing back when it is
// closed: the file may have other names.
func TestOpeningInVainLeavesTheFileAsItIs(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, "one")
	s.copied("a", "b")
	before, err := os.ReadFile(s.folder.Path("b"))
	s.check(err)
	s.check(a.Write(context.Background(), func(tx *store.Tx) error {
		if _, err := tx.Exec("PRAGMA writable_schema = 1"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE sqlite_master SET sql = 'CREATE TABEL note'")
		return err
	}))
	s.check(a.Close())
	if w, err := s.Open(context.Background(), "a", notes); err == nil {
		s.check(w.Close())
		t.Fatal("a world whose tables cannot be read is opened")
	}
	after, err := os.ReadFile(s.folder.Path("b"))
	if s.check(err); !bytes.Equal(before, after) {
		t.Error("the copy has changed")
	}
	s.holdsClosed("b", "one")
}
