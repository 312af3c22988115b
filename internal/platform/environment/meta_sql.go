package environment

import "understudy/internal/platform/store"

func getMeta(tx *store.Tx) (map[string]string, error) {
	meta := map[string]string{}
	err := tx.Each(`SELECT name, value FROM env_meta`, nil, func(r store.Row) error {
		var name, value string
		if err := r.Scan(&name, &value); err != nil {
			return err
		}
		meta[name] = value
		return nil
	})
	return meta, err
}

func setMeta(tx *store.Tx, meta map[string]string) error {
	for name, value := range meta {
		_, err := tx.Exec(`INSERT INTO env_meta (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
		if err != nil {
			return err
		}
	}
	return nil
}

func emptyTable(tx *store.Tx, table string) error {
	_, err := tx.Exec(`DELETE FROM ` + table)
	return err
}
