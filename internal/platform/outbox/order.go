package outbox

import (
	"cmp"
	"math"
	"slices"
)

// pace returns which lanes to look at, in which order, how many requests may be
// on their way at once and how many deliveries a lane sends in one go.
//
// While the clock is frozen, what falls due when someone advances it is sent
// one after another, by due time: a program that is driven by the clock sees
// the same order each time. With a running clock keys do not wait for one another.
func (c *courier) pace() (lanes []*lane, atOnce, batch int) {
	if !c.o.Clock.State().Frozen {
		return c.window.lanes, lanesAtOnce, batchSize
	}
	lanes = slices.Clone(c.window.lanes)
	slices.SortFunc(lanes, func(a, b *lane) int {
		dueA, idA := a.first()
		dueB, idB := b.first()
		return cmp.Or(cmp.Compare(dueA, dueB), cmp.Compare(idA, idB))
	})
	return lanes, 1, 1
}

// first returns due time and id of what a lane sends next; the end of time for nothing.
func (l *lane) first() (due, id int64) {
	due = math.MaxInt64
	for _, e := range l.entries {
		if !e.done && e.Due < due {
			due, id = e.Due, e.ID
		}
	}
	return due, id
}
