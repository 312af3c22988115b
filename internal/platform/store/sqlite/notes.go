package sqlite

import (
	"context"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/native"
)

// changedRows collects the rows that the statements of the writer's connection
// change: those of all jobs of a batch, in order. SQLite calls add for each row
// before it changes it, even if the change is undone later: a job that is rolled
// back drops its rows, and a failed statement drops its own.
//
// A nil changedRows collects nothing.
type changedRows struct {
	witness store.Witness          // nil while nobody observes the connection
	turn    int                    // counts the witnesses
	tables  map[string]store.Noted // cached results of the witness
	by      store.Author
	mark    int // index after the mark of a bulk write; 0 if there is none
	sql     string
	running *stmt
	changes []store.Change

	db        *native.Conn
	index     int   // in hooked
	observed  bool  // SQLite calls noteRow
	skips     bool  // the running statement writes no row that is recorded
	compiling *stmt // the statement that is prepared; nil for none
}

// noting caches what a witness returned about a statement.
type noting struct {
	turn     int  // of the witness; 0 for nothing
	recorded bool // it may write rows that are recorded
	known    bool // set is the set of columns that it updates
	set      uint16
	name     uintptr // where SQLite has the name of the table that it wrote last
	table    store.Noted
}

// maxKeptNotes is the number of changes above which their memory is released
// after a commit.
const maxKeptNotes = 4096

// watch makes a witness observe the connection; nil removes it.
func (c *conn) watch(wt store.Witness) {
	n := c.always
	if n == nil {
		if c.notes != nil {
			hooked.remove(c.notes)
			c.notes = nil
		}
		if wt == nil {
			return
		}
		// A statement that was prepared without the hook may empty a table without
		// calling the hook for each row.
		for sql, s := range c.stmts {
			if s.writes {
				_ = s.Close()
				delete(c.stmts, sql)
			}
		}
		n = newChangedRows(c)
	}
	if c.notes = n; wt == nil {
		c.notes = nil
		n.observe(false)
	}
	n.witness, n.turn, n.changes, n.mark = wt, n.turn+1, n.changes[:0], 0
	clear(n.tables)
}

// newChangedRows returns registered notes of a connection.
func newChangedRows(c *conn) *changedRows {
	n := &changedRows{tables: map[string]store.Noted{}, db: c.db}
	hooked.add(n)
	return n
}

// noteAlways sets the hook of a connection that serves different worlds in turn,
// so that every statement is prepared with it.
func noteAlways(c *conn) { c.always = newChangedRows(c) }

// author sets the author of the following changes, and returns the place for
// drop.
func (n *changedRows) author(ctx context.Context) (place int) {
	if n == nil {
		return 0
	}
	n.by, n.mark = n.witness.Author(ctx), 0
	return len(n.changes)
}

// begin sets the running statement until ended, and returns the place for drop.
func (n *changedRows) begin(sql string, s *stmt) (place int) {
	if n == nil {
		return 0
	}
	n.sql, n.running = sql, s
	if s.writes {
		n.skips = !n.recorded(s)
		n.observe(!n.skips || checkSkips.Load() != nil)
	}
	return len(n.changes)
}

// ended is called when the running statement has made its changes: SQLite makes all
// of them before the first row that a statement returns.
func (n *changedRows) ended() {
	if n != nil {
		n.running, n.skips = nil, false
	}
}

// recorded reports whether a statement may write rows that are recorded.
func (n *changedRows) recorded(s *stmt) bool {
	if s.noted.turn != n.turn {
		is := s.unknown
		for _, name := range s.tables {
			is = is || n.table(name).Number != 0
		}
		s.noted = noting{turn: n.turn, recorded: is}
	}
	return s.noted.recorded
}

// table returns how to record the rows of a table.
func (n *changedRows) table(name string) store.Noted {
	t, known := n.tables[name]
	if !known {
		name = strings.Clone(name) // it may be in SQLite's memory
		t = n.witness.Table(name)
		n.tables[name] = t
	}
	return t
}

// drop removes what was collected after a place.
func (n *changedRows) drop(place int) {
	if n == nil {
		return
	}
	n.changes = n.changes[:min(place, len(n.changes))]
	if n.mark > place {
		n.mark = 0
	}
}

// end ends the transaction of a batch with COMMIT or ROLLBACK, and passes the
// committed changes to the witness.
func (c *conn) end(sql string) error {
	n := c.notes
	if n == nil {
		return c.run(sql)
	}
	if sql != commit {
		n.drop(0)
	}
	if len(n.changes) > 0 {
		if err := n.witness.Prepare(store.NewTx(c, store.SQLite)); err != nil {
			n.changes = n.changes[:0]
			return err
		}
	}
	n.witness.Begin()
	err := c.run(sql)
	if err != nil {
		n.changes = n.changes[:0]
	}
	n.witness.End(n.changes)
	if n.changes = n.changes[:0]; cap(n.changes) > maxKeptNotes {
		n.changes = nil
	}
	return err
}

// add records a row of a table that is about to change.
func (n *changedRows) add(t store.Noted, r *changedRow) {
	c := store.Change{Seq: n.by.Seq, Kind: n.by.Kind, Table: t.Number}
	switch r.op {
	case sqlite3.SQLITE_INSERT:
		if n.by.Bulk {
			n.addMark(t.Number)
			return
		}
		c.Op, c.Row = store.Inserted, r.new
		if t.Keys > 0 {
			c.Row = r.newKey(t.Keys)
		}
	case sqlite3.SQLITE_DELETE:
		c.Op, c.Row = store.Deleted, r.old
		if t.Keys > 0 {
			c.Row = r.oldKey(t.Keys)
		}
	default:
		c.Op, c.Row, c.Columns = store.Updated, r.old, n.columns()
		moved := r.new
		if t.Keys > 0 {
			c.Row, moved = r.oldKey(t.Keys), r.newKey(t.Keys)
		}
		if moved != c.Row { // the row gets another id
			c.Op = store.Deleted
			n.changes = append(n.changes, c)
			c.Op, c.Row, c.Columns = store.Inserted, moved, 0
		}
	}
	n.changes = append(n.changes, c)
}

// Noted implements store.Noter.
func (c *conn) Noted() (store.Witness, *[]store.Change) {
	if c.notes == nil {
		return nil, nil
	}
	return c.notes.witness, &c.notes.changes
}

// addMark records, once for each write, that it inserts rows that are not
// recorded, the first of them into this table.
func (n *changedRows) addMark(table uint16) {
	if n.mark == 0 {
		n.changes = append(n.changes, store.Change{Seq: n.by.Seq, Kind: n.by.Kind, Table: table, Op: store.Bulk})
		n.mark = len(n.changes)
	}
}

// columns returns the set of columns that the running statement updates.
func (n *changedRows) columns() uint16 {
	s := n.running
	if s == nil {
		return 0
	}
	if n.recorded(s); !s.noted.known {
		s.noted.set, s.noted.known = n.witness.Columns(n.sql), true
	}
	return s.noted.set
}
