package native

import (
	"math"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"understudy/internal/platform/store"
)

// recordsOf is the version of SQLite whose cursors ScanRecord reads. It reads none of
// another version until somebody has compared that version's cursors (btreeInt.h) with
// what is written here.
const recordsOf = 3053004

// layout is how the records of a table are put together.
type layout struct {
	of                 *store.Record
	cookie, generation int32  // of the definitions that it was read from
	root               uint32 // the first page of the table; 0 if its records cannot be read
	columns            []column
}

// column is a column of a table.
type column struct {
	place int  // of its variable; -1 for none
	real  bool // its values are real numbers, although integers may be stored
}

// ScanRecord reads columns of the table's row that the statement is at from the row's record:
// SQLite copies none of them, and runs no instruction for each. The last column of the statement must be
// the number of that row (rowid). ScanRecord returns false for what it does not read: rows that
// are not on one page or that were stored before a column was added, tables with an INTEGER
// PRIMARY KEY or other peculiarities, and values that do not fit into their places.
func (s *Stmt) ScanRecord(of *store.Record, texts *store.Texts, dest ...any) bool {
	at, err := schemaOf(s.conn)
	if err != nil {
		return false
	}
	schema := (*sqlite3.TSchema)(address(at))
	l := &s.layout
	if l.of != of || l.cookie != schema.Fschema_cookie || l.generation != schema.FiGeneration {
		*l = layoutOf(schema, of)
	}
	record := s.record(l.root)
	if record == nil {
		return false
	}
	s.conn.read += int64(len(record))
	texts.Reserve(len(record))
	return l.scan(texts.Copy(record), dest)
}

func layoutOf(schema *sqlite3.TSchema, of *store.Record) layout {
	l := layout{of: of, cookie: schema.Fschema_cookie, generation: schema.FiGeneration}
	for at := schema.FtblHash.Ffirst; at != 0; {
		e := (*sqlite3.THashElem)(address(at))
		t := (*sqlite3.TTable)(address(e.Fdata))
		at = e.Fnext
		if !strings.EqualFold(libc.GoString(t.FzName), of.Table) {
			continue
		}
		if sqlite3.SQLITE_VERSION_NUMBER != recordsOf || schema.Fenc != sqlite3.SQLITE_UTF8 || t.FeTabType != sqlite3.TABTYP_NORM ||
			t.FtabFlags&(sqlite3.TF_WithoutRowid|sqlite3.TF_HasGenerated) != 0 || t.FiPKey >= 0 {
			return l
		}
		found := 0
		for i := range uintptr(t.FnCol) {
			its := (*sqlite3.TColumn)(address(t.FaCol + i*unsafe.Sizeof(sqlite3.TColumn{})))
			c := column{place: -1, real: its.Faffinity == sqlite3.SQLITE_AFF_REAL}
			for j, name := range of.Columns {
				if strings.EqualFold(name, libc.GoString(its.FzCnName)) {
					c.place = j
					found++
				}
			}
			l.columns = append(l.columns, c)
		}
		if found == len(of.Columns) {
			l.root = t.Ftnum
		}
	}
	return l
}

// record returns the record of the current row in the table that begins with a page; nil
// if no cursor is there, or if the record is not on one page.
func (s *Stmt) record(root uint32) []byte {
	v := (*sqlite3.TVdbe)(address(s.handle))
	if root == 0 || v.FpResultRow == 0 {
		return nil
	}
	number := (*sqlite3.Tsqlite3_value)(address(v.FpResultRow + uintptr(s.columns-1)*unsafe.Sizeof(sqlite3.Tsqlite3_value{})))
	if kindOf(number) != integer {
		return nil
	}
	for _, at := range unsafe.Slice((*uintptr)(address(v.FapCsr)), v.FnCursor) {
		if at == 0 {
			continue
		}
		c := (*sqlite3.TVdbeCursor)(address(at))
		if c.FeCurType != sqlite3.CURTYPE_BTREE || c.FiDb != 0 || c.FpgnoRoot != root || c.FpKeyInfo != 0 || c.FdeferredMoveto != 0 || c.FnullRow != 0 {
			continue
		}
		b := (*sqlite3.TBtCursor)(address(c.Fuc.FpCursor))
		// The size of the cell is set while SQLite knows where it is.
		if cell := &b.Finfo; b.FeState == sqlite3.CURSOR_VALID && cell.FnSize != 0 && cell.FnKey == intOf(number) && uint32(cell.FnLocal) == cell.FnPayload {
			return memory(cell.FpPayload, int(cell.FnLocal))
		}
	}
	return nil
}

// scan reads the columns of a record. It begins with the size of its header and a type for each
// column; their values follow (https://sqlite.org/fileformat2.html#record_format).
func (l *layout) scan(record string, dest []any) bool {
	header, at := varint(record, 0)
	if at > header || header > len(record) {
		return false
	}
	value := header
	for _, c := range l.columns {
		if at >= header {
			return false // it was stored before a column was added
		}
		var t int
		if t, at = varint(record, at); at > header {
			return false
		}
		end := value + sizeOf(t)
		if end > len(record) || c.place >= 0 && !assign(dest[c.place], t, c.real, record[value:end]) {
			return false
		}
		value = end
	}
	return at == header && value == len(record)
}

// varint returns the number at a position of a record, and the position after it. It is
// behind the record for a number of more than three bytes, of which no page has use.
func varint(record string, at int) (n, next int) {
	for i := at; i < min(at+3, len(record)); i++ {
		n = n<<7 | int(record[i]&0x7f)
		if record[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, len(record) + 1
}

// The types of values in records. Others are integers of the size in sizes.
const (
	typeNull = 0
	typeReal = 7
	typeZero = 8
	typeOne  = 9
	typeBlob = 12 // and all greater ones: even for blobs, odd for texts, with the length
)

var sizes = [typeBlob]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, math.MaxInt32, math.MaxInt32}

// sizeOf returns the bytes of a value of a type.
func sizeOf(t int) int {
	if t >= typeBlob {
		return (t - typeBlob) / 2
	}
	return sizes[t]
}

// assign stores a value of a type in a variable, and reports whether it fits.
func assign(dest any, t int, real bool, b string) bool {
	switch d := dest.(type) {
	case *string:
		*d = b
		return t >= typeBlob
	case *int64:
		*d = integerOf(t, b)
		return isInteger(t) && !real
	case *bool:
		*d = integerOf(t, b) != 0
		return isInteger(t) && !real
	case *float64:
		n := integerOf(t, b)
		if *d = float64(n); t == typeReal {
			*d = math.Float64frombits(uint64(n))
		}
		return t == typeReal || isInteger(t)
	case **float64:
		if t == typeNull {
			*d = nil
			return true
		}
		*d = new(float64)
		return assign(*d, t, real, b)
	}
	return false
}

func isInteger(t int) bool { return t > typeNull && t < typeReal || t == typeZero || t == typeOne }

// integerOf returns an integer, or the bits of a real number.
func integerOf(t int, b string) int64 {
	if t >= typeZero {
		return int64(t & 1)
	}
	if len(b) == 0 {
		return 0
	}
	n := int64(int8(b[0]))
	for i := 1; i < len(b); i++ {
		n = n<<8 | int64(b[i])
	}
	return n
}
