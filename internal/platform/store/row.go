package store

import "strings"

// Row reads the columns of the current row. NULL needs a pointer to a pointer.
type Row interface{ Scan(dest ...any) error }

// Together is implemented by a row that can copy its texts at once.
type Together interface {
	ScanTogether(texts *Texts, dest ...any) error
}

// ScanTogether is row.Scan, but the texts of the row may share memory: one allocation
// in place of one for each, or for the texts of many rows. A text that outlives the
// others must be cloned.
func ScanTogether(row Row, texts *Texts, dest ...any) error {
	if t, ok := row.(Together); ok {
		return t.ScanTogether(texts, dest...)
	}
	return row.Scan(dest...)
}

// Record names a table and columns of it.
type Record struct {
	Table   string
	Columns []string
}

// Recorder is implemented by a row that can read columns which its statement does not
// return.
type Recorder interface {
	ScanRecord(of *Record, texts *Texts, dest ...any) bool
}

// ScanRecord reads columns of a row of a table from what the database has stored, which
// takes less than if the statement returned them. The statement reads the table, and its last column must be the row's number in it
// (rowid). ScanRecord returns false, and dest is undefined, if the database cannot do that, or
// not for this row: then the caller reads the row by a statement that returns all columns. The texts share memory.
func ScanRecord(row Row, of *Record, texts *Texts, dest ...any) bool {
	r, ok := row.(Recorder)
	return ok && r.ScanRecord(of, texts, dest...)
}

// Texts allocates memory for texts of rows. The zero value allocates for each row by
// itself.
type Texts struct {
	AtOnce int // bytes that are allocated together, at least
	text   strings.Builder
}

// Reserve allocates memory for a row with texts of n bytes.
func (t *Texts) Reserve(n int) {
	if t.AtOnce == 0 || n > t.text.Cap()-t.text.Len() {
		t.text.Reset()
		t.text.Grow(max(n, t.AtOnce))
	}
}

// Copy returns a text of a row, after Reserve.
func (t *Texts) Copy(b []byte) string {
	from := t.text.Len()
	_, _ = t.text.Write(b) // fails never
	return t.text.String()[from:]
}
