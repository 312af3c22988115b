package ingest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"strings"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"understudy/internal/ingest/packed"
)

// errRollup is the error of damaged stored sums.
var errRollup = errors.New("a row of sums does not match its checksum")

// rollupRow is the key of a stored row: the sums of the events with a name in an hour or
// a day.
type rollupRow struct {
	project, tool string // tool is any name
	grain, at     int64  // grain in hours
}

// partKey is the key of a part of a row.
type partKey struct {
	model   string
	kind    Kind
	success bool
}

func (k partKey) compare(o partKey) int {
	return cmp.Or(cmp.Compare(k.model, o.model), cmp.Compare(k.head(), o.head()))
}

// head is the first byte of a stored part.
func (k partKey) head() byte {
	head := byte(k.kind) << 1
	if k.success {
		head |= 1
	}
	return head
}

// rollupPart is a part of a row.
type rollupPart struct {
	partKey
	*sums
}

// storedPart is a part in its stored form.
type storedPart struct {
	kind                  Kind
	success               bool
	events, input, output int64
	model, latencies      []byte
}

// appendPart appends the stored form of a part: kind and success in a byte, model, events
// and tokens, and the latencies. Lengths come before texts and latencies.
func appendPart(b []byte, k partKey, s *sums) []byte {
	b = binary.AppendUvarint(append(b, k.head()), uint64(len(k.model)))
	b = append(b, k.model...)
	b = binary.AppendVarint(b, s.events)
	b = binary.AppendVarint(b, s.input) // tokens can be subtracted before they are added
	b = binary.AppendVarint(b, s.output)
	latencies := s.latencies.appendStored(nil)
	b = binary.AppendUvarint(b, uint64(len(latencies)))
	return append(b, latencies...)
}

// cutPart returns the first part of a row, and the rest. It returns
// errDamagedSums.
func cutPart(b []byte) (p storedPart, rest []byte, err error) {
	r := packed.Reader{B: b[1:]}
	p.kind, p.success = Kind(b[0]>>1), b[0]&1 != 0
	p.model = r.Bytes(r.Length())
	p.events, p.input, p.output = r.Varint(), r.Varint(), r.Varint()
	p.latencies = r.Bytes(r.Length())
	if r.Bad {
		return p, nil, damagedSums(errRollup)
	}
	return p, r.B, nil
}

// compare compares the key of a part with another one.
func (p *storedPart) compare(o partKey) int {
	if c := strings.Compare(unsafe.String(unsafe.SliceData(p.model), len(p.model)), o.model); c != 0 {
		return c
	}
	return partKey{kind: p.kind, success: p.success}.compare(partKey{kind: o.kind, success: o.success})
}

// sums returns the sums of a part. It returns errDamagedSums.
func (p *storedPart) sums() (*sums, error) {
	s := &sums{events: p.events, input: p.input, output: p.output}
	if !p.success {
		s.errors = s.events
	}
	return s, s.latencies.mergeStored(p.latencies)
}

// change is the operation on stored sums.
type change int

const (
	add change = iota
	subtract
)

// changeParts returns the parts of a row after some changes, and their number of
// events. Parts and changes are in the order of their keys. Unchanged parts are
// copied. It returns errDamagedSums.
func changeParts(stored []byte, changes []rollupPart, how change) (parts []byte, events int64, err error) {
	for len(stored) > 0 {
		p, rest, err := cutPart(stored)
		if err != nil {
			return nil, 0, err
		}
		same := stored[:len(stored)-len(rest)]
		stored = rest
		for len(changes) > 0 && p.compare(changes[0].partKey) > 0 {
			parts, events = appendNew(parts, events, changes[0], how)
			changes = changes[1:]
		}
		if len(changes) == 0 || p.compare(changes[0].partKey) < 0 {
			parts, events = append(parts, same...), events+p.events
			continue
		}
		s, err := p.sums()
		if err != nil {
			return nil, 0, err
		}
		c := changes[0]
		changes = changes[1:]
		if how == add {
			s.merge(c.sums)
		} else if s.subtract(c.sums); s.events <= 0 {
			continue
		}
		parts, events = appendPart(parts, c.partKey, s), events+s.events
	}
	for _, c := range changes {
		parts, events = appendNew(parts, events, c, how)
	}
	return parts, events, nil
}

// appendNew appends a part that the row does not have, unless it is subtracted.
func appendNew(parts []byte, events int64, c rollupPart, how change) ([]byte, int64) {
	if how == subtract {
		return parts, events
	}
	return appendPart(parts, c.partKey, c.sums), events + c.events
}

// storedRow is a row in its stored form: its parts and their checksum.
type storedRow struct {
	rollupRow
	events int64
	parts  []byte
}

// checksum returns the checksum of a row with so many events: parts of another row do
// not match it.
func (k *rollupRow) checksum(events int64, parts []byte) uint64 {
	var space [256]byte
	b := space[:0]
	for _, n := range [...]int64{k.grain, k.at, events, int64(len(k.tool))} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(append(b, k.project...), k.tool...)
	return xxhash.Sum64(b) ^ xxhash.Sum64(parts)
}

// appendSum appends the checksum of a row to its parts.
func (k *rollupRow) appendSum(events int64, parts []byte) []byte {
	return binary.LittleEndian.AppendUint64(parts, k.checksum(events, parts))
}

// cutSum returns the parts of a row without their checksum. It returns errDamagedSums.
func (k *rollupRow) cutSum(events int64, stored []byte) ([]byte, error) {
	end := len(stored) - 8
	if end < 0 || binary.LittleEndian.Uint64(stored[end:]) != k.checksum(events, stored[:end]) {
		return nil, damagedSums(errRollup)
	}
	return stored[:end:end], nil
}
