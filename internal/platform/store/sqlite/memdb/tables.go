package memdb

import (
	"bytes"

	"understudy/internal/platform/store/sqlite/pages"
)

// Tables is a database's description of its tables: the pages of the table with
// their definitions, and the settings in the header. A connection that has read
// one can serve every database with equal Tables.
type Tables struct {
	settings []byte
	numbers  []int64
	pages    [][]byte
}

// The range of the settings in the header: the number that each change of a
// definition increments, the format of the definitions, the text encoding.
const settingsAt, settingsEnd = 40, 60

// TablesOf returns the tables of a database, nil if it is damaged or has another
// page size. The database must not be written to meanwhile.
func TablesOf(d *Database) *Tables {
	numbers := pages.OfDefinitions(d, pageSize)
	if numbers == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &Tables{settings: bytes.Clone(d.Part(settingsAt, settingsEnd-settingsAt))}
	for _, n := range numbers {
		p := definitions(d, int64(n))
		if d.own[n-1] {
			p = bytes.Clone(p)
		}
		t.numbers, t.pages = append(t.numbers, int64(n)), append(t.pages, p)
	}
	return t
}

// definitions returns a page without the header of the file.
func definitions(c pages.Content, n int64) []byte {
	p := c.Part((n-1)*pageSize, pageSize)
	if n == 1 && p != nil {
		return p[pages.HeaderOfFile:]
	}
	return p
}

// In reports whether a database has these tables, on the same pages. Each page
// refers to those below it, so equal pages mean an equal tree.
func (t *Tables) In(d *Database) bool {
	if t == nil || !bytes.Equal(t.settings, d.Part(settingsAt, settingsEnd-settingsAt)) {
		return false
	}
	for i, n := range t.numbers {
		if !bytes.Equal(t.pages[i], definitions(d, n)) {
			return false
		}
	}
	return true
}
