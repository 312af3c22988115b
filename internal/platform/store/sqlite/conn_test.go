package sqlite

import (
	"fmt"
	"testing"

	"understudy/internal/platform/store"
)

// A connection that keeps as many statements as it may drops one for the
// savepoint of a write: never the one that is about to run.
func TestASavepointLeavesTheStatementBehindItAlone(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made("crowded", "")
	s.check(w.Backend().(*world).alone(func() error {
		c := w.Backend().(*world).writer
		tx := store.NewTx(c, store.SQLite)
		for range 200 { // the one that goes is taken by chance
			c.forget()
			s.check(c.run("BEGIN IMMEDIATE"))
			for n := range fewStatements {
				var got int64
				_, err := tx.Get(fmt.Sprint("SELECT ", n), nil, &got)
				s.check(err)
			}
			c.lazySavepoint, c.changed = true, false
			_, err := tx.Exec(`INSERT INTO note (text) VALUES (?)`, "x")
			s.check(err)
			s.check(c.run("RELEASE w"))
			c.lazySavepoint = false
			s.check(c.run("COMMIT"))
		}
		return nil
	}))
	s.check(w.Close())
}
