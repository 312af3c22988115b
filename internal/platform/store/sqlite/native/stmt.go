package native

import (
	"errors"
	"fmt"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
)

// Stmt is a compiled statement. One run is Bind, Step until it returns no row,
// Reset.
type Stmt struct {
	conn    *Conn
	handle  uintptr
	params  int
	columns int

	shares bool    // its arguments are in the connection's room
	own    uintptr // memory of its arguments otherwise; 0 for none
	layout layout  // of the records that were read last
}

// Close frees the statement.
func (s *Stmt) Close() error {
	if s.handle == 0 {
		return nil
	}
	s.release()
	rc := sqlite3.Xsqlite3_finalize(s.conn.tls, s.handle)
	s.handle = 0
	return s.conn.check(rc)
}

// Step runs the statement to its next row, and reports whether there is one.
func (s *Stmt) Step() (row bool, err error) {
	switch rc := sqlite3.Xsqlite3_step(s.conn.tls, s.handle); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.conn.errorOf(rc)
	}
}

// Reset ends a run, and releases its arguments. If the last Step failed, it
// returns the same error.
func (s *Stmt) Reset() error {
	rc := sqlite3.Xsqlite3_reset(s.conn.tls, s.handle)
	s.release()
	return s.conn.check(rc)
}

// Exec runs the statement to its end.
func (s *Stmt) Exec(args []any) error {
	if err := s.Bind(args); err != nil {
		return err
	}
	for {
		row, err := s.Step()
		if err != nil {
			_ = s.Reset() // the error is the same
			return err
		}
		if !row {
			return s.Reset()
		}
	}
}

var errNoRow = errors.New("the statement is not at a row")

// row returns the n columns of the current row, without a call for each.
func (s *Stmt) row(n int) ([]sqlite3.Tsqlite3_value, error) {
	if n != s.columns {
		return nil, fmt.Errorf("%d columns scanned into %d places", s.columns, n)
	}
	row := (*sqlite3.TVdbe)(address(s.handle)).FpResultRow
	if row == 0 {
		return nil, errNoRow
	}
	return unsafe.Slice((*sqlite3.Tsqlite3_value)(address(row)), n), nil
}

// Scan reads the columns of the current row.
func (s *Stmt) Scan(dest ...any) error {
	values, err := s.row(len(dest))
	if err != nil {
		return err
	}
	for i, d := range dest {
		v := &values[i]
		if err := scan(s.conn, v, d); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// ScanTogether is Scan with memory of texts for all columns that go into strings.
func (s *Stmt) ScanTogether(texts *store.Texts, dest ...any) error {
	values, err := s.row(len(dest))
	if err != nil {
		return err
	}
	size := 0
	for i, d := range dest {
		if _, ok := d.(*string); ok && kindOf(&values[i]) == text {
			size += int(values[i].Fn)
		}
	}
	texts.Reserve(size)
	for i, d := range dest {
		v := &values[i]
		if p, ok := d.(*string); ok && kindOf(v) == text {
			*p = texts.Copy(bytesOf(s.conn, v))
		} else if err := scan(s.conn, v, d); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}
