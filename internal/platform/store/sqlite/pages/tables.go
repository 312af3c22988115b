package pages

import (
	"bytes"
	"hash/maphash"
)

// Tables are the definitions of a file's tables: the pages of the table that
// contains them, and the settings in the header. A connection that has read one
// can serve every file with equal Tables.
type Tables struct {
	size    int    // of a page
	header  []byte // of the file
	numbers []uint32
	pages   [][]byte // without the header of the file
}

// The range of the settings in the header: the number that each change of a
// definition increments, the format of the definitions, the text encoding.
const settingsAt, settingsEnd = 40, 60

// TablesOf returns the tables of a file with pages of size bytes, nil if it is
// damaged or has another size. The file must not be written to meanwhile. keep
// returns bytes that remain those of a page.
func TablesOf(c Content, size int, keep func(no uint32, page []byte) []byte) *Tables {
	numbers, header := OfDefinitions(c, size), bytes.Clone(c.Part(0, HeaderOfFile))
	if numbers == nil || header == nil {
		return nil
	}
	t := &Tables{size: size, header: header, numbers: numbers}
	for _, no := range numbers {
		t.pages = append(t.pages, keep(no, definitions(c, no, size)))
	}
	return t
}

// settings returns the settings in a header, and the number of unused bytes of each page.
func settings(header []byte) ([]byte, byte) {
	return header[settingsAt:settingsEnd], header[reservedAt]
}

// definitions returns a page without the header of the file.
func definitions(c Content, no uint32, size int) []byte {
	p := c.Part((int64(no)-1)*int64(size), int64(size))
	if no == 1 && p != nil {
		return p[HeaderOfFile:]
	}
	return p
}

// In reports whether a file has these tables, on the same pages. Each page
// refers to those below it, so equal pages mean an equal tree.
func (t *Tables) In(c Content) bool {
	if t == nil || sizeOf(c) != t.size {
		return false
	}
	header := c.Part(0, HeaderOfFile)
	if header == nil {
		return false
	}
	has, unused := settings(header)
	if want, reserved := settings(t.header); unused != reserved || !bytes.Equal(has, want) {
		return false
	}
	for i, no := range t.numbers {
		if !bytes.Equal(t.pages[i], definitions(c, no, t.size)) {
			return false
		}
	}
	return true
}

// Digest returns a number that is the same for equal tables.
func (t *Tables) Digest(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	settings, reserved := settings(t.header)
	_, _ = h.Write(settings)
	_ = h.WriteByte(reserved)
	for _, page := range t.pages {
		_, _ = h.Write(page)
	}
	return h.Sum64()
}
