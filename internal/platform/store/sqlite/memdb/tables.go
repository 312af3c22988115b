package memdb

import (
	"bytes"
	"encoding/binary"

	"understudy/internal/platform/store/sqlite/pages"
)

// Tables is a database's description of its tables: the pages of the table with
// their definitions, and the settings in the header. A connection that has read
// one can serve every database with equal Tables.
type Tables struct {
	header  []byte // of the file
	numbers []int64
	pages   [][]byte // without the header of the file
}

const (
	// The range of the settings in the header: the number that each change of a
	// definition increments, the format of the definitions, the text encoding.
	settingsAt, settingsEnd = 40, 60
	// formatAt is the offset of two bytes, which are 1 for a file without a log.
	formatAt = 18
	// pagesAt is the offset of the number of pages.
	pagesAt = 28
)

// TablesOf returns the tables of a database, nil if it is damaged or has another
// page size. The database must not be written to meanwhile.
func TablesOf(d *Database) *Tables {
	d.mu.Lock()
	defer d.mu.Unlock()
	return tablesOf(d, func(n int64) bool { return d.own[n-1] })
}

// TablesIn is TablesOf for any content, which it copies.
func TablesIn(c pages.Content) *Tables {
	return tablesOf(c, func(int64) bool { return true })
}

// tablesOf copies the pages for which changes returns true.
func tablesOf(c pages.Content, changes func(n int64) bool) *Tables {
	numbers := pages.OfDefinitions(c, pageSize)
	if numbers == nil {
		return nil
	}
	t := &Tables{header: bytes.Clone(c.Part(0, pages.HeaderOfFile))}
	for _, n := range numbers {
		p := definitions(c, int64(n))
		if changes(int64(n)) {
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
func (t *Tables) In(c pages.Content) bool {
	if t == nil || !bytes.Equal(t.header[settingsAt:settingsEnd], c.Part(settingsAt, settingsEnd-settingsAt)) {
		return false
	}
	for i, n := range t.numbers {
		if !bytes.Equal(t.pages[i], definitions(c, n)) {
			return false
		}
	}
	return true
}

// Empty returns a database with the same definitions and as many pages as the
// first with these tables, of which all others are empty. So only the definitions
// can be read. It returns nil for one of more than maxPages.
func (t *Tables) Empty(maxPages int) *Database {
	count := int(binary.BigEndian.Uint32(t.header[pagesAt:]))
	if count > maxPages || count < int(t.numbers[len(t.numbers)-1]) {
		return nil
	}
	image, none := &Image{size: int64(count) * pageSize, pages: make([]*page, count)}, &page{}
	for i := range image.pages {
		image.pages[i] = none
	}
	for i, n := range t.numbers {
		p := &page{}
		copy(p[pageSize-len(t.pages[i]):], t.pages[i])
		image.pages[n-1] = p
	}
	copy(image.pages[0][:], t.header)
	image.pages[0][formatAt], image.pages[0][formatAt+1] = 1, 1
	return NewDatabase(image)
}
