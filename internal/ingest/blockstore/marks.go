package blockstore

import "encoding/binary"

// marks are the checkpoints of events, in the order of rows.
type marks struct {
	names  []string
	places map[string]uint16
	rows   []uint32
	name   []uint16
	micros []int64
	space  []byte // the buffer of decode; names share its memory
}

// encode returns the stored form of checkpoints.
func (m *marks) encode() []byte {
	b := appendTexts(nil, m.names)
	b = binary.AppendUvarint(b, uint64(len(m.rows)))
	last := uint32(0)
	for i, row := range m.rows {
		b = binary.AppendUvarint(b, uint64(row-last))
		b = binary.AppendUvarint(b, uint64(m.name[i]))
		b = binary.AppendUvarint(b, uint64(m.micros[i]))
		last = row
	}
	return encoder.EncodeAll(b, nil)
}

// readMark reads the three numbers of a checkpoint. Most have one byte, and the last at most three.
func readMark(r *reader) (gap, name, micros uint64) {
	b := r.b
	if len(b) < 5 || b[0]|b[1] >= 0x80 {
		return r.uvarint(), r.uvarint(), r.uvarint()
	}
	gap, name = uint64(b[0]), uint64(b[1])
	switch low, middle, high := b[2], b[3], b[4]; {
	case low < 0x80:
		r.b = b[3:]
		return gap, name, uint64(low)
	case middle < 0x80:
		r.b = b[4:]
		return gap, name, uint64(low&0x7f) | uint64(middle)<<7
	case high < 0x80:
		r.b = b[5:]
		return gap, name, uint64(low&0x7f) | uint64(middle&0x7f)<<7 | uint64(high)<<14
	}
	r.b = b[2:]
	return gap, name, r.uvarint()
}

// decode decodes what encode returned, and uses the memory of m again.
func (m *marks) decode(b []byte) (err error) {
	if m.space, err = decoder.DecodeAll(b, m.space[:0]); err != nil {
		return err
	}
	r := reader{b: m.space}
	m.names = r.texts()
	n := min(r.length(), len(r.b)) // each has a byte at least
	m.rows, m.name, m.micros = sized(m.rows, n), sized(m.name, n), sized(m.micros, n)
	row := uint32(0)
	for i := range n {
		gap, name, micros := readMark(&r)
		row += uint32(gap)
		m.rows[i], m.name[i], m.micros[i] = row, uint16(name), int64(micros)
		r.bad = r.bad || int(m.name[i]) >= len(m.names)
	}
	if r.bad {
		err = errBlock
	}
	return err
}
