package ingest

import (
	"context"

	"understudy/internal/platform/store"
)

// Count returns the numbers of sessions, users and events in all projects.
// Sessions and users that are known only from events are counted after the
// roll-ups include them.
func (in *Ingest) Count(ctx context.Context) (map[string]int64, error) {
	var sessions, users, events int64
	if in.d.Events.Absent(ctx) { // counting must not create the database
		return map[string]int64{"sessions": 0, "users": 0, "events": 0}, nil
	}
	err := in.d.Events.Read(ctx, func(tx *store.Tx) (err error) {
		if _, err := tx.Get(`SELECT (SELECT COUNT(*) FROM ingest_session), (SELECT COUNT(*) FROM ingest_user)`, nil, &sessions, &users); err != nil {
			return err
		}
		events, err = in.d.Store.CountIn(tx)
		return err
	})
	return map[string]int64{"sessions": sessions, "users": users, "events": events}, err
}
