package memdb

import "sync"

// locks are SQLite's locks on one database: many read, and one of them may
// announce that it will write, which it does once it is the only one.
type locks struct {
	mu      sync.Mutex
	holders int   // of any level
	writer  int32 // the level of the one that writes or will, else 0
}

// The levels of SQLite's locks.
const (
	unlocked  = 0
	shared    = 1
	reserved  = 2
	exclusive = 4
)

// raise changes the level of one holder to a higher one, and reports whether it could.
func (l *locks) raise(from, to int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case to == shared && l.writer == exclusive,
		to >= reserved && from < reserved && l.writer != 0,
		to == exclusive && l.holders > 1,
		to == exclusive && l.holders == 1 && from == unlocked:
		return false
	}
	if from == unlocked {
		l.holders++
	}
	if to >= reserved {
		l.writer = to
	}
	return true
}

// lower changes the level of one holder to a lower one.
func (l *locks) lower(from, to int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from >= reserved && to < reserved {
		l.writer = 0
	}
	if from > unlocked && to == unlocked {
		l.holders--
	}
}

// isReserved reports whether somebody writes or will.
func (l *locks) isReserved() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writer != 0
}
