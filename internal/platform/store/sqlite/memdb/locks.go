package memdb

import "sync"

// locks are SQLite's locks on one database: many readers, one of which may
// reserve the write lock and write when it is the only holder.
type locks struct {
	mu      sync.Mutex
	holders int   // connections with a lock of any level
	writer  int32 // the level of the connection that writes or has reserved, else 0
}

// The levels of SQLite's locks.
const (
	unlocked  = 0
	shared    = 1
	reserved  = 2
	exclusive = 4
)

// raise changes the level of one holder to a higher one, and reports whether it
// could.
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

// isReserved reports whether a connection writes or has reserved the write lock.
func (l *locks) isReserved() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writer != 0
}
