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

// passMarks skips at most n checkpoints at the start of b while their rows are
// below wanted. row is the row before them. It returns the number of skipped
// checkpoints, their size and the row of the last. It stops early at one with
// long numbers: most rows and names have one byte, and most times three at most.
func passMarks(b []byte, n int, row, wanted uint32) (passed, size int, last uint32) {
	for passed < n && size+5 <= len(b) {
		mark := b[size : size+5]
		next := row + uint32(mark[0])
		if mark[0]|mark[1] >= 0x80 || next >= wanted {
			break
		}
		switch {
		case mark[2] < 0x80:
			size += 3
		case mark[3] < 0x80:
			size += 4
		case mark[4] < 0x80:
			size += 5
		default:
			return passed, size, row
		}
		row = next
		passed++
	}
	return passed, size, row
}

// decode decodes the output of encode for the run that begins with event first,
// and reuses the memory of m. It skips the checkpoints of calls that are not
// among rows, which ascend: a query reads the calls of one tool.
func (m *marks) decode(b []byte, first int64, rows []timedRow) (err error) {
	if m.space, err = decoder.DecodeAll(b, m.space[:0]); err != nil {
		return err
	}
	r := readerOf(m.space)
	m.names = r.texts()
	n := min(r.Length(), len(r.B)) // each has a byte at least
	m.rows, m.name, m.micros = m.rows[:0], m.name[:0], m.micros[:0]
	row, wanted := uint32(0), uint32(0)
	for ; n > 0 && !r.Bad; n-- {
		passed, size := 0, 0
		passed, size, row = passMarks(r.B, n, row, wanted)
		if n, r.B = n-passed, r.B[size:]; n == 0 {
			break
		}
		row += uint32(r.Uvarint())
		name, micros := r.Uvarint(), r.Uvarint()
		for len(rows) > 0 && uint32(rows[0].number-first) < row {
			rows = rows[1:]
		}
		if len(rows) == 0 {
			break
		}
		if wanted = uint32(rows[0].number - first); row == wanted {
			m.rows, m.name, m.micros = append(m.rows, row), append(m.name, uint16(name)), append(m.micros, int64(micros))
			r.Bad = r.Bad || name >= uint64(len(m.names))
		}
	}
	if r.Bad {
		err = errBlock
	}
	return err
}
