package store

import (
	"context"
	"math"
	"unsafe"
)

// Witness observes which rows the writes of a world change. It is safe for
// concurrent use.
//
// An engine that sees each row calls Table and Columns while the statements of
// a write run; one that sees statements alone calls Statement. Both collect the
// changes of a transaction and hand over what was committed, in the order of
// commits: Prepare, then Begin, COMMIT and End.
type Witness interface {
	// Author returns who makes the writes of a context.
	Author(ctx context.Context) Author
	// Table returns how the rows of a table are noted; the zero Noted where they are not.
	Table(name string) Noted
	// Columns returns the number of the set of columns that a statement updates;
	// 0 for all.
	Columns(sql string) uint16
	// Statement appends the changes of a statement whose rows the engine does not
	// see: n is how many rows it changed, id the key that InsertID returned or 0.
	Statement(to []Change, by Author, sql string, args []any, n, id int64) []Change
	// Prepare runs in each transaction with noted changes, before it is committed.
	Prepare(tx *Tx) error
	// Begin is called before COMMIT, and End after it with what was committed,
	// nothing after a failure. Nobody can take a snapshot for View in between.
	Begin()
	End(changes []Change)
	// Copy is called when the world is copied to another name. snapshot fixes what
	// is copied; no commit is under way meanwhile.
	Copy(to string, snapshot func() error) error
	// Renumbered is called when rows may have new numbers.
	Renumbered()
}

// Author is who writes.
type Author struct {
	Seq  int64 // the number of the request; 0 for none
	Kind uint8 // the sort of actor, as the witness numbers it
	// Bulk leaves out which rows are inserted: one mark stands for all of them.
	Bulk bool
}

// Noted is how the rows of a table are noted.
type Noted struct {
	Number uint16 // of the table; 0 where rows are not noted
	// Keys is the number of key columns, which come first, of a table without
	// rowid; 0 for one with rowid.
	Keys int
}

// Inside returns the name by which the things inside the rows of a table are
// noted, where a row holds several (Note).
func Inside(table string) string { return table + "/inside" }

// Op is what happened to a row.
type Op uint8

// The operations.
const (
	Inserted Op = iota + 1
	Updated
	Deleted
	// Bulk marks a write that inserted rows which are not noted.
	Bulk
)

// Change is one change of one row, in 24 bytes.
type Change struct {
	Seq     int64 // of the author
	Row     int64 // the rowid, or HashKey of the key where there is none
	Table   uint16
	Columns uint16 // the set of columns that an update writes; 0 for all
	Op      Op
	Kind    uint8 // of the author
	Any     bool  // which row is not known: it may be any of the table
}

// HashKey returns a number that stands for the values of a key. Equal values
// have equal numbers on both databases, whatever Go type they have.
func HashKey(values ...any) int64 {
	h := NewKeyHash()
	for _, v := range values {
		switch v := Argument(v).(type) {
		case string:
			h.Text(v)
		case []byte:
			h.Text(unsafe.String(unsafe.SliceData(v), len(v)))
		case int64:
			h.Int(v)
		case float64:
			h.Float(v)
		default:
			h.Null()
		}
	}
	return h.Sum()
}

// KeyHash is the hash of the values of a key so far, added one by one; HashKey adds them at once.
type KeyHash uint64

const hashPrime = 1099511628211

// NewKeyHash returns the hash of no values.
func NewKeyHash() KeyHash { return 14695981039346656037 }

func (h *KeyHash) add(b byte) { *h = (*h ^ KeyHash(b)) * hashPrime }

// Text adds a text, or bytes.
func (h *KeyHash) Text(s string) {
	h.add('t')
	for n := len(s); n > 0; n >>= 8 {
		h.add(byte(n))
	}
	for i := range len(s) {
		h.add(s[i])
	}
}

// Int adds an integer.
func (h *KeyHash) Int(n int64) {
	h.add('i')
	for range 8 {
		h.add(byte(n))
		n >>= 8
	}
}

// Float adds a number that is no integer.
func (h *KeyHash) Float(f float64) {
	h.add('f')
	if b := byte(math.Float64bits(f)); b != 0 {
		h.add(b)
	}
}

// Null adds a null.
func (h *KeyHash) Null() { h.add('n') }

// Sum returns the number of the values that were added.
func (h KeyHash) Sum() int64 {
	h ^= h >> 32 // texts that differ in their last letter alone differ in the low bits
	h *= 0xd6e8feb86659fd93
	return int64(h ^ h>>32)
}
