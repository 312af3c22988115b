package program

import (
	"time"

	"understudy/internal/platform/store"
)

func getKey(tx *store.Tx) (k KeyState, err error) {
	var at int64
	found, err := tx.Get(`SELECT rotation, rotated FROM program_key WHERE name = 'admin'`, nil, &k.Rotation, &at)
	if found {
		k.Rotated = time.UnixMicro(at).UTC()
	}
	return k, err
}

func setKey(tx *store.Tx, k KeyState) error {
	_, err := tx.Exec(`INSERT INTO program_key (name, rotation, rotated) VALUES ('admin', ?, ?)
		ON CONFLICT (name) DO UPDATE SET rotation = excluded.rotation, rotated = excluded.rotated`, k.Rotation, k.Rotated.UnixMicro())
	return err
}
