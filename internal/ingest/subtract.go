package ingest

import (
	"errors"

	db "understudy/internal/platform/store"
)

// subtract subtracts the events of a pass from the roll-ups and from the sums of
// their sessions. The caller holds the lock of the progress.
func (p *pass) subtract(in *Ingest, tx *db.Tx) error {
	if err := p.subtractRollups(in, tx); err != nil {
		return err
	}
	for k, s := range p.sessions {
		if err := subtractFromSession(tx, k.project, k.id, s); err != nil {
			return err
		}
	}
	return nil
}

// subtractRollups subtracts the events of a pass from the sums by hour and day.
// Where these are damaged, they are built anew from the events that are left.
func (p *pass) subtractRollups(in *Ingest, tx *db.Tx) error {
	days, err := p.days()
	if err != nil {
		return err
	}
	for _, sums := range []map[rollupKey]*sums{p.hours, days} {
		for k, s := range sums {
			if err := subtractRollup(tx, k, s); errors.Is(err, errDamagedSums) {
				tx.AfterCommit(func() { noteDamage(in, err) })
				return beginRebuilding(tx)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// subtract removes the events of o, which are among those of s, from s. The
// sketch stays exact, because each value is in the bin that it was added to.
func (s *sums) subtract(o *sums) {
	s.events -= o.events
	s.errors -= o.errors
	s.input -= o.input
	s.output -= o.output
	if s.sketch == nil || o.sketch == nil {
		return
	}
	gone := map[float64]float64{}
	o.sketch.ForEach(func(value, count float64) bool {
		gone[value] = count
		return false
	})
	left := newSketch()
	s.sketch.ForEach(func(value, count float64) bool {
		if n := count - gone[value]; n > 0 {
			_ = left.AddWithCount(value, n) // it was in range before
		}
		return false
	})
	s.sketch = left
}
