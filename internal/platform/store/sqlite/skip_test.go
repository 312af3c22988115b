package sqlite

import (
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// recorder is a witness of the tables note, a child of parent, and of no other.
type recorder struct{ nobody }

func (recorder) Columns(string) uint16 { return 0 }

func (recorder) Table(name string) store.Noted {
	return map[string]store.Noted{"note": {Number: 1}, "child": {Number: 2}}[name]
}

// SQLite is not asked for the rows of a statement that writes only tables which are
// not recorded. It is for all others: for those with a trigger or a foreign key
// that writes a recorded table, even if it was defined after they were prepared,
// and for those that empty a table and were prepared after a skipped one.
func TestOnlyStatementsThatWriteNothingRecordedAreSkipped(t *testing.T) {
	for _, always := range []bool{false, true} {
		s := newFixture(t, t.TempDir())
		raw, err := s.driver.Open(uriOf(s.folder.Path("w")))
		s.check(err)
		db, err := native.Of(raw)
		s.check(err)
		c := newConn(raw, db, writerPages, s.share)
		if always {
			noteAlways(c)
		}
		for _, sql := range []string{`PRAGMA foreign_keys = ON`, `CREATE TABLE note (name TEXT)`, `CREATE TABLE quiet (name TEXT)`, `CREATE TABLE other (name TEXT)`,
			`CREATE TABLE parent (id INTEGER PRIMARY KEY)`, `CREATE TABLE child (parent INTEGER REFERENCES parent ON DELETE CASCADE)`} {
			s.check(c.runAnew(sql))
		}
		c.watch(recorder{})
		is := func(sql string, rows int, skipped bool) {
			t.Helper()
			before := len(c.notes.changes)
			_, err := c.Exec(sql, nil)
			s.check(err)
			if got := len(c.notes.changes) - before; got != rows || c.notes.observed == skipped {
				t.Errorf("always %v: %s: %d rows are noted, want %d; skipped %v, want %v", always, sql, got, rows, !c.notes.observed, skipped)
			}
		}
		quiet := `INSERT INTO quiet VALUES ('a')`
		is(quiet, 0, true)
		is(`INSERT INTO note SELECT 'a' FROM quiet`, 1, false)
		is(quiet, 0, true)
		is(`DELETE FROM note`, 1, false)
		is(`UPDATE quiet SET name = (SELECT MAX(name) FROM note)`, 0, true)

		is(`INSERT INTO parent VALUES (1), (2)`, 0, true)
		is(`INSERT INTO child VALUES (1), (1), (2)`, 3, false)
		is(`DELETE FROM parent WHERE id = 1`, 2, false)

		is(quiet, 0, true)
		_, err = c.Exec(`CREATE TRIGGER copies AFTER INSERT ON quiet BEGIN INSERT INTO note VALUES (new.name); END`, nil)
		s.check(err)
		is(quiet, 1, false)
		is(quiet, 1, false)
		s.check(c.runAnew(`DROP TRIGGER copies`))

		is(`INSERT INTO other VALUES ('a')`, 0, true)
		s.alterFile("w", `CREATE TRIGGER elsewhere AFTER INSERT ON other BEGIN DELETE FROM note; END`)
		is(`INSERT INTO other VALUES ('a')`, 2, false)

		c.watch(nil)
		s.check(c.close())
	}
}
