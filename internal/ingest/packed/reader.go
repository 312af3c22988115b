// Package packed reads stored data: numbers are varints, and texts follow their
// lengths.
package packed

import "encoding/binary"

// Reader decodes B from its beginning. A method that fails sets Bad and returns zero.
// The results of later calls are meaningless.
type Reader struct {
	B   []byte // the unread bytes
	Bad bool
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.B) == 0 {
		r.Bad = true
		return 0
	}
	c := r.B[0]
	r.B = r.B[1:]
	return c
}

// Uvarint reads a number without a sign.
func (r *Reader) Uvarint() uint64 {
	if len(r.B) > 0 && r.B[0] < 0x80 {
		v := r.B[0]
		r.B = r.B[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.B)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[n:]
	return v
}

// Varint reads a number with a sign.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1) // the sign is the lowest bit
}

// Length reads the number of bytes or elements that follow. More than 2^31 is an
// error.
func (r *Reader) Length() int {
	v := r.Uvarint()
	if v > 1<<31 {
		r.Bad = true
		return 0
	}
	return int(v)
}

// Bytes reads n bytes. The result shares memory with B, and is nil after an error.
func (r *Reader) Bytes(n int) []byte {
	if n > len(r.B) {
		r.Fail()
		return nil
	}
	out := r.B[:n:n]
	r.B = r.B[n:]
	return out
}

// Fail sets Bad and discards the unread bytes.
func (r *Reader) Fail() { r.Bad, r.B = true, nil }
