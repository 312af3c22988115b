package store

import "sync/atomic"

// writes counts the writes of a world: running ones in the lower bits, all that
// have begun in the upper ones.
type writes struct{ state atomic.Int64 }

const runningBits = 20

// begin counts a write, which runs until end.
func (w *writes) begin() { w.state.Add(1<<runningBits + 1) }

func (w *writes) end() { w.state.Add(-1) }

// Version returns a number that changes when a write begins, and reports whether
// no write is running. What was read after that is valid as long as Version
// returns the same number. It does not include writes to copies of the world, or
// by other processes.
func (w *World) Version() (version int64, still bool) {
	state := w.writes.state.Load()
	return state >> runningBits, state&(1<<runningBits-1) == 0
}
