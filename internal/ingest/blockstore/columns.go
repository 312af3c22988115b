package blockstore

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
)

// maxBlock bounds the events of a block: indexes into a dictionary have 16 bits.
const maxBlock = 1 << 16

// The formats of a block of columns. A block begins with its format. It ends with two
// checksums of eight bytes each: one of the ids of the block, and one of everything
// before. Blocks of the format unsummed have no checksums. Blocks of the gapped formats
// have gaps between the numbers of their events, and list these numbers, the formats up
// to evenGapped before the checksums. From even on, each column of numbers begins with
// the width of its numbers in bytes; the earlier formats contain only varints. Blocks of
// the formats parted and partedGapped consist of parts with a checksum each (see parts).
// Only these two are written.
const (
	unsummed     = 1
	summed       = 2
	gapped       = 3
	even         = 4
	evenGapped   = 5
	parted       = 6
	partedGapped = 7
	sumBytes     = 8
)

// hasGaps reports whether a block of columns lists the numbers of its events.
func hasGaps(columns []byte) bool {
	return len(columns) > 0 && (columns[0] == gapped || columns[0] == evenGapped || columns[0] == partedGapped)
}

// The bits of a row that mark the numbers that the row has. They share a byte with the
// flags of package ingest.
const (
	hasLatency = 1 << (5 + iota)
	hasInput
	hasOutput
)

var errBlock = errors.New("a block of events is damaged")

// appendSum appends the checksum of b to b.
func appendSum(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// cutSum returns the bytes before the checksum at the end of b. ok is false if they do
// not have that checksum.
func cutSum(b []byte) (content []byte, ok bool) {
	end := len(b) - sumBytes
	if end < 0 {
		return nil, false
	}
	return b[:end:end], binary.LittleEndian.Uint64(b[end:]) == xxhash.Sum64(b[:end])
}

// checkSums reports whether the checksums of the columns and the ids are right. It does not
// check ids that are nil. Columns of the format unsummed are always right.
func checkSums(columns, idents []byte) bool {
	if len(columns) == 0 || columns[0] == unsummed {
		return true
	}
	if columns[0] >= parted {
		p, ok := partsOf(columns)
		return ok && p.checkAll(idents)
	}
	before, ok := cutSum(columns)
	if !ok || len(before) < 1+sumBytes {
		return false
	}
	return idents == nil || binary.LittleEndian.Uint64(before[len(before)-sumBytes:]) == xxhash.Sum64(idents)
}

func flags(e *ingest.Event) (f byte) {
	for _, bit := range [...]struct {
		on  bool
		bit byte
	}{{e.Success, ingest.FlagSuccess}, {e.IsTurn(), ingest.FlagTurn}, {e.Untimed, ingest.FlagUntimed}, {e.Covered, ingest.FlagCovered},
		{e.Latency >= 0, hasLatency}, {e.InputTokens >= 0, hasInput}, {e.OutputTokens >= 0, hasOutput}} {
		if bit.on {
			f |= bit.bit
		}
	}
	return f
}

// maxWidth is the largest fixed width of the numbers of a column, in bytes.
const maxWidth = 4

// appendNumbers appends a column of numbers without those below 0: the width of the
// numbers in bytes, then the numbers. Width 0 means varints. It is used for numbers wider
// than maxWidth, and where a fixed width would make the column longer by more than half.
func appendNumbers(b []byte, events []ingest.Event, number func(*ingest.Event) int64) []byte {
	greatest, count := int64(0), 0
	at := len(b)
	b = append(b, 0)
	for i := range events {
		if n := number(&events[i]); n >= 0 {
			b = binary.AppendUvarint(b, uint64(n))
			greatest = max(greatest, n)
			count++
		}
	}
	width := max(1, (bits.Len64(uint64(greatest))+7)/8)
	if width > maxWidth || 2*width*count > 3*(len(b)-at-1) {
		return b
	}
	b = append(b[:at], byte(width))
	for i := range events {
		if n := number(&events[i]); n >= 0 {
			for range width {
				b = append(b, byte(n))
				n >>= 8
			}
		}
	}
	return b
}

// dictionary is the reusable work space for encoding a column of texts.
type dictionary struct {
	places map[string]uint16
	values []string
	index  []uint16
}

func (d *dictionary) append(b []byte, events []ingest.Event, text func(*ingest.Event) string) []byte {
	clear(d.places)
	d.values = d.values[:0]
	last, place := "", uint16(0)
	for i := range events {
		t := text(&events[i])
		if i == 0 || t != last {
			p, ok := d.places[t]
			if !ok {
				p = uint16(len(d.values))
				d.places[t] = p
				d.values = append(d.values, t)
			}
			last, place = t, p
		}
		d.index[i] = place
	}
	b = binary.AppendUvarint(b, uint64(len(d.values)))
	for _, v := range d.values {
		b = appendText(b, v)
	}
	switch {
	case len(d.values) == 1:
	case len(d.values) <= 256:
		for _, p := range d.index {
			b = append(b, byte(p))
		}
	default:
		for _, p := range d.index {
			b = binary.LittleEndian.AppendUint16(b, p)
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// columnSet is a set of columns. A query decodes only the columns that it needs,
// because decoding takes most of its time. Times and flags are always decoded.
type columnSet uint16

const (
	sessionColumn columnSet = 1 << iota
	nameColumn
	typeColumn
	modelColumn
	customerColumn
	userColumn
	latencyColumn
	tokenColumns
	// ownerColumns are the users and, in blocks with events without a user, also the
	// sessions.
	ownerColumns

	allColumns = ownerColumns - 1
)

// decodeColumns decodes the columns in want from a block in any format into c. It reuses
// the slices of c, whose First must be set. Other columns of texts contain empty texts;
// other columns of numbers are nil. The texts of c share memory with b, which must not
// change while c is in use. b may lack the parts that want does not need. It returns
// errBlock for a damaged block.
func decodeColumns(b []byte, c *ingest.Columns, want columnSet) error {
	if len(b) > 0 && b[0] >= parted {
		return decodeParts(b, c, want)
	}
	r := readerOf(b)
	format := r.Byte()
	if format < unsummed || format > evenGapped || !checkSums(b, nil) {
		return errBlock
	}
	n := r.Length()
	if r.Bad || n == 0 || n > maxBlock || n > len(b) {
		return errBlock
	}
	readTimes(&r, format, c, n)
	sessions := r
	for _, d := range [...]struct {
		to   *ingest.Dict
		when columnSet
	}{{&c.Session, sessionColumn}, {&c.Name, nameColumn}, {&c.Type, typeColumn}, {&c.Model, modelColumn}, {&c.Customer, customerColumn},
		{&c.User, userColumn | ownerColumns}} {
		r.dictIf(want&d.when != 0, d.to, n)
	}
	if want&ownerColumns != 0 && want&sessionColumn == 0 && slices.Contains(c.User.Values, "") {
		sessions.dict(&c.Session, n)
	}
	c.Flags = r.Bytes(n)
	if r.Bad {
		return errBlock
	}
	readMeasures(&r, format, c, want, hasGaps(b))
	c.Numbers = nil
	if hasGaps(b) {
		readGaps(&r, c)
	}
	if r.Bad {
		return errBlock
	}
	return nil
}

// readTimes reads the times of the n rows of a block, and sets N, Min and Max of c.
func readTimes(r *reader, format byte, c *ingest.Columns, n int) {
	c.N = n
	c.Min = r.Varint()
	c.Max = c.Min
	c.Time = sized(c.Time, n)
	readNumbers(r, format, c.Time, nil, 0)
	for i := range c.Time {
		c.Time[i] += c.Min
		c.Max = max(c.Max, c.Time[i])
	}
}

// readMeasures reads latencies and tokens. Unless followed is set, because the caller
// needs the data after them, it stops after the columns in want.
func readMeasures(r *reader, format byte, c *ingest.Columns, want columnSet, followed bool) {
	for _, col := range [...]struct {
		to   *[]int64
		bit  byte
		when columnSet
	}{{&c.Latency, hasLatency, latencyColumn | tokenColumns}, {&c.InputTokens, hasInput, tokenColumns}, {&c.OutputTokens, hasOutput, tokenColumns}} {
		if !followed && want&col.when == 0 { // nothing after it is needed either
			*col.to = nil
			continue
		}
		*col.to = sized(*col.to, c.N)
		readNumbers(r, format, *col.to, c.Flags, col.bit)
	}
}

// readGaps reads the numbers of the events of a block with gaps.
func readGaps(r *reader, c *ingest.Columns) {
	c.Numbers = make([]int64, c.N)
	next := c.First
	for i := range c.Numbers {
		c.Numbers[i] = next + int64(r.Uvarint())
		next = c.Numbers[i] + 1
	}
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
