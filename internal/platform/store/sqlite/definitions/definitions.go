// Package definitions copies what SQLite has parsed of a database's tables from
// one connection to others.
//
// A connection reads the definitions of all tables before its first statement,
// which takes longer than anything else at the opening of a small database. What
// it builds is the same for each database with the same tables on the same pages,
// but for addresses in memory. Two connections that parsed the same definitions
// show which words are addresses: those that differ. So a copy needs no knowledge
// of SQLite's structures: it is one piece of memory in which each address is
// replaced by that of the same place in the copy. SQLite uses and frees its blocks
// like its own; the functions for SQLite's memory (memory.go) ignore the freeing
// of such blocks, and the owner frees the whole after the connection.
package definitions

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store/sqlite/native"
)

// word is the size of an address, and what blocks are compared by.
const word = int(unsafe.Sizeof(uintptr(0)))

// Parsed is what a connection has in memory about the tables of a database. It is
// immutable.
type Parsed struct {
	image []byte // the blocks with their headers
	root  []byte // SQLite's struct of a database's definitions

	// Places of addresses in image, the second group in root: of a place in image, of
	// the struct, of the connection.
	inner, rootInner   []link
	toRoot, rootToRoot []int
	toConn             []int

	set, cleared struct{ db, flags uint64 } // flags of the connection that parsing changes
}

// link is an address in a copy: the place where it is, and what it points to.
type link struct{ at, to int }

// Size returns the bytes of a copy.
func (p *Parsed) Size() int { return len(p.image) }

var errUnequal = errors.New("two connections have parsed the same definitions differently")

// learning is held while connections are recorded.
var learning sync.Mutex

// Learn parses the definitions of a database with two connections to it, which
// must not have used it before and remain open meanwhile.
func Learn(a, b *native.Conn) (*Parsed, error) {
	learning.Lock()
	defer learning.Unlock()
	first, err := parse(a)
	if err != nil {
		return nil, err
	}
	second, err := parse(b)
	if err != nil {
		return nil, err
	}
	if first.set != second.set || first.cleared != second.cleared {
		return nil, errUnequal
	}
	return compare(first, second)
}

// state is what one connection has parsed.
type state struct {
	conn, root   uintptr
	blocks       map[uintptr]int
	starts       []uintptr // of the blocks, in order
	set, cleared struct{ db, flags uint64 }
}

func parse(c *native.Conn) (*state, error) {
	db := (*sqlite3.Tsqlite3)(address(c.Handle()))
	s := &state{conn: c.Handle(), root: rootOf(db), blocks: map[uintptr]int{}}
	if err := isBlank(db); err != nil {
		return nil, err
	}
	wasDB, wasFlags := uint64(db.FmDbFlags), uint64(db.Fflags)
	recording.Store(&recorder{tls: c.TLS(), blocks: s.blocks})
	statement, err := c.Prepare("SELECT 1 FROM sqlite_schema")
	recording.Store(nil)
	if err != nil {
		return nil, err
	}
	if err := statement.Close(); err != nil {
		return nil, err
	}
	if db.Fenc != sqlite3.SQLITE_UTF8 {
		return nil, errors.New("the texts of the database are not UTF-8")
	}
	isDB, isFlags := uint64(db.FmDbFlags), uint64(db.Fflags)
	s.set.db, s.set.flags = isDB&^wasDB, isFlags&^wasFlags
	s.cleared.db, s.cleared.flags = wasDB&^isDB, wasFlags&^isFlags
	for p := range s.blocks {
		s.starts = append(s.starts, p)
	}
	slices.Sort(s.starts)
	return s, nil
}

// rootSize is a variable because the compiler of Go 1.26 fails to copy a constant
// number of bytes from such an address.
var rootSize = int(unsafe.Sizeof(sqlite3.TSchema{}))

// rootOf returns the address of the struct with a connection's definitions.
func rootOf(db *sqlite3.Tsqlite3) uintptr {
	return (*sqlite3.TDb)(address(db.FaDb)).FpSchema
}

// isBlank returns an error if a connection has parsed definitions.
func isBlank(db *sqlite3.Tsqlite3) error {
	root := (*sqlite3.TSchema)(address(rootOf(db)))
	if root.FschemaFlags&sqlite3.DB_SchemaLoaded != 0 || root.FtblHash.Ffirst != 0 || db.Fenc != sqlite3.SQLITE_UTF8 {
		return errors.New("the connection has been used")
	}
	return nil
}

// find returns the block that contains an address, and the offset in it.
func (s *state) find(p uintptr) (block uintptr, offset int, ok bool) {
	i, exact := slices.BinarySearch(s.starts, p)
	if !exact {
		i--
	}
	if i < 0 {
		return 0, 0, false
	}
	block = s.starts[i]
	offset = int(p - block)
	return block, offset, offset < s.blocks[block]
}

// comparison builds a Parsed from two states.
type comparison struct {
	a, b   *state
	parsed *Parsed
	placed map[uintptr]placed // by the address in a
	queue  []uintptr
}

type placed struct {
	at int // in the image, after its header
	b  uintptr
}

func compare(a, b *state) (*Parsed, error) {
	c := &comparison{a: a, b: b, parsed: &Parsed{set: a.set, cleared: a.cleared}, placed: map[uintptr]placed{}}
	c.parsed.root = slices.Clone(memory(a.root, rootSize))
	err := c.words(a.root, b.root, rootSize, func(at, to int, kind kind) {
		if kind == inside {
			c.parsed.rootInner = append(c.parsed.rootInner, link{at, to})
		} else {
			c.parsed.rootToRoot = append(c.parsed.rootToRoot, at)
		}
	})
	for err == nil && len(c.queue) > 0 {
		p := c.queue[0]
		c.queue = c.queue[1:]
		place := c.placed[p]
		err = c.words(p, place.b, a.blocks[p], func(at, to int, kind kind) {
			at += place.at
			switch kind {
			case inside:
				c.parsed.inner = append(c.parsed.inner, link{at, to})
			case root:
				c.parsed.toRoot = append(c.parsed.toRoot, at)
			default:
				c.parsed.toConn = append(c.parsed.toConn, at)
			}
		})
	}
	if err != nil {
		return nil, err
	}
	return c.parsed, nil
}

// kind is what an address points to.
type kind int

const (
	inside kind = iota // a place in the copy
	root               // the struct of the definitions
	conn               // the connection
)

// words compares two blocks, and calls found for each address in them.
func (c *comparison) words(a, b uintptr, size int, found func(at, to int, kind kind)) error {
	i := 0
	for ; i+word <= size; i += word {
		x, y := *wordAt(a + uintptr(i)), *wordAt(b + uintptr(i))
		switch {
		case x == y:
		case x == c.a.root && y == c.b.root:
			found(i, 0, root)
		case x == c.a.conn && y == c.b.conn:
			found(i, 0, conn)
		default:
			to, err := c.place(x, y)
			if err != nil {
				return fmt.Errorf("%w: word %d of a block of %d bytes", err, i/word, size)
			}
			found(i, to, inside)
		}
	}
	if string(memory(a+uintptr(i), size-i)) != string(memory(b+uintptr(i), size-i)) {
		return errUnequal
	}
	return nil
}

// place returns the place in the image of what two addresses point to.
func (c *comparison) place(x, y uintptr) (int, error) {
	p, from, ok := c.a.find(x)
	q, same, found := c.b.find(y)
	if !ok || !found || from != same || c.a.blocks[p] != c.b.blocks[q] {
		return 0, errUnequal
	}
	block, known := c.placed[p]
	if !known {
		size := c.a.blocks[p]
		block = placed{at: len(c.parsed.image) + header, b: q}
		c.parsed.image = append(c.parsed.image, make([]byte, header+(size+header-1)&^(header-1))...)
		*(*int64)(unsafe.Pointer(&c.parsed.image[block.at-header])) = ^int64(size)
		copy(c.parsed.image[block.at:], memory(p, size))
		c.placed[p] = block
		c.queue = append(c.queue, p)
	}
	if block.b != q {
		return 0, errUnequal
	}
	return block.at + from, nil
}

// Copy is the memory of a connection's copy.
type Copy struct{ at uintptr }

// Install copies the definitions to a connection that has parsed none. The tables
// of its database must be on the same pages. The caller frees the copy after it
// has closed the connection.
func (p *Parsed) Install(c *native.Conn) (Copy, error) {
	db := (*sqlite3.Tsqlite3)(address(c.Handle()))
	if err := isBlank(db); err != nil {
		return Copy{}, err
	}
	at := libc.Xmalloc(c.TLS(), types.Size_t(len(p.image)))
	if at == 0 {
		return Copy{}, fmt.Errorf("SQLite: no memory for %d bytes", len(p.image))
	}
	copy(memory(at, len(p.image)), p.image)
	for _, l := range p.inner {
		*wordAt(at + uintptr(l.at)) = at + uintptr(l.to)
	}
	to := rootOf(db)
	for _, place := range p.toRoot {
		*wordAt(at + uintptr(place)) = to
	}
	for _, place := range p.toConn {
		*wordAt(at + uintptr(place)) = c.Handle()
	}
	copy(memory(to, len(p.root)), p.root)
	for _, l := range p.rootInner {
		*wordAt(to + uintptr(l.at)) = at + uintptr(l.to)
	}
	for _, place := range p.rootToRoot {
		*wordAt(to + uintptr(place)) = to
	}
	db.FmDbFlags = db.FmDbFlags&^sqlite3.Tu32(p.cleared.db) | sqlite3.Tu32(p.set.db)
	db.Fflags = db.Fflags&^p.cleared.flags | p.set.flags
	return Copy{at}, nil
}

// Free frees the copy, whose connection must be closed. It may be called for the
// zero value.
func (c Copy) Free() {
	if c.at != 0 {
		libc.Xfree(nil, c.at)
	}
}
