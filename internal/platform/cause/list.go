package cause

import "understudy/internal/platform/store"

// list holds changes by place, at most MaxRows of them.
type list struct {
	blocks [][]store.Change // of blockRows each, but for the last
	first  int64            // the place of the first change
	next   int64            // the place of the next change
}

const blockRows = 2000

// append appends changes and drops the oldest block above MaxRows. It reports
// whether it has dropped one.
func (l *list) append(changes []store.Change) (dropped bool) {
	l.next += int64(len(changes))
	for len(changes) > 0 {
		last := len(l.blocks) - 1
		if last < 0 || len(l.blocks[last]) == blockRows {
			l.blocks = append(l.blocks, nil)
			last++
		}
		n := min(len(changes), blockRows-len(l.blocks[last]))
		l.blocks[last] = append(l.blocks[last], changes[:n]...)
		changes = changes[n:]
	}
	for l.next-l.first > MaxRows {
		l.first += int64(len(l.blocks[0]))
		l.blocks[0] = nil
		l.blocks = l.blocks[1:]
		dropped = true
	}
	return dropped
}

// each calls f for the changes from one place to another, the oldest first.
func (l *list) each(from, to int64, f func(place int64, c *store.Change)) {
	at := l.first
	for _, b := range l.blocks {
		for i := max(0, from-at); i < min(int64(len(b)), to-at); i++ {
			f(at+i, &b[i])
		}
		at += int64(len(b))
	}
}
