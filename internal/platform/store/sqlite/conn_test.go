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
	s.check(withWriter(w, func(c *conn) error {
		tx := store.NewTx(c, store.SQLite)
		for range 3 {
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

// The statements that were used last are those that are kept, and those that
// begin and end transactions are always.
func TestTheLatestStatementsAreKept(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made("kept", "")
	s.check(withWriter(w, func(c *conn) error {
		tx := store.NewTx(c, store.SQLite)
		get := func(n int) {
			var got int64
			_, err := tx.Get(fmt.Sprint("SELECT ", n), nil, &got)
			s.check(err)
		}
		c.forget()
		s.check(c.run("BEGIN"))
		for n := range fewStatements {
			get(n)
		}
		get(0)
		for n := range fewStatements - 2 { // take the place of all but 0 and the last
			get(fewStatements + n)
		}
		s.check(c.run("COMMIT"))
		for n := range 2 * fewStatements {
			kept := c.stmts[fmt.Sprint("SELECT ", n)] != nil
			if want := n == 0 || n >= fewStatements-1 && n < 2*fewStatements-2; kept != want {
				t.Errorf("statement %d is kept: %t", n, kept)
			}
		}
		if len(c.frame) != 2 {
			t.Errorf("%d statements of transactions are kept, want 2", len(c.frame))
		}
		return nil
	}))
	s.check(w.Close())
}

// withWriter runs f with the connection that writes to a world.
func withWriter(w *store.World, f func(*conn) error) error {
	inner := w.Backend().(*world)
	return inner.alone(func() error {
		if err := inner.resume(); err != nil {
			return err
		}
		return f(inner.writer)
	})
}
