package blockstore

import (
	"encoding/binary"
	"unsafe"

	"understudy/internal/ingest"
	"understudy/internal/ingest/packed"
)

// reader decodes the columns of blocks.
type reader struct{ packed.Reader }

func readerOf(b []byte) reader { return reader{packed.Reader{B: b}} }

// readNumbers reads a column of numbers of a block of a format. flags and bit are those
// of the method numbers.
func readNumbers(r *reader, format byte, out []int64, flags []byte, bit byte) {
	width := byte(0)
	if format >= even {
		width = r.Byte()
	}
	if flags != nil && inEach(flags, bit) {
		flags = nil
	}
	switch {
	case width > maxWidth:
		r.Bad = true
	case width == 0:
		r.numbers(out, flags, bit)
	case flags == nil:
		evenNumbers(out, r.Bytes(len(out)*int(width)), int(width))
	default:
		n := 0
		for _, f := range flags {
			n += int(f & bit / bit)
		}
		some := r.Bytes(n * int(width))
		if r.Bad {
			return
		}
		evenNumbers(out[:n], some, int(width))
		for i := len(out) - 1; i >= 0; i-- { // to their rows, the last first
			if flags[i]&bit == 0 {
				out[i] = ingest.Absent
			} else {
				n--
				out[i] = out[n]
			}
		}
	}
}

// inEach reports whether all rows have a bit.
func inEach(flags []byte, bit byte) bool {
	and := bit
	for _, f := range flags {
		and &= f
	}
	return and != 0
}

// evenNumbers decodes numbers of width bytes each, unless b is too short.
func evenNumbers(out []int64, b []byte, width int) {
	if len(b) < len(out)*width {
		return
	}
	switch width {
	case 1:
		for i, n := range b[:len(out)] {
			out[i] = int64(n)
		}
	case 2:
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint16(b))
			b = b[2:]
		}
	case 3:
		for i := range out {
			out[i] = int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16
			b = b[3:]
		}
	case 4:
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint32(b))
			b = b[4:]
		}
	}
}

// numbers reads a column. Rows without a bit in flags have no number; all have
// one when flags is nil. Most numbers have three bytes at most.
func (r *reader) numbers(out []int64, flags []byte, bit byte) {
	b, at := r.B, 0
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
			r.Fail()
			return
		}
		out[i] = int64(v)
		at += n
	}
	r.B = b[at:]
}

// skipNumbers skips n numbers.
func (r *reader) skipNumbers(n int) {
	for i, c := range r.B {
		if n == 0 {
			r.B = r.B[i:]
			return
		}
		if c < 0x80 {
			n--
		}
	}
	r.Bad, r.B = r.Bad || n > 0, nil
}

// text returns a text that shares memory with the bytes that are read.
func (r *reader) text() string {
	b := r.Bytes(r.Length())
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// skipTexts skips n texts. Most have fewer than 128 bytes.
func (r *reader) skipTexts(n int) {
	b, at := r.B, 0
	for n > 0 && at < len(b) && b[at] < 0x80 && at+int(b[at]) < len(b) {
		// The texts of a column are often of one length: then the processor predicts
		// the next one before it has read the length of this one.
		length := int(b[at])
		for ; n > 0 && at+length < len(b) && int(b[at]) == length; n-- {
			at += 1 + length
		}
	}
	for r.B = b[at:]; n > 0 && !r.Bad; n-- {
		r.Bytes(r.Length())
	}
}

// fill reads texts into out.
func (r *reader) fill(out []string) {
	b, done := r.B, 0
	for ; done < len(out) && len(b) > 0 && b[0] < 0x80 && int(b[0]) < len(b); done++ {
		text := b[1 : 1+int(b[0])]
		out[done], b = unsafe.String(unsafe.SliceData(text), len(text)), b[1+len(text):]
	}
	for r.B = b; done < len(out); done++ {
		out[done] = r.text()
	}
}

// skipDict skips a column of texts.
func (r *reader) skipDict(n int) {
	count := r.Length()
	if r.Bad || count == 0 || count > n {
		r.Bad = true
		return
	}
	r.skipTexts(count)
	switch {
	case count == 1:
	case count <= 256:
		r.Bytes(n)
	default:
		r.Bytes(2 * n)
	}
}

// dictIf reads a column of texts if it is wanted; otherwise it skips it, and all texts are empty.
func (r *reader) dictIf(wanted bool, d *ingest.Dict, n int) {
	if wanted {
		r.dict(d, n)
		return
	}
	r.skipDict(n)
	blank(d)
}

// blank makes all texts of a column empty.
func blank(d *ingest.Dict) { d.Values, d.Index = append(d.Values[:0], ""), nil }

func (r *reader) dict(d *ingest.Dict, n int) {
	count := r.Length()
	if r.Bad || count == 0 || count > n {
		r.Bad = true
		return
	}
	d.Values = sized(d.Values, count)
	r.fill(d.Values)
	if count == 1 {
		d.Index = nil
		return
	}
	d.Index = sized(d.Index, n)
	if count <= 256 {
		greatest := byte(0)
		for i, p := range r.Bytes(n) {
			d.Index[i] = uint16(p)
			greatest = max(greatest, p)
		}
		r.Bad = r.Bad || int(greatest) >= count
		return
	}
	greatest := uint16(0)
	raw := r.Bytes(2 * n)
	for i := range d.Index[:len(raw)/2] {
		p := binary.LittleEndian.Uint16(raw[2*i:])
		d.Index[i] = p
		greatest = max(greatest, p)
	}
	r.Bad = r.Bad || int(greatest) >= count
}
