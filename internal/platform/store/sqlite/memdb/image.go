// Package memdb stores SQLite databases in memory, as pages that copies share.
//
// Connections read and write a Database. An Image is its state at one moment.
// Both share pages until the Database is written to, which copies the written
// pages. So a copy costs a list of pages, whatever its size.
//
// Connections access a Database through a SQLite file system (VFS). Each has a
// File, whose Database can be replaced between two transactions: a connection
// that has read the definitions of all tables and prepared its statements can
// serve another Database with identical tables (Tables).
package memdb

import (
	"io"
	"sync"
	"sync/atomic"
)

// pageSize is the unit of sharing: the size of SQLite's pages unless a database
// has another.
const pageSize = 4096

type page [pageSize]byte

// Image is the state of a database at one moment. It is immutable.
type Image struct {
	pages []*page
	size  int64
}

// NewImage returns the image of a database with this content, which the caller
// must not change any more.
func NewImage(content []byte) *Image {
	i := &Image{size: int64(len(content)), pages: make([]*page, 0, (len(content)+pageSize-1)/pageSize)}
	for len(content) >= pageSize {
		i.pages = append(i.pages, (*page)(content))
		content = content[pageSize:]
	}
	if len(content) > 0 {
		last := &page{}
		copy(last[:], content)
		i.pages = append(i.pages, last)
	}
	return i
}

// Size returns the size of the database in bytes.
func (i *Image) Size() int64 { return i.size }

// Part returns n bytes at an offset, nil past the end. They must not be changed.
func (i *Image) Part(at, n int64) []byte { return part(i.pages, i.size, at, n) }

// WriteTo writes the database to w, with other bytes at its beginning.
func (i *Image) WriteTo(w io.Writer, beginning []byte) error {
	if _, err := w.Write(beginning); err != nil {
		return err
	}
	for at := int64(len(beginning)); at < i.size; {
		p := i.pages[at/pageSize][at%pageSize:]
		p = p[:min(int64(len(p)), i.size-at)]
		if _, err := w.Write(p); err != nil {
			return err
		}
		at += int64(len(p))
	}
	return nil
}

func part(pages []*page, size, at, n int64) []byte {
	if at < 0 || n < 0 || at+n > size || at+n < at {
		return nil
	}
	if within := at % pageSize; within+n <= pageSize && at < size {
		return pages[at/pageSize][within : within+n : within+n]
	}
	out := make([]byte, n)
	for done := int64(0); done < n; {
		done += int64(copy(out[done:], pages[(at+done)/pageSize][(at+done)%pageSize:]))
	}
	return out
}

// Database is a database that connections read and write. SQLite's locks
// coordinate them: many readers, or one writer.
type Database struct {
	locks locks

	pages []*page
	size  atomic.Int64

	mu    sync.Mutex // an image may be taken during reads
	own   []bool     // no image shares the page
	image *Image     // the current state; nil if it has changed since the last image
}

// NewDatabase returns a database that starts from an image.
func NewDatabase(from *Image) *Database {
	d := &Database{pages: append([]*page(nil), from.pages...), own: make([]bool, len(from.pages)), image: from}
	d.size.Store(from.size)
	return d
}

// Image returns the current state. No connection may write meanwhile.
func (d *Database) Image() *Image {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.image == nil {
		d.image = &Image{pages: append([]*page(nil), d.pages...), size: d.size.Load()}
		clear(d.own)
	}
	return d.image
}

// Size returns the size of the database in bytes.
func (d *Database) Size() int64 { return d.size.Load() }

// Part returns n bytes at an offset, nil past the end. They are valid until a
// connection writes, and must not be changed.
func (d *Database) Part(at, n int64) []byte { return part(d.pages, d.size.Load(), at, n) }

// read fills b from an offset, and reports whether the database has as many
// bytes.
func (d *Database) read(b []byte, at int64) bool {
	size := d.size.Load()
	for len(b) > 0 && at < size {
		n := copy(b, d.pages[at/pageSize][at%pageSize:])
		if past := at + int64(n) - size; past > 0 {
			n -= int(past)
		}
		b, at = b[n:], at+int64(n)
	}
	clear(b)
	return len(b) == 0
}

// write stores b at an offset.
func (d *Database) write(b []byte, at int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.image = nil
	if end := at + int64(len(b)); end > d.size.Load() {
		d.extend(end)
	}
	for len(b) > 0 {
		p := d.changeable(at/pageSize, at%pageSize == 0 && len(b) >= pageSize)
		n := copy(p[at%pageSize:], b)
		b, at = b[n:], at+int64(n)
	}
}

// changeable returns a page that no image shares, copying it unless whole is set,
// which means that all its bytes will be overwritten. The caller holds d.mu.
func (d *Database) changeable(i int64, whole bool) *page {
	if !d.own[i] {
		p := &page{}
		if !whole {
			*p = *d.pages[i]
		}
		d.pages[i], d.own[i] = p, true
	}
	return d.pages[i]
}

// extend appends zeros. The caller holds d.mu.
func (d *Database) extend(size int64) {
	for int64(len(d.pages))*pageSize < size {
		d.pages, d.own = append(d.pages, &page{}), append(d.own, true)
	}
	d.size.Store(size)
}

// truncate removes everything after a size.
func (d *Database) truncate(size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.image = nil
	if size >= d.size.Load() {
		d.extend(size)
		return
	}
	keep := (size + pageSize - 1) / pageSize
	clear(d.pages[keep:])
	d.pages, d.own = d.pages[:keep], d.own[:keep]
	if rest := size % pageSize; rest > 0 {
		clear(d.changeable(keep-1, false)[rest:]) // later appended bytes must begin with zeros
	}
	d.size.Store(size)
}
