package outbox

import (
	"context"

	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// CauseOf returns the number of the request that a context belongs to, 0 for
// none: what Append stores as the Cause of an event.
func CauseOf(ctx context.Context) int64 { return record.SeqOf(ctx) }

// Newest returns the seq of the newest event, 0 without one.
func (o *Outbox) Newest(tx *store.Tx) (int64, error) { return newestEvent(tx) }

// historyStep is how many events are read at a time.
const historyStep = 200

// History calls f with the events of a service in a tenant that came after
// another one, newest first, until f returns false. Events that nobody waits
// for are kept for a while only; older ones are not seen.
func (o *Outbox) History(tx *store.Tx, service, tenant string, after int64, f func(Event) bool) error {
	for before := none; ; {
		found, err := eventsBetween(tx, service, tenant, after, before, historyStep)
		if err != nil {
			return err
		}
		for _, e := range found {
			if !f(e) {
				return nil
			}
		}
		if len(found) < historyStep {
			return nil
		}
		before = found[len(found)-1].Seq
	}
}

// Slack returns how many events back one may still come to light: on PostgreSQL
// a transaction with a smaller seq may commit after one with a larger.
func (o *Outbox) Slack(tx *store.Tx) int64 { return commitSlack(tx) >> placeBits }
