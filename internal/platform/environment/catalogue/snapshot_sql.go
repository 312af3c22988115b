package catalogue

import (
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

// maxSnapshots is more than one environment can have.
const maxSnapshots = 1 << 30

func insertSnapshot(tx *store.Tx, s Snapshot) error {
	_, err := tx.Exec(`INSERT INTO snapshot (id, environment, name, created, size, position) VALUES (?, ?, ?, ?, ?, ?)`,
		s.ID, s.Environment, s.Name, s.Created.UnixMicro(), s.Size, s.Position)
	return err
}

func listSnapshots(tx *store.Tx, env, after string, limit int) (out []Snapshot, err error) {
	err = tx.Each(`SELECT id, environment, name, created, size, position FROM snapshot WHERE environment = ? AND id > ? ORDER BY id LIMIT ?`,
		[]any{env, after, limit}, func(r store.Row) error {
			var s Snapshot
			var created int64
			err := r.Scan(&s.ID, &s.Environment, &s.Name, &created, &s.Size, &s.Position)
			s.Created = time.UnixMicro(created).UTC()
			out = append(out, s)
			return err
		})
	return out, err
}

func snapshotOwner(tx *store.Tx, id string) (env string, position int64, err error) {
	if !environment.IsID(id) {
		return "", 0, nil
	}
	_, err = tx.Get(`SELECT environment, position FROM snapshot WHERE id = ?`, []any{id}, &env, &position)
	return env, position, err
}

func deleteSnapshot(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM snapshot WHERE id = ?`, id)
	return err
}
