// Package packed reads stored forms: numbers as varints, texts behind their lengths.
package packed

import "encoding/binary"

// Reader decodes B from its beginning. After an error Bad is set, and its methods
// return zeros.
type Reader struct {
	B   []byte // what has not been read yet
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

// Length reads how many of something follow: 2^31 at most.
func (r *Reader) Length() int {
	v := r.Uvarint()
	if v > 1<<31 {
		r.Bad = true
		return 0
	}
	return int(v)
}

// Bytes reads n bytes. They share memory with B.
func (r *Reader) Bytes(n int) []byte {
	if n > len(r.B) {
		r.Fail()
		return nil
	}
	out := r.B[:n:n]
	r.B = r.B[n:]
	return out
}

// Fail ends the reading with an error.
func (r *Reader) Fail() { r.Bad, r.B = true, nil }
