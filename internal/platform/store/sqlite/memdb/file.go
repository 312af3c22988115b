package memdb

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// File is the open file of one connection. It is not safe for concurrent use.
type File struct {
	number    int
	db        *Database
	level     int32 // the level of the connection's lock
	exchanged bool  // the connection's cached state is of an earlier database
}

// NewFile returns a file for a database, and the URI to connect to it once.
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

// Database returns the database of the connection.
func (f *File) Database() *Database { return f.db }

// Use replaces the database by another with the same tables. The connection must
// not be in a transaction; its next one reads the new database.
func (f *File) Use(db *Database) {
	if f.db != db {
		f.db, f.exchanged = db, true
	}
}

// Leave detaches the database. The connection needs another before its next
// transaction.
func (f *File) Leave() { f.Use(nil) }

// table holds all files by number.
type table struct {
	mu    sync.Mutex
	all   atomic.Pointer[[]*File] // copied on each change
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

// get returns a file, nil for an unknown number.
func (t *table) get(number int) *File {
	if all := t.all.Load(); all != nil && number >= 0 && number < len(*all) {
		return (*all)[number]
	}
	return nil
}
