package native

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Parsed is a copy of what SQLite has parsed from the definitions of a database:
// its tables, columns, indexes and their expressions. A connection that loads it
// need not parse the definitions itself, which takes longer than all else that
// opening a small file takes. It is safe for concurrent use.
//
// In SQLite it is a graph of blocks of memory that refer to each other by address.
// Here the addresses in them are replaced by the numbers of blocks.
type Parsed struct {
	head  sqlite3.TSchema
	sizes []int    // of the blocks, in bytes
	data  []byte   // their contents, one after another
	links []link   // the addresses in the contents
	heads [5]place // what head.FtblHash and head.FidxHash refer to: first and table of each; head.FpSeqTab
}

// link is the offset in data of an address, and what it refers to.
type link struct {
	at int
	to place
}

// place is a place in a block; ownSchema or nowhere for block.
type place struct{ block, offset int }

const (
	ownSchema = -1 // the structure of the connection that the blocks belong to
	nowhere   = -2 // the address is 0
)

var errNotCopied = errors.New("definitions of this kind are not copied")

// Definitions returns what the connection has parsed. No statement may be open. It
// returns an error for definitions with triggers, views, foreign keys, subqueries or
// statistics, for those that are not parsed yet, and if SQLite's structures are not
// as expected.
func Definitions(c *Conn) (*Parsed, error) {
	at, err := schemaOf(c)
	if err != nil {
		return nil, err
	}
	s := (*sqlite3.TSchema)(address(at))
	if s.FschemaFlags&sqlite3.DB_SchemaLoaded == 0 || s.FtrigHash.Fcount != 0 || s.FfkeyHash.Fcount != 0 {
		return nil, errNotCopied
	}
	w := walk{tls: c.tls, schema: at, blocks: map[uintptr]int{}}
	w.hash(&s.FtblHash, w.table)
	w.hash(&s.FidxHash, nil)
	return w.parsed(s)
}

// schemaOf returns the address of the structure with the definitions of a connection's
// database.
func schemaOf(c *Conn) (uintptr, error) {
	db := (*sqlite3.Tsqlite3)(address(c.handle))
	if db.FnDb != 2 || db.FaDb == 0 { // its own, and that for temporary tables
		return 0, errNotCopied
	}
	at := (*sqlite3.TDb)(address(db.FaDb)).FpSchema
	if at == 0 {
		return 0, errNotCopied
	}
	return at, nil
}

// walk collects the blocks that SQLite frees with the definitions of a connection, in the
// order in which it frees them, and the addresses in them.
type walk struct {
	tls    *libc.TLS
	schema uintptr
	blocks map[uintptr]int // the sizes of blocks, by address
	slots  []slot
	failed bool
}

// slot is the place of an address: at refers to it. Where constant is set, it may be an address
// outside of all blocks: that of a text in SQLite itself.
type slot struct {
	at       uintptr
	constant bool
}

// block notes a block that SQLite has allocated, and reports whether there is one.
func (w *walk) block(at uintptr) bool {
	if at == 0 {
		return false
	}
	if _, twice := w.blocks[at]; twice {
		w.failed = true
		return false
	}
	w.blocks[at] = int(sqlite3.Xsqlite3_msize(w.tls, at))
	return true
}

// refers notes the places of addresses.
func (w *walk) refers(places ...*uintptr) {
	for _, p := range places {
		if *p != 0 {
			w.slots = append(w.slots, slot{at: uintptr(unsafe.Pointer(p))})
		}
	}
}

// must records that the definitions cannot be copied, unless ok.
func (w *walk) must(ok bool) { w.failed = w.failed || !ok }

func (w *walk) hash(h *sqlite3.THash, each func(at uintptr)) {
	if w.block(h.Fht) {
		for i := range uintptr(h.Fhtsize) {
			entry := (*sqlite3.T_ht)(address(h.Fht + i*unsafe.Sizeof(sqlite3.T_ht{})))
			if entry.Fcount > 0 { // otherwise the address is undefined
				w.refers(&entry.Fchain)
			}
		}
	}
	for at := h.Ffirst; w.block(at); {
		e := (*sqlite3.THashElem)(address(at))
		w.refers(&e.Fnext, &e.Fprev, &e.Fdata, &e.FpKey)
		if each != nil {
			each(e.Fdata)
		}
		at = e.Fnext
	}
}

func (w *walk) table(at uintptr) {
	if !w.block(at) {
		return
	}
	t := (*sqlite3.TTable)(address(at))
	w.must(t.FpTrigger == 0 && t.FpSchema == w.schema && t.FnTabRef == 1)
	// With statistics, what is parsed depends on the rows of a table.
	w.must(!strings.HasPrefix(libc.GoString(t.FzName), "sqlite_stat"))
	w.refers(&t.FzName, &t.FaCol, &t.FpIndex, &t.FzColAff, &t.FpCheck, &t.FpSchema)
	w.block(t.FzName)
	w.block(t.FzColAff)
	if w.block(t.FaCol) {
		for i := range uintptr(t.FnCol) {
			name := &(*sqlite3.TColumn)(address(t.FaCol + i*unsafe.Sizeof(sqlite3.TColumn{}))).FzCnName
			w.refers(name)
			w.block(*name)
		}
	}
	w.list(t.FpCheck)
	for at := t.FpIndex; at != 0 && !w.failed; at = (*sqlite3.TIndex)(address(at)).FpNext {
		w.index(at)
	}
	switch t.FeTabType {
	case sqlite3.TABTYP_NORM:
		w.must(t.Fu.Ftab.FpFKey == 0)
		w.refers(&t.Fu.Ftab.FpDfltList)
		w.list(t.Fu.Ftab.FpDfltList)
	case sqlite3.TABTYP_VTAB:
		w.virtual((*virtual)(unsafe.Pointer(&t.Fu)))
	default:
		w.failed = true
	}
}

// virtual is the part of a table that only a virtual one has.
type virtual struct {
	arguments      int32
	texts, modules uintptr
}

// virtual notes the arguments of a virtual table. A connection asks the module for its columns when it first
// uses the table. The second argument is the name of the database, which nobody frees.
func (w *walk) virtual(v *virtual) {
	w.must(v.modules == 0)
	w.refers(&v.texts)
	if !w.block(v.texts) {
		return
	}
	for i := range uintptr(v.arguments) {
		text := (*uintptr)(address(v.texts + i*unsafe.Sizeof(v.texts)))
		if i == 1 {
			w.must(*text == 0)
			continue
		}
		w.refers(text)
		w.block(*text)
	}
}

func (w *walk) index(at uintptr) {
	if !w.block(at) {
		return
	}
	x := (*sqlite3.TIndex)(address(at))
	w.must(x.FpSchema == w.schema && x.FaAvgEq == 0 && x.FaSample == 0 && x.FaiRowEst == 0)
	w.refers(&x.FzName, &x.FaiColumn, &x.FaiRowLogEst, &x.FpTable, &x.FzColAff, &x.FpNext, &x.FpSchema, &x.FaSortOrder,
		&x.FazColl, &x.FpPartIdxWhere, &x.FaColExpr)
	if x.FazColl < at || x.FazColl >= at+uintptr(w.blocks[at]) { // of an index that got more columns
		w.block(x.FazColl)
	}
	for i := range uintptr(x.FnColumn) {
		w.slots = append(w.slots, slot{at: x.FazColl + i*unsafe.Sizeof(at), constant: true})
	}
	w.block(x.FzColAff)
	w.expression(x.FpPartIdxWhere)
	w.list(x.FaColExpr)
}

func (w *walk) list(at uintptr) {
	if !w.block(at) {
		return
	}
	for i := range uintptr((*sqlite3.TExprList)(address(at)).FnExpr) {
		item := (*sqlite3.TExprList_item)(address(at + unsafe.Sizeof(sqlite3.TExprList{}) + i*unsafe.Sizeof(sqlite3.TExprList_item{})))
		w.refers(&item.FpExpr, &item.FzEName)
		w.expression(item.FpExpr)
		w.block(item.FzEName)
	}
}

// expression notes an expression. Shortened ones lack the members at the end of the
// structure; a part of a copied one is in the block of the whole (EP_Static).
func (w *walk) expression(at uintptr) {
	if at == 0 || w.failed {
		return
	}
	e := (*sqlite3.TExpr)(address(at))
	has := func(flags uint32) bool { return e.Fflags&flags != 0 }
	if !has(sqlite3.EP_Static) && !w.block(at) {
		return
	}
	w.must(!has(sqlite3.EP_xIsSelect|sqlite3.EP_WinFunc) && e.Fop != sqlite3.TK_SELECT_COLUMN)
	if !has(sqlite3.EP_IntValue) {
		w.refers(&e.Fu.FzToken)
	}
	if has(sqlite3.EP_TokenOnly) || w.failed {
		return
	}
	if !has(sqlite3.EP_Reduced) {
		w.must(e.FpAggInfo == 0 && (e.Fy.FpTab == 0 || e.Fop == sqlite3.TK_COLUMN))
		w.refers(&e.Fy.FpTab)
	}
	w.refers(&e.FpLeft, &e.FpRight, &e.Fx.FpList)
	if has(sqlite3.EP_Leaf) {
		w.must(e.FpLeft == 0 && e.FpRight == 0 && e.Fx.FpList == 0)
		return
	}
	w.expression(e.FpLeft)
	w.expression(e.FpRight)
	w.list(e.Fx.FpList)
}

// parsed copies the blocks, in the order of their addresses.
func (w *walk) parsed(s *sqlite3.TSchema) (*Parsed, error) {
	if w.failed {
		return nil, errNotCopied
	}
	p := &Parsed{head: *s}
	starts := make([]uintptr, 0, len(w.blocks))
	for at := range w.blocks {
		starts = append(starts, at)
	}
	slices.Sort(starts)
	offsets := make([]int, len(starts)) // in p.data
	for i, at := range starts {
		size := w.blocks[at]
		if i > 0 && starts[i-1]+uintptr(w.blocks[starts[i-1]]) > at {
			return nil, errNotCopied
		}
		offsets[i] = len(p.data)
		p.sizes = append(p.sizes, size)
		p.data = append(p.data, memory(at, size)...)
	}
	find := func(at uintptr) (place, bool) {
		switch at {
		case 0:
			return place{block: nowhere}, true
		case w.schema:
			return place{block: ownSchema}, true
		}
		i, exact := slices.BinarySearch(starts, at)
		if !exact {
			i--
		}
		if i < 0 || at >= starts[i]+uintptr(p.sizes[i]) {
			return place{}, false
		}
		return place{block: i, offset: int(at - starts[i])}, true
	}
	ok := true
	resolve := func(at uintptr) place {
		to, found := find(at)
		ok = ok && found
		return to
	}
	p.heads = [5]place{resolve(s.FtblHash.Ffirst), resolve(s.FtblHash.Fht), resolve(s.FidxHash.Ffirst), resolve(s.FidxHash.Fht), resolve(s.FpSeqTab)}
	for _, one := range w.slots {
		value := *(*uintptr)(address(one.at))
		to, found := find(value)
		if !found && one.constant {
			continue
		}
		from := resolve(one.at)
		if ok = ok && found && from.block >= 0; !ok {
			return nil, errNotCopied
		}
		p.links = append(p.links, link{offsets[from.block] + from.offset, to})
	}
	if !ok {
		return nil, errNotCopied
	}
	slices.SortFunc(p.links, func(a, b link) int { return cmp.Compare(a.at, b.at) })
	return p, nil
}

// Load makes a connection that has parsed nothing yet know definitions, as if it had parsed
// them. They must be those of its database: SQLite itself parses them anew if the cookie of
// the database is another.
func (p *Parsed) Load(c *Conn) error {
	at, err := schemaOf(c)
	if err != nil {
		return err
	}
	s := (*sqlite3.TSchema)(address(at))
	if s.FschemaFlags&sqlite3.DB_SchemaLoaded != 0 || s.FtblHash.Fcount != 0 || s.FidxHash.Fcount != 0 {
		return errNotCopied
	}
	blocks := make([]uintptr, len(p.sizes))
	for i, size := range p.sizes {
		if blocks[i] = sqlite3.Xsqlite3_malloc64(c.tls, uint64(size)); blocks[i] == 0 {
			for _, b := range blocks[:i] {
				sqlite3.Xsqlite3_free(c.tls, b)
			}
			return errors.New("SQLite: no memory for definitions")
		}
	}
	addressOf := func(to place) uintptr {
		switch to.block {
		case nowhere:
			return 0
		case ownSchema:
			return at
		}
		return blocks[to.block] + uintptr(to.offset)
	}
	offset, next := 0, 0
	for i, size := range p.sizes {
		block := memory(blocks[i], size)
		copy(block, p.data[offset:offset+size])
		for ; next < len(p.links) && p.links[next].at < offset+size; next++ {
			one := p.links[next]
			put(block[one.at-offset:], addressOf(one.to))
		}
		offset += size
	}
	s.FtblHash.Fhtsize, s.FtblHash.Fcount = p.head.FtblHash.Fhtsize, p.head.FtblHash.Fcount
	s.FidxHash.Fhtsize, s.FidxHash.Fcount = p.head.FidxHash.Fhtsize, p.head.FidxHash.Fcount
	s.FtblHash.Ffirst, s.FtblHash.Fht = addressOf(p.heads[0]), addressOf(p.heads[1])
	s.FidxHash.Ffirst, s.FidxHash.Fht = addressOf(p.heads[2]), addressOf(p.heads[3])
	s.FpSeqTab = addressOf(p.heads[4])
	s.Fschema_cookie, s.Ffile_format, s.Fenc = p.head.Fschema_cookie, p.head.Ffile_format, p.head.Fenc
	if s.Fcache_size == 0 {
		s.Fcache_size = p.head.Fcache_size
	}
	s.FschemaFlags |= sqlite3.DB_SchemaLoaded
	return nil
}

// put writes an address as C stores it.
func put(b []byte, at uintptr) {
	if unsafe.Sizeof(at) == 8 {
		binary.NativeEndian.PutUint64(b, uint64(at))
	} else {
		binary.NativeEndian.PutUint32(b, uint32(at))
	}
}
