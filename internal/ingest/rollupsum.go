package ingest

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
)

// errRollup is the error of stored sums that are not as they were written.
var errRollup = errors.New("a row of sums does not match its checksum")

// checksum returns the checksum of a row of the roll-ups without its sketch. It is
// never 0, which rows of earlier versions have.
func (k *rollupKey) checksum(s *sums) int64 {
	var space [256]byte
	b := space[:0]
	success := int64(0)
	if k.success {
		success = 1
	}
	for _, n := range [...]int64{k.grain, k.at, int64(k.kind), success, s.events, s.input, s.output, int64(len(k.tool)), int64(len(k.model))} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(append(append(b, k.project...), k.tool...), k.model...)
	return int64(max(xxhash.Sum64(b), 1))
}

// sketchSum returns the checksum of a sketch in the row with a checksum: another
// row's sketch does not match.
func sketchSum(row int64, sketch []byte) uint64 { return xxhash.Sum64(sketch) ^ uint64(row) }

// summedSketch returns the stored form of the sketch of a row with a checksum.
func summedSketch(row int64, sketch []byte) []byte {
	return binary.LittleEndian.AppendUint64(sketch, sketchSum(row, sketch))
}

// checkRow returns errDamagedSums unless a row is as it was written. Rows of
// earlier versions are not checked.
func (k *rollupKey) checkRow(s *sums, checksum int64) error {
	if checksum != 0 && checksum != k.checksum(s) {
		return damagedSums(errRollup)
	}
	return nil
}

// cutSketch returns the sketch of a row with a checksum from its stored form. It
// returns errDamagedSums.
func cutSketch(row int64, stored []byte) ([]byte, error) {
	if row == 0 {
		return stored, nil
	}
	end := len(stored) - 8
	if end < 0 || binary.LittleEndian.Uint64(stored[end:]) != sketchSum(row, stored[:end]) {
		return nil, damagedSums(errRollup)
	}
	return stored[:end:end], nil
}
