package record

import "sync"

// Long replies are copied into memory that earlier copies have left: at some
// thousand requests a second, allocating and collecting it costs more than the
// copy. Only the copies that no reader has seen are used again.
const (
	leastReused = 4 << 10
	copyStep    = 1 << 10
)

// copies holds unused memory by its size, in steps.
var copies [MaxBody/copyStep + 1]sync.Pool

// newCopy returns empty memory for a copy of n bytes, nil for a short one.
func newCopy(n int) *[]byte {
	if n < leastReused || n > MaxBody {
		return nil
	}
	steps := (n + copyStep - 1) / copyStep
	if b, ok := copies[steps].Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, 0, steps*copyStep)
	return &b
}

// reuse ends the use of the memory of newCopy, which may have grown.
func reuse(b *[]byte) {
	if steps := cap(*b) / copyStep; steps < len(copies) && steps >= leastReused/copyStep {
		*b = (*b)[:0]
		copies[steps].Put(b)
	}
}
