package store

import (
	"context"
	"math"
	"unsafe"
)

// Witness observes which rows the writes of a world change. It is safe for
// concurrent use.
//
// An engine that sees each row calls Table and Columns while the statements of a
// write run; one that sees only statements calls Statement. Both collect the
// changes of a transaction and pass on what was committed, in the order of
// commits: Prepare, then Begin, COMMIT and End.
type Witness interface {
	// Author returns the author of writes with a context.
	Author(ctx context.Context) Author
	// Table returns how to record the rows of a table; the zero Noted if not at all.
	Table(name string) Noted
	// Columns returns the number of the set of columns that a statement updates;
	// 0 for all.
	Columns(sql string) uint16
	// Statement appends the changes of a statement whose rows the engine does not
	// see: n is the number of changed rows, id the key from InsertID or 0.
	Statement(to []Change, by Author, sql string, args []any, n, id int64) []Change
	// Prepare runs in each transaction with recorded changes, before its commit.
	Prepare(tx *Tx) error
	// Begin is called before COMMIT, and End after it with the committed changes,
	// nothing after a failure. No snapshot for View can be taken in between.
	Begin()
	End(changes []Change)
	// Copy is called when the world is copied to another name. snapshot fixes the
	// copied state; no commit is running meanwhile.
	Copy(to string, snapshot func() error) error
	// Renumbered is called when rows may have got new row ids.
	Renumbered()
}

// Author is the author of writes.
type Author struct {
	Seq  int64 // the number of the request; 0 for none
	Kind uint8 // the kind of actor, as the witness numbers it
	// Bulk records inserted rows as a single mark.
	Bulk bool
}

// Noted is how the rows of a table are recorded.
type Noted struct {
	Number uint16 // of the table; 0 if rows are not recorded
	// Keys is the number of key columns, which come first, of a table without rowid;
	// otherwise 0.
	Keys int
}

// Inside returns the table name for changes of the things inside the rows of a
// table, if a row has several (Note).
func Inside(table string) string { return table + "/inside" }

// Op is the kind of a change.
type Op uint8

// The operations.
const (
	Inserted Op = iota + 1
	Updated
	Deleted
	// Bulk marks a write that inserted rows without recording each.
	Bulk
)

// Change is one change of one row, in 24 bytes.
type Change struct {
	Seq     int64 // of the author
	Row     int64 // the rowid, or the HashKey of the key if there is none
	Table   uint16
	Columns uint16 // the set of columns that an update changes; 0 for all
	Op      Op
	Kind    uint8 // of the author
	Any     bool  // the row is unknown: any row of the table may have changed
}

// HashKey returns a hash of the values of a key. Equal values have the same hash
// on both databases, whatever their Go types.
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

// KeyHash computes a HashKey incrementally.
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

// Float adds a non-integer number.
func (h *KeyHash) Float(f float64) {
	h.add('f')
	if b := byte(math.Float64bits(f)); b != 0 {
		h.add(b)
	}
}

// Null adds a null.
func (h *KeyHash) Null() { h.add('n') }

// Sum returns the hash of the values added.
func (h KeyHash) Sum() int64 {
	h ^= h >> 32 // otherwise texts that differ only in their last letter would differ only in the low bits
	h *= 0xd6e8feb86659fd93
	return int64(h ^ h>>32)
}
