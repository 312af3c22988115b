package cause

import "understudy/internal/platform/store"

// list holds at most bound changes, by place.
type list struct {
	bound  int64
	blocks [][]store.Change // of blockRows each, except the last
	start  int64            // the place of the first change of the blocks
	first  int64            // the place of the first change that was not dropped
	next   int64            // the place of the next change
}

const blockRows = 2000

// listAt returns an empty list that begins at a place.
func listAt(place, bound int64) list {
	return list{bound: bound, start: place, first: place, next: place}
}

// append appends changes and drops the oldest above the bound; memory is freed by
// whole blocks. It reports whether it dropped any.
func (l *list) append(changes []store.Change) (dropped bool) {
	l.next += int64(len(changes))
	for len(changes) > 0 {
		last := len(l.blocks) - 1
		if last < 0 || len(l.blocks[last]) == blockRows {
			var block []store.Change
			if last >= 0 { // the first block grows, because most environments have few changes
				block = make([]store.Change, 0, blockRows)
			}
			l.blocks = append(l.blocks, block)
			last++
		}
		n := min(len(changes), blockRows-len(l.blocks[last]))
		l.blocks[last] = append(l.blocks[last], changes[:n]...)
		changes = changes[n:]
	}
	if l.next-l.first <= l.bound {
		return false
	}
	for l.first = l.next - l.bound; l.start+int64(len(l.blocks[0])) <= l.first; {
		l.start += int64(len(l.blocks[0]))
		l.blocks[0] = nil
		l.blocks = l.blocks[1:]
	}
	return true
}

// each calls f for the changes from one place to another, oldest first.
func (l *list) each(from, to int64, f func(place int64, c *store.Change)) {
	at := l.start
	from = max(from, l.first)
	for _, b := range l.blocks {
		for i := max(0, from-at); i < min(int64(len(b)), to-at); i++ {
			f(at+i, &b[i])
		}
		at += int64(len(b))
	}
}
