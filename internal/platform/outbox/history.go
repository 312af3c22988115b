package outbox

import (
	"context"

	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// CauseOf returns the number of ctx's request, 0 for none, which Append stores as
// the Cause of an event.
func CauseOf(ctx context.Context) int64 { return record.SeqOf(ctx) }

// Newest returns the seq of the newest event, 0 without one.
func (o *Outbox) Newest(tx *store.Tx) (int64, error) { return newestEvent(tx) }

// historyStep is how many events are read at a time.
const historyStep = 200

// History calls f with the events of a service in a tenant after another one,
// newest first, until f returns false. Delivered events are kept only for a
// while, so older ones may be missing.
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

// Slack returns how many events back a new one may still appear: on PostgreSQL a
// transaction with a smaller seq may commit after one with a larger.
func (o *Outbox) Slack(tx *store.Tx) int64 { return commitSlack(tx) >> placeBits }
