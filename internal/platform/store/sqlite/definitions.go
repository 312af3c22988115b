package sqlite

import (
	"bytes"
	"errors"
	"hash/maphash"
	"slices"
	"sync"

	"understudy/internal/platform/store/sqlite/native"
	"understudy/internal/platform/store/sqlite/pages"
)

// definitions keeps what SQLite has parsed of the definitions in files that many
// worlds are copies of. Parsing them takes longer than all else of opening a small
// file, and each connection would do it.
type definitions struct {
	mu     sync.Mutex
	known  []known  // only added to
	parsed []uint64 // digests of the tables that one connection has parsed
	seed   maphash.Seed
}

// known are tables, and what SQLite has parsed of them.
type known struct {
	digest uint64 // of tables
	tables *pages.Tables
	parsed *native.Parsed
}

const (
	// maxKnown is how many different tables are kept, each with about 250 KiB: a
	// program has one list of tables for its environments, and perhaps one for those
	// of an earlier version.
	maxKnown = 4
	// maxParsed is how many digests are kept.
	maxParsed = 64
	// fileBlock is the size of the pages of all files.
	fileBlock = 4096
)

// load makes a connection that has read nothing yet know the definitions of its file.
// It reports false where SQLite has to parse them.
//
// Each statement compares the number of the definitions that it was compiled for with that of
// the database, so it does not matter if there are newer ones in the log: SQLite then parses them.
func (d *definitions) load(c *native.Conn) bool {
	d.mu.Lock()
	all := d.known
	d.mu.Unlock()
	for _, one := range all {
		if one.tables.In(&fileOf{c: c}) {
			return begin(c) == nil && one.parsed.Load(c) == nil
		}
	}
	return false
}

// begin runs a transaction that reads, as parsing the definitions does. In it SQLite finds
// out whether the database has a log, which it must know before a pragma changes that.
func begin(c *native.Conn) error {
	s, err := c.Prepare("PRAGMA schema_version")
	if err != nil {
		return err
	}
	return errors.Join(s.Exec(nil), s.Close())
}

// keep keeps the definitions that a connection has just parsed, if another has parsed the
// same: what is opened once is not worth the memory. The database must not have a log.
func (d *definitions) keep(c *native.Conn) {
	file := &fileOf{c: c}
	tables := pages.TablesOf(file, fileBlock, func(_ uint32, page []byte) []byte { return bytes.Clone(page) })
	if tables == nil {
		return
	}
	digest := tables.Digest(d.seed)
	if !d.again(digest) {
		return
	}
	parsed, err := native.Definitions(c)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) < maxKnown && !slices.ContainsFunc(d.known, func(one known) bool { return one.digest == digest }) {
		d.known = append(d.known, known{digest, tables, parsed})
	}
}

// again reports whether a connection has parsed tables with this digest before.
func (d *definitions) again(digest uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Contains(d.parsed, digest) {
		return true
	}
	if len(d.parsed) == maxParsed {
		d.parsed = slices.Delete(d.parsed, 0, 1)
	}
	d.parsed = append(d.parsed, digest)
	return false
}

// fileOf is the file of a connection. It implements pages.Content; a part is valid until
// the next one is read.
type fileOf struct {
	c *native.Conn
	b []byte
}

// Part implements pages.Content.
func (f *fileOf) Part(at, n int64) []byte {
	if int64(len(f.b)) < n {
		f.b = make([]byte, max(n, fileBlock))
	}
	if native.ReadFile(f.c, f.b[:n], at) != nil {
		return nil
	}
	return f.b[:n]
}
