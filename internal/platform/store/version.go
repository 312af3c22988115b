package store

import "sync/atomic"

// writes counts the writes of a world: in its lower bits those that are running,
// in the upper ones all that have begun.
type writes struct{ state atomic.Int64 }

const runningBits = 20

// begin counts a write until end.
func (w *writes) begin() { w.state.Add(1<<runningBits + 1) }

func (w *writes) end() { w.state.Add(-1) }

// Version returns a number that changes when a write begins, and reports whether
// none is running. What was read after that report holds as long as Version
// returns the same number. It says nothing of writes to a copy of the world, or
// by other processes.
func (w *World) Version() (version int64, still bool) {
	state := w.writes.state.Load()
	return state >> runningBits, state&(1<<runningBits-1) == 0
}
