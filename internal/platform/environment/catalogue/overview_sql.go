package catalogue

import (
	"slices"

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

// ifClosed is the condition under which the overview of an environment in the
// catalogue is the present one: it is not open, and has no work to do.
const ifClosed = ` AND environment.wake <> 1`

// listStored sets room to the environments after a place, at most limit.
func listStored(tx *store.Tx, room *[]environment.Overview, o Order, after Place, limit int) error {
	rest, args, err := following(tx.Dialect(), o, after, limit)
	if err == nil {
		*room, err = selectStored(tx, ifClosed, rest, args, slices.Grow((*room)[:0], limit))
	}
	return err
}

// namedStored returns the environments with ids. only is ifClosed or "".
func namedStored(tx *store.Tx, only string, ids []string) ([]environment.Overview, error) {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return selectStored(tx, only, `id IN `+store.In(len(ids)), args, make([]environment.Overview, 0, len(ids)))
}

// selectStored appends environments, with their overviews if a condition holds,
// and else with Info only.
func selectStored(tx *store.Tx, only, rest string, args []any, out []environment.Overview) ([]environment.Overview, error) {
	var row entryRow
	var o environment.Overview
	var counts store.Borrowed
	var last string // the counts of the row before, often the same
	into := append(row.into(), &o.Clock.Frozen, &o.Clock.At, &o.Clock.Offset, &o.Size, &counts)
	err := tx.Each(`SELECT `+entryColumns+`, COALESCE(frozen, FALSE), COALESCE(clock_at, 0), COALESCE(clock_off, 0), COALESCE(size, 0), COALESCE(counts, '')
		FROM environment LEFT JOIN environment_overview ON environment_overview.environment = environment.id`+only+` WHERE `+rest, args, func(r store.Row) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		err := row.complete()
		last = textOr(last, counts)
		o.Info, o.Counts = row.Info, environment.ReadServiceCounts(last)
		out = append(out, o)
		return err
	})
	return out, err
}

func deleteOverview(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM environment_overview WHERE environment = ?`, id)
	return err
}
