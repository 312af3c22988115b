package blockstore

import (
	"encoding/binary"
	"unsafe"

	"understudy/internal/ingest"
)

// reader decodes bytes. After an error bad is set, and its methods return zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// numbers reads a column. Rows without a bit in flags have no number; all have
// one when flags is nil. Most numbers have three bytes at most.
func (r *reader) numbers(out []int64, flags []byte, bit byte) {
	b, at := r.b, 0
	for i := range out {
		if flags != nil && flags[i]&bit == 0 {
			out[i] = ingest.Absent
			continue
		}
		if at+2 < len(b) {
			switch low, middle, high := b[at], b[at+1], b[at+2]; {
			case low < 0x80:
				out[i] = int64(low)
				at++
				continue
			case middle < 0x80:
				out[i] = int64(low&0x7f) | int64(middle)<<7
				at += 2
				continue
			case high < 0x80:
				out[i] = int64(low&0x7f) | int64(middle&0x7f)<<7 | int64(high)<<14
				at += 3
				continue
			}
		}
		v, n := binary.Uvarint(b[at:])
		if n <= 0 {
			r.bad, r.b = true, nil
			return
		}
		out[i] = int64(v)
		at += n
	}
	r.b = b[at:]
}

// skipNumbers passes over n numbers.
func (r *reader) skipNumbers(n int) {
	for i, c := range r.b {
		if n == 0 {
			r.b = r.b[i:]
			return
		}
		if c < 0x80 {
			n--
		}
	}
	r.bad, r.b = r.bad || n > 0, nil
}

func (r *reader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1) // the sign is the lowest bit
}

func (r *reader) length() int {
	v := r.uvarint()
	if v > 1<<31 {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

// text returns a text that shares memory with the bytes that are read.
func (r *reader) text() string {
	b := r.bytes(r.length())
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// skipDict skips a column of texts.
func (r *reader) skipDict(n int) {
	count := r.length()
	if r.bad || count == 0 || count > n {
		r.bad = true
		return
	}
	for range count {
		r.bytes(r.length())
	}
	switch {
	case count == 1:
	case count <= 256:
		r.bytes(n)
	default:
		r.bytes(2 * n)
	}
}

func (r *reader) dict(d *ingest.Dict, n int) {
	count := r.length()
	if r.bad || count == 0 || count > n {
		r.bad = true
		return
	}
	d.Values = sized(d.Values, count)
	for i := range d.Values {
		d.Values[i] = r.text()
	}
	if count == 1 {
		d.Index = nil
		return
	}
	d.Index = sized(d.Index, n)
	if count <= 256 {
		for i, p := range r.bytes(n) {
			d.Index[i] = uint16(p)
			r.bad = r.bad || int(p) >= count
		}
		return
	}
	raw := r.bytes(2 * n)
	for i := 0; i < len(raw)/2; i++ {
		d.Index[i] = binary.LittleEndian.Uint16(raw[2*i:])
		r.bad = r.bad || int(d.Index[i]) >= count
	}
}
