package catalogue

import (
	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

func putOverview(tx *store.Tx, id string, o environment.Overview) error {
	_, err := tx.Exec(`INSERT INTO environment_overview (environment, frozen, clock_at, clock_off, size, counts) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (environment) DO UPDATE SET frozen = excluded.frozen, clock_at = excluded.clock_at, clock_off = excluded.clock_off,
			size = excluded.size, counts = excluded.counts`,
		id, o.Clock.Frozen, o.Clock.At, o.Clock.Offset, o.Size, o.Counts.String())
	return err
}

// listOverviews returns the overviews of environments, by id.
func listOverviews(tx *store.Tx, ids []string) (map[string]environment.Overview, error) {
	out, args := map[string]environment.Overview{}, make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	err := tx.Each(`SELECT environment, frozen, clock_at, clock_off, size, counts FROM environment_overview WHERE environment IN `+store.In(len(ids)),
		args, func(r store.Row) error {
			var id string
			var o environment.Overview
			var counts string
			if err := r.Scan(&id, &o.Clock.Frozen, &o.Clock.At, &o.Clock.Offset, &o.Size, &counts); err != nil {
				return err
			}
			o.Counts = environment.ReadServiceCounts(counts)
			out[id] = o
			return nil
		})
	return out, err
}

func deleteOverview(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM environment_overview WHERE environment = ?`, id)
	return err
}
