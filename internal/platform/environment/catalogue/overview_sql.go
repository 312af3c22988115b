package catalogue

import (
	"slices"

	"understudy/internal/platform/clock"
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
	if err != nil {
		return err
	}
	out := slices.Grow((*room)[:0], limit)
	if o == (Order{}) && tx.Dialect() == store.SQLite {
		*room, err = selectInOrder(tx, rest, args, out)
	} else {
		*room, err = selectStored(tx, ifClosed, rest, args, out)
	}
	return err
}

// selectInOrder is selectStored with ifClosed for environments in the order of ids. It
// reads the overviews from the first id to the last: SQLite would look for each of them
// by itself. The ids of one database are in the order of their bytes.
func selectInOrder(tx *store.Tx, rest string, args []any, out []environment.Overview) ([]environment.Overview, error) {
	var row entryRow
	into, closed := row.into(), make([]bool, 0, cap(out))
	first, last := -1, -1 // of those that are closed
	err := tx.Each(`SELECT `+entryColumns+` FROM environment WHERE `+rest, args, func(r store.Row) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		err := row.complete()
		if closed = append(closed, row.Wake != WakeAtStart); closed[len(out)] {
			if last = len(out); first < 0 {
				first = last
			}
		}
		out = append(out, environment.Overview{Info: row.Info})
		return err
	})
	if err != nil || first < 0 {
		return out, err
	}
	var id store.Borrowed
	var stored storedOverview
	at, columns := first, append([]any{&id}, stored.into()...)
	err = tx.Each(`SELECT environment, frozen, clock_at, clock_off, size, counts FROM environment_overview
		WHERE environment >= ? AND environment <= ? ORDER BY environment`, []any{out[first].ID, out[last].ID}, func(r store.Row) error {
		if err := r.Scan(columns...); err != nil {
			return err
		}
		for at < last && out[at].ID < string(id) {
			at++
		}
		if closed[at] && out[at].ID == string(id) {
			stored.fill(&out[at])
		}
		return nil
	})
	return out, err
}

// namedStored returns the environments with ids. only is ifClosed or "".
func namedStored(tx *store.Tx, only string, ids []string) ([]environment.Overview, error) {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return selectStored(tx, only, `id IN `+store.In(len(ids)), args, make([]environment.Overview, 0, len(ids)))
}

// storedOverview scans overviews.
type storedOverview struct {
	clock  clock.State
	size   int64
	counts store.Borrowed
	last   string // the counts of the row before, often the same
}

// into returns the destinations of the columns.
func (s *storedOverview) into() []any {
	return []any{&s.clock.Frozen, &s.clock.At, &s.clock.Offset, &s.size, &s.counts}
}

// fill sets all but Info.
func (s *storedOverview) fill(o *environment.Overview) {
	s.last = textOr(s.last, s.counts)
	o.Clock, o.Size, o.Counts = s.clock, s.size, environment.ReadServiceCounts(s.last)
}

// selectStored appends environments, with their overviews if a condition holds,
// and else with Info only.
func selectStored(tx *store.Tx, only, rest string, args []any, out []environment.Overview) ([]environment.Overview, error) {
	var row entryRow
	var stored storedOverview
	into := append(row.into(), stored.into()...)
	err := tx.Each(`SELECT `+entryColumns+`, COALESCE(frozen, FALSE), COALESCE(clock_at, 0), COALESCE(clock_off, 0), COALESCE(size, 0), COALESCE(counts, '')
		FROM environment LEFT JOIN environment_overview ON environment_overview.environment = environment.id`+only+` WHERE `+rest, args, func(r store.Row) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		err := row.complete()
		o := environment.Overview{Info: row.Info}
		stored.fill(&o)
		out = append(out, o)
		return err
	})
	return out, err
}

func deleteOverview(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM environment_overview WHERE environment = ?`, id)
	return err
}
