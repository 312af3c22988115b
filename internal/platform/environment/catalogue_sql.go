package environment

import (
	"time"

	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
)

func insertInfo(tx *store.Tx, i Info) error {
	_, err := tx.Exec(`INSERT INTO environment (id, name, parent, created, rate_limits) VALUES (?, ?, ?, ?, ?)`,
		i.ID, i.Name, i.Parent, i.Created.UnixMicro(), i.RateLimits.String())
	return err
}

func scanInfo(r store.Row) (i Info, err error) {
	var created int64
	var limits string
	if err := r.Scan(&i.ID, &i.Name, &i.Parent, &created, &limits); err != nil {
		return i, err
	}
	i.Created = time.UnixMicro(created).UTC()
	i.RateLimits, err = ratelimit.ParseSetting(limits)
	return i, err
}

func getInfo(tx *store.Tx, id string) (i Info, found bool, err error) {
	err = tx.Each(`SELECT id, name, parent, created, rate_limits FROM environment WHERE id = ?`, []any{id},
		func(r store.Row) (err error) {
			found = true
			i, err = scanInfo(r)
			return err
		})
	return i, found, err
}

func listInfo(tx *store.Tx, after string, limit int) (out []Info, err error) {
	err = tx.Each(`SELECT id, name, parent, created, rate_limits FROM environment WHERE id > ? ORDER BY id LIMIT ?`,
		[]any{after, limit}, func(r store.Row) error {
			i, err := scanInfo(r)
			out = append(out, i)
			return err
		})
	return out, err
}

func deleteInfo(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM environment WHERE id = ?`, id)
	return err
}

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
