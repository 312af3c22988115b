package blockstore

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest"
	"understudy/internal/platform/store"
)

// parts are the parts of a block of columns in the formats parted and partedGapped. The
// first part, the head, contains the columns that most queries read. The second part
// contains the users and, if an event has no user, the sessions, from which the users of
// such events follow. The third part contains the sessions otherwise, and the checksum of
// the block's ids. Each part ends with its own checksum, so that a query can read only the
// beginning of a block, and PostgreSQL sends no more than that.
//
// A block begins with its format of one byte, and the offsets of the ends of the head and
// of the second part, of four bytes each.
type parts struct {
	head, owners, rest []byte // nil if the bytes that were read end before the part
}

// partsHeader is the number of bytes before the content of the head.
const partsHeader = 1 + 2*4

// prefixes returns the number of bytes at the beginning of a block that a query needs: head
// if it reads neither users nor sessions, owned if it reads the owners of events. Both are 0
// for blocks of earlier formats, of which a query needs all bytes.
func prefixes(columns []byte) (head, owned int64) {
	if len(columns) < partsHeader || columns[0] < parted {
		return 0, 0
	}
	return int64(binary.LittleEndian.Uint32(columns[1:])), int64(binary.LittleEndian.Uint32(columns[5:]))
}

// sliced returns the SQL expression for the beginning of blocks up to the last column in want.
// PostgreSQL stores long values in pieces, so it reads and sends only that beginning. SQLite
// always reads whole blocks. A statement with the expression must not sort: PostgreSQL would
// write the result to a temporary file.
func sliced(d *store.Dialect, want columnSet) string {
	end := "b.head"
	switch {
	case d != store.PostgreSQL || want&sessionColumn != 0:
		return "b.columns"
	case want&(userColumn|ownerColumns) != 0:
		end = "b.owned"
	}
	return "CASE WHEN " + end + " > 0 THEN substring(b.columns FROM 1 FOR CAST(" + end + " AS INTEGER)) ELSE b.columns END"
}

// encodeColumns encodes the fields of events that filters and sums read. first is the
// number of the block. numbers are the numbers of the events, nil if the events have the
// numbers from first on without gaps. idents are the encoded ids of the block.
func encodeColumns(events []ingest.Event, first int64, numbers []int64, idents []byte) []byte {
	least, owned := events[0].Time, true
	for i := range events {
		least = min(least, events[i].Time)
		owned = owned && events[i].User != ""
	}
	b := make([]byte, partsHeader, 64+len(events)*32)
	b[0] = parted
	if numbers != nil {
		b[0] = partedGapped
	}
	b = binary.AppendUvarint(b, uint64(len(events)))
	b = binary.AppendVarint(b, least)
	b = appendNumbers(b, events, func(e *ingest.Event) int64 { return e.Time - least })
	for i := range events {
		b = append(b, flags(&events[i]))
	}
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(n-first))
		first = n + 1
	}
	d := dictionary{places: map[string]uint16{}, index: make([]uint16, len(events))}
	b = d.append(b, events, func(e *ingest.Event) string { return e.Name })
	b = d.append(b, events, func(e *ingest.Event) string { return e.Type })
	b = d.append(b, events, func(e *ingest.Event) string { return e.Model })
	b = d.append(b, events, func(e *ingest.Event) string { return e.Customer })
	b = appendNumbers(b, events, func(e *ingest.Event) int64 { return e.Latency })
	b = appendNumbers(b, events, func(e *ingest.Event) int64 { return e.InputTokens })
	b = appendNumbers(b, events, func(e *ingest.Event) int64 { return e.OutputTokens })
	head := len(b) + sumBytes
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = d.append(b, events, func(e *ingest.Event) string { return e.User })
	sessions := func(e *ingest.Event) string { return e.Session }
	if !owned {
		b = d.append(b, events, sessions)
	}
	end := len(b) + sumBytes
	binary.LittleEndian.PutUint32(b[1:], uint32(head))
	binary.LittleEndian.PutUint32(b[5:], uint32(end))
	binary.LittleEndian.PutUint64(b[head-sumBytes:], xxhash.Sum64(b[:head-sumBytes]))
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b[head:]))
	if owned {
		b = d.append(b, events, sessions)
	}
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(idents))
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b[end:]))
}

// partsOf returns the parts of a block or of the beginning of a block. ok is false if the
// head is incomplete or damaged. It does not check the other parts.
func partsOf(b []byte) (p parts, ok bool) {
	head, end := prefixes(b)
	if b[0] > partedGapped || head < partsHeader+sumBytes || end < head+sumBytes || int64(len(b)) < head {
		return p, false
	}
	if p.head = b[:head:head]; int64(len(b)) >= end {
		p.owners, p.rest = b[head:end:end], b[end:]
	}
	p.head, ok = cutSum(p.head)
	return p, ok
}

// cutOwners returns the content of the second part. ok is false if the part is missing or
// damaged.
func (p *parts) cutOwners() (content []byte, ok bool) { return cutSum(p.owners) }

// cutRest returns the content of the third part and the checksum of the block's ids. ok is
// false if the part is missing or damaged.
func (p *parts) cutRest() (content []byte, idents uint64, ok bool) {
	before, ok := cutSum(p.rest)
	end := len(before) - sumBytes
	if !ok || end < 0 {
		return nil, 0, false
	}
	return before[:end:end], binary.LittleEndian.Uint64(before[end:]), true
}

// checkAll reports whether the second and the third part are complete and undamaged, and so
// are the ids. It does not check ids that are nil.
func (p *parts) checkAll(idents []byte) bool {
	_, ok := p.cutOwners()
	_, sum, complete := p.cutRest()
	return ok && complete && (idents == nil || sum == xxhash.Sum64(idents))
}

// decodeParts is decodeColumns for a block in parts.
func decodeParts(b []byte, c *ingest.Columns, want columnSet) error {
	p, ok := partsOf(b)
	if !ok {
		return errBlock
	}
	r := readerOf(p.head[partsHeader:])
	n := r.Length()
	if r.Bad || n == 0 || n > maxBlock || n > len(b) {
		return errBlock
	}
	readTimes(&r, b[0], c, n)
	if c.Flags = r.Bytes(n); r.Bad {
		return errBlock
	}
	c.Numbers = nil
	if hasGaps(b) {
		readGaps(&r, c)
	}
	for _, d := range [...]struct {
		to   *ingest.Dict
		when columnSet
	}{{&c.Name, nameColumn}, {&c.Type, typeColumn}, {&c.Model, modelColumn}, {&c.Customer, customerColumn}} {
		r.dictIf(want&d.when != 0, d.to, n)
	}
	readMeasures(&r, b[0], c, want, false)
	if r.Bad {
		return errBlock
	}
	return p.decodeOwners(c, want)
}

// decodeOwners decodes the users and the sessions as far as want needs them.
func (p *parts) decodeOwners(c *ingest.Columns, want columnSet) error {
	blank(&c.User)
	blank(&c.Session)
	if want&(userColumn|ownerColumns|sessionColumn) == 0 {
		return nil
	}
	owners, ok := p.cutOwners()
	if !ok {
		return errBlock
	}
	users := readerOf(owners)
	users.dictIf(want&(userColumn|ownerColumns) != 0, &c.User, c.N)
	if users.Bad {
		return errBlock
	}
	sessions := users // what follows the users in the second part
	if want&sessionColumn != 0 {
		rest, _, ok := p.cutRest()
		if !ok {
			return errBlock
		}
		if len(users.B) == 0 {
			sessions = readerOf(rest)
		}
	} else if len(users.B) == 0 || !slices.Contains(c.User.Values, "") {
		return nil
	}
	if sessions.dict(&c.Session, c.N); sessions.Bad {
		return errBlock
	}
	return nil
}
