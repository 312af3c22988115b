package catalogue

import (
	"encoding/json"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

func putOverview(tx *store.Tx, id string, o environment.Overview) error {
	counts, err := json.Marshal(o.Counts)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO environment_overview (environment, frozen, clock_at, clock_off, size, counts) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (environment) DO UPDATE SET frozen = excluded.frozen, clock_at = excluded.clock_at, clock_off = excluded.clock_off,
			size = excluded.size, counts = excluded.counts`,
		id, o.Clock.Frozen, o.Clock.At, o.Clock.Offset, o.Size, string(counts))
	return err
}

func getOverview(tx *store.Tx, id string) (o environment.Overview, found bool, err error) {
	var counts []byte
	found, err = tx.Get(`SELECT frozen, clock_at, clock_off, size, counts FROM environment_overview WHERE environment = ?`, []any{id},
		&o.Clock.Frozen, &o.Clock.At, &o.Clock.Offset, &o.Size, &counts)
	if err != nil || !found {
		return o, false, err
	}
	return o, true, json.Unmarshal(counts, &o.Counts)
}

func deleteOverview(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM environment_overview WHERE environment = ?`, id)
	return err
}
