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
		deleted, err := subtractFromSession(tx, k.project, k.id, s)
		if err != nil {
			return err
		}
		if deleted {
			in.owners.noteAfter(tx, k.project, k.id, "")
		}
	}
	return nil
}

// subtractRollups subtracts the events of a pass from the sums by hour and day.
// Damaged sums are rebuilt from the remaining events.
func (p *pass) subtractRollups(in *Ingest, tx *db.Tx) error {
	for k, parts := range p.rows() {
		if err := changeRollup(tx, k, parts, subtract); errors.Is(err, errDamagedSums) {
			tx.AfterCommit(func() { noteDamage(in, err) })
			return beginRebuilding(tx)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// subtract subtracts the events of o, which are part of s.
func (s *sums) subtract(o *sums) {
	s.events -= o.events
	s.errors -= o.errors
	s.input -= o.input
	s.output -= o.output
	s.latencies.subtract(&o.latencies)
}
