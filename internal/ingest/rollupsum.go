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
	for _, text := range [...]string{k.project, k.tool, k.model} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	success := int64(0)
	if k.success {
		success = 1
	}
	for _, n := range [...]int64{k.grain, k.at, int64(k.kind), success, s.events, s.input, s.output} {
		b = binary.AppendVarint(b, n)
	}
	return int64(max(xxhash.Sum64(b), 1))
}

// sketchSum returns the checksum of a sketch in the row with a checksum.
func sketchSum(row int64, sketch []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(row))
	_, _ = d.Write(sketch)
	return d.Sum64()
}

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
