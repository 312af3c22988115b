package ingest

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"understudy/internal/ingest/packed"
)

// The stored form of latencies is one of two, the shorter one. Both end where the bytes do,
// and none at all is no byte.
//
// A list begins with the byte listed. The bins of the latencies follow, ascending, each as
// its distance to the one before: a bin with two latencies stands there twice. A range
// begins with how many bytes each of its counts has, 1, 2, 4 or 8. Its first bin follows,
// and the counts of that and of those after it. Numbers without a size are varints.
const listed = 0

// maxBin is above the bin of the greatest possible latency.
const maxBin = 1 << 12

// appendStored appends the stored form.
func (l *Latencies) appendStored(b []byte) []byte {
	first, last, greatest, list := 0, -1, uint64(0), 0
	l.each(func(bin int, n uint64) {
		distance := bin - max(last, 0)
		if last < 0 {
			first = bin
		}
		last, greatest = bin, max(greatest, n)
		if list += int(min(n, 1<<20)); distance >= 0x80 {
			list++
		}
	})
	if last < 0 {
		return b
	}
	width := 1 << bits.Len(uint(bits.Len64(greatest)-1)/8) // bytes, a power of two
	if 1+list <= 3+width*(last-first+1) {
		b, last = append(b, listed), 0
		l.each(func(bin int, n uint64) {
			for range n {
				b = binary.AppendUvarint(b, uint64(bin-last))
				last = bin
			}
		})
		return b
	}
	b = binary.AppendUvarint(append(b, byte(width)), uint64(first))
	next := first
	number := func(n uint64) {
		for range width {
			b = append(b, byte(n))
			n >>= 8
		}
	}
	l.each(func(bin int, n uint64) {
		for ; next < bin; next++ {
			number(0)
		}
		number(n)
		next++
	})
	return b
}

// mergeStored adds latencies in their stored form. It returns errDamagedSums.
func (l *Latencies) mergeStored(stored []byte) error {
	if len(stored) == 0 {
		return nil
	}
	width, r := int(stored[0]), packed.Reader{B: stored[1:]}
	if width == listed {
		return l.mergeList(r.B)
	}
	first, n := r.Uvarint(), 0
	if width == 1 || width == 2 || width == 4 || width == 8 {
		n = len(r.B) / width
	}
	if r.Bad || n == 0 || n*width < len(r.B) || first+uint64(n) > maxBin {
		return damagedSums(errRollup)
	}
	if l.bins == nil && len(l.few)+n >= fewLatencies/2 { // most ranges have more than two latencies in a bin
		l.spread()
	}
	if l.bins == nil {
		for i := range n {
			l.count(uint16(int(first)+i), counted(r.B[i*width:], width))
		}
		return nil
	}
	l.room(int(first) + n)
	to := l.bins[first:][:n]
	if width == 1 {
		for i, c := range r.B[:len(to)] {
			to[i] += uint64(c)
		}
		return nil
	}
	for i := range to {
		to[i] += counted(r.B[i*width:], width)
	}
	return nil
}

// counted returns a count of a range.
func counted(b []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// mergeList adds a list of latencies.
func (l *Latencies) mergeList(list []byte) error {
	if l.bins == nil && len(l.few)+len(list) >= fewLatencies {
		l.spread()
	}
	if l.bins == nil {
		if l.few == nil {
			l.few = make([]uint16, 0, max(firstLatencies, len(list)))
		}
		l.few = slices.Grow(l.few, len(list))
	}
	bin := 0
	for len(list) > 0 {
		if list[0] < 0x80 {
			bin += int(list[0])
			list = list[1:]
		} else {
			distance, size := binary.Uvarint(list)
			if size <= 0 || distance > maxBin {
				return damagedSums(errRollup)
			}
			bin += int(distance)
			list = list[size:]
		}
		if bin >= maxBin {
			return damagedSums(errRollup)
		}
		if l.bins == nil {
			l.few = append(l.few, uint16(bin))
		} else {
			l.count(uint16(bin), 1)
		}
	}
	return nil
}
