package outbox

import (
	"cmp"
	"math"
	"slices"
)

// pace returns the lanes to process, in order, the number of concurrent requests
// and the number of deliveries that a lane sends in one batch.
//
// While the clock is frozen, deliveries that become due when it is advanced are
// sent one after another, by due time: a program that is driven by the clock then
// sees the same order each time. With a running clock the keys are independent.
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

// first returns the due time and id of a lane's next delivery; the maximum for
// none.
func (l *lane) first() (due, id int64) {
	due = math.MaxInt64
	for _, e := range l.entries {
		if !e.done && e.Due < due {
			due, id = e.Due, e.ID
		}
	}
	return due, id
}
