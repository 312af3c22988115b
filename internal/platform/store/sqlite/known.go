package sqlite

import (
	"errors"
	"os"
	"slices"
	"sync"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/definitions"
	"understudy/internal/platform/store/sqlite/memdb"
	"understudy/internal/platform/store/sqlite/native"
	"understudy/internal/platform/store/sqlite/pages"
)

const (
	// maxTables is how many different sets of tables are known.
	maxTables = 8
	// opensToLearn is how many connections read the same definitions before what
	// SQLite makes of them is kept for the next ones. A database that is opened once
	// or twice does not pay for that.
	opensToLearn = 3
	// pagesToLearn bounds the size of the database that definitions are learned from.
	pagesToLearn = maxWhole / filePage
	filePage     = 4096
)

// tables is one set of tables that connections have read.
type tables struct {
	*memdb.Tables
	opens  int // guarded by known.mu
	once   sync.Once
	parsed *definitions.Parsed // nil if it cannot be copied
}

// known holds the sets of tables that were seen last.
//
// Worlds begin as copies of few templates, so nearly all have the same tables on
// the same pages. A new connection to such a world receives a copy of what another
// connection has parsed, in place of reading some hundred definitions (decision
// 0157).
type known struct {
	mu  sync.Mutex
	all []*tables // the least recently found first
}

// find returns the tables of a content if they are known, and otherwise adds those
// that read returns. It returns nil if that returns nil.
func (k *known) find(c pages.Content, read func() *memdb.Tables) *tables {
	k.mu.Lock()
	all := slices.Clone(k.all)
	k.mu.Unlock()
	for i, t := range slices.Backward(all) {
		if t.In(c) {
			if i < len(all)-1 {
				k.put(t)
			}
			return t
		}
	}
	added := read()
	if added == nil {
		return nil
	}
	t := &tables{Tables: added}
	k.put(t)
	return t
}

// put makes a set of tables the last, and forgets the first of too many.
func (k *known) put(t *tables) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = slices.DeleteFunc(k.all, func(other *tables) bool { return other == t })
	if len(k.all) == maxTables {
		k.all = slices.Delete(k.all, 0, 1)
	}
	k.all = append(k.all, t)
}

// open counts a connection to a database with tables, and returns what to copy to
// it; nil if it must read the definitions itself.
func (k *known) open(s *Store, t *tables) *definitions.Parsed {
	if t == nil {
		return nil
	}
	k.mu.Lock()
	t.opens++
	often := t.opens > opensToLearn
	k.mu.Unlock()
	if !often {
		return nil
	}
	t.once.Do(func() { t.parsed, _ = learn(s, t.Tables) }) // without it, each connection reads the definitions
	return t.parsed
}

// learn parses definitions.
func learn(s *Store, t *memdb.Tables) (_ *definitions.Parsed, err error) {
	db := t.Empty(pagesToLearn)
	if db == nil {
		return nil, errors.New("the database is too large")
	}
	var two [2]*native.Conn
	for i := range two {
		file, uri, e := memdb.NewFile(db)
		if e != nil {
			return nil, e
		}
		defer file.Close()
		raw, e := s.driver.Open(uri)
		if e != nil {
			return nil, e
		}
		defer func() { err = errors.Join(err, closeBoth(raw, two[i])) }()
		if two[i], e = native.Of(raw); e != nil {
			return nil, e
		}
	}
	return definitions.Learn(two[0], two[1])
}

// filePages is a database file that is read page by page. Each part is valid until
// the next. It implements pages.Content.
type filePages struct {
	file *os.File
	page [filePage]byte
}

// Part implements pages.Content.
func (f *filePages) Part(at, n int64) []byte {
	b := f.page[:]
	if n > filePage {
		return nil
	}
	if _, err := f.file.ReadAt(b[:n], at); err != nil {
		return nil
	}
	return b[:n]
}

// tablesOfFile returns the tables of a world's file, without its log; nil for a
// damaged file.
func tablesOfFile(s *Store, name string) *tables {
	file, err := os.Open(s.folder.Path(name))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	content := &filePages{file: file}
	return s.known.find(content, func() *memdb.Tables { return memdb.TablesIn(content) })
}

// connPages is a database as a connection sees it. It implements pages.Content.
type connPages struct {
	tx  *store.Tx
	err error
}

// Part implements pages.Content.
func (p *connPages) Part(at, n int64) (part []byte) {
	number, from := at/filePage+1, at%filePage
	found, err := p.tx.Get("SELECT data FROM sqlite_dbpage WHERE pgno = ?", []any{number}, &part)
	if err != nil || !found || from+n > int64(len(part)) {
		p.err = errors.Join(p.err, err)
		return nil
	}
	return part[from : from+n]
}

// sees reports whether a connection sees tables: those of the file may be others in
// the log.
func sees(c *conn, t *tables) (bool, error) {
	p := &connPages{tx: store.NewTx(c, store.SQLite)}
	if err := c.runAnew("BEGIN"); err != nil {
		return false, err
	}
	same := t.In(p)
	err := errors.Join(p.err, c.runAnew("COMMIT"))
	c.forget()
	return same, err
}
