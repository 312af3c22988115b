package memdb

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// File is what one connection has open. One goroutine at a time uses it.
type File struct {
	number    int
	db        *Database
	level     int32 // of the lock that the connection holds
	exchanged bool  // what the connection knows is of an earlier database
}

// NewFile returns a file that has a database, and the URI to connect to it once.
func NewFile(db *Database) (f *File, uri string, err error) {
	if err := register(); err != nil {
		return nil, "", err
	}
	f = &File{db: db}
	files.add(f)
	return f, fmt.Sprintf("file:/%d?vfs=%s", f.number, name), nil
}

// Close removes the file. Its connection must be closed.
func (f *File) Close() { files.remove(f) }

// Database returns the database that the connection sees.
func (f *File) Database() *Database { return f.db }

// Use exchanges the database for another that has the same tables. The
// connection must not be in a transaction: the next one reads the other database.
func (f *File) Use(db *Database) {
	if f.db != db {
		f.db, f.exchanged = db, true
	}
}

// Leave frees the database. Before its next transaction the connection needs another.
func (f *File) Leave() { f.Use(nil) }

// table has all files by number.
type table struct {
	mu    sync.Mutex
	all   atomic.Pointer[[]*File] // replaced by each change
	empty []int
}

var files table

func (t *table) add(f *File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.copy()
	if n := len(t.empty); n > 0 {
		f.number, t.empty = t.empty[n-1], t.empty[:n-1]
		all[f.number] = f
	} else {
		f.number = len(all)
		all = append(all, f)
	}
	t.all.Store(&all)
}

func (t *table) remove(f *File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.copy()
	all[f.number] = nil
	t.empty = append(t.empty, f.number)
	t.all.Store(&all)
}

func (t *table) copy() []*File {
	if all := t.all.Load(); all != nil {
		return append([]*File(nil), *all...)
	}
	return nil
}

// get returns a file, nil where there is none.
func (t *table) get(number int) *File {
	if all := t.all.Load(); all != nil && number >= 0 && number < len(*all) {
		return (*all)[number]
	}
	return nil
}
