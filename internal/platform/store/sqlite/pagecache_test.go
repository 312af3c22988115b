package sqlite

import (
	"math/rand/v2"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
)

// No page of a connection is in the list that all of them would share.
func TestPageCachesAreSeparate(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, "one")
	shared := &pageCaches.Fgrp
	if pageCaches.FseparateCache != 1 || shared.FnMaxPage != 0 || shared.FnMinPage != 0 || shared.FnPurgeable != 0 {
		t.Errorf("there are pages in the list that all share: %+v", shared)
	}
	s.check(a.Close())
}

// largest returns the largest page number that the cache of a connection counts with,
// and the size of its database in pages.
func largest(c *conn) (number, size uint32) {
	db := (*sqlite3.TDb)(address((*sqlite3.Tsqlite3)(address(c.db.Handle())).FaDb))
	shared := (*sqlite3.TBtShared)(address((*sqlite3.TBtree)(address(db.FpBt)).FpBt))
	pager := (*sqlite3.TPager)(address(shared.FpPager))
	cache := (*sqlite3.TPCache1)(address((*sqlite3.TPCache)(address(pager.FpPCache)).FpCache))
	return cache.FiMaxKey, pager.FdbSize
}

// Balancing a tree makes pages change their numbers. A page cache counts with none that
// lies behind the end of the database, so that a COMMIT does not look for such pages.
func TestPagesBehindTheEndAreNotLookedFor(t *testing.T) {
	s := newFixture(t, t.TempDir())
	w := s.made("balanced", "")
	s.check(withWriter(w, func(c *conn) error {
		tx := store.NewTx(c, store.SQLite)
		random := rand.New(rand.NewPCG(1, 2))
		run := func(sql string, args ...any) {
			t.Helper()
			_, err := tx.Exec(sql, args...)
			s.check(err)
		}
		run(`CREATE TABLE random (k BLOB PRIMARY KEY, v TEXT) WITHOUT ROWID`)
		for range 20 {
			s.check(c.run("BEGIN IMMEDIATE"))
			for range 300 {
				key := make([]byte, 100)
				for i := range key {
					key[i] = byte(random.Uint32())
				}
				run(`INSERT INTO random VALUES (?, 'x')`, key)
				if number, size := largest(c); number > size {
					t.Fatalf("the cache of a database of %d pages counts with page %d", size, number)
				}
			}
			s.check(c.run("COMMIT"))
		}
		// Pages that a rollback leaves behind the end are still dropped.
		_, before := largest(c)
		s.check(c.run("BEGIN IMMEDIATE"))
		s.check(c.run("SAVEPOINT half"))
		for range 3000 {
			run(`INSERT INTO random VALUES (randomblob(100), 'y')`)
		}
		s.check(c.run("ROLLBACK TO half"))
		s.check(c.run("RELEASE half"))
		s.check(c.run("COMMIT"))
		if number, size := largest(c); number > size || size != before {
			t.Errorf("after a rollback the cache of a database of %d pages, %d before, counts with page %d", size, before, number)
		}
		var sound string
		_, err := tx.Get("PRAGMA integrity_check", nil, &sound)
		s.check(err)
		var rows int
		_, err = tx.Get("SELECT COUNT(*) FROM random WHERE v = 'x'", nil, &rows)
		s.check(err)
		if sound != "ok" || rows != 6000 {
			t.Errorf("%s, %d rows of 6000", sound, rows)
		}
		return nil
	}))
	s.check(w.Close())
}
