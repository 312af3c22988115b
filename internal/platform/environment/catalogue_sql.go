package environment

import (
	"time"

	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
)

const infoColumns = `id, name, parent, created, rate_limits, expires, restoring, wake, ephemeral, position`

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func insertInfo(tx *store.Tx, i Info) error {
	_, err := tx.Exec(`INSERT INTO environment (`+infoColumns+`) VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?)`,
		i.ID, i.Name, i.Parent, i.Created.UnixMicro(), i.RateLimits.String(), micros(i.Expires), i.wake, i.Ephemeral, i.position)
	return err
}

func updateInfo(tx *store.Tx, i Info) error {
	_, err := tx.Exec(`UPDATE environment SET name = ?, rate_limits = ?, expires = ? WHERE id = ?`,
		i.Name, i.RateLimits.String(), micros(i.Expires), i.ID)
	return err
}

func setRestoring(tx *store.Tx, id, from string) error {
	_, err := tx.Exec(`UPDATE environment SET restoring = ? WHERE id = ?`, from, id)
	return err
}

// lockRestoring tells what an environment is being put back to, and keeps that until the end of the transaction.
func lockRestoring(tx *store.Tx, id string) (from string, err error) {
	_, err = tx.Get(`SELECT restoring FROM environment WHERE id = ?`+tx.Dialect().ForUpdate, []any{id}, &from)
	return from, err
}

// setOpened notes that an environment is open and is what the copy that was put back made of it.
func setOpened(tx *store.Tx, id string) error {
	_, err := tx.Exec(`UPDATE environment SET restoring = '', wake = ? WHERE id = ?`, wakeAtStart, id)
	return err
}

func setWake(tx *store.Tx, id string, at int64) error {
	_, err := tx.Exec(`UPDATE environment SET wake = ? WHERE id = ?`, at, id)
	return err
}

// listWaking gives the environments that must be opened.
func listWaking(tx *store.Tx, from, to int64) (ids []string, err error) {
	err = tx.Each(`SELECT id FROM environment WHERE wake >= ? AND wake <= ? AND wake > 0 ORDER BY wake LIMIT 1000`, []any{from, to}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// deleteEphemeral forgets the environments of an earlier run, and gives their ids and those of their snapshots.
func deleteEphemeral(tx *store.Tx) (ids, snapshots []string, err error) {
	gone, err := selectInfo(tx, `ephemeral`)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range gone {
		list, err := listSnapshots(tx, i.ID, "", maxSnapshots)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range list {
			snapshots = append(snapshots, s.ID)
		}
		ids = append(ids, i.ID)
		if err := deleteInfo(tx, i.ID); err != nil {
			return nil, nil, err
		}
	}
	return ids, snapshots, nil
}

// allCopies gives the ids of all environments and snapshots.
func allCopies(tx *store.Tx) (map[string]bool, error) {
	known := map[string]bool{}
	for _, sql := range []string{`SELECT id FROM environment`, `SELECT id FROM snapshot`} {
		err := tx.Each(sql, nil, func(r store.Row) error {
			var id string
			err := r.Scan(&id)
			known[id] = true
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

func selectInfo(tx *store.Tx, rest string, args ...any) (out []Info, err error) {
	err = tx.Each(`SELECT `+infoColumns+` FROM environment WHERE `+rest, args, func(r store.Row) error {
		var i Info
		var created, expires int64
		var limits string
		if err := r.Scan(&i.ID, &i.Name, &i.Parent, &created, &limits, &expires, &i.restoring, &i.wake, &i.Ephemeral, &i.position); err != nil {
			return err
		}
		i.Created = time.UnixMicro(created).UTC()
		if expires > 0 {
			i.Expires = time.UnixMicro(expires).UTC()
		}
		var err error
		i.RateLimits, err = ratelimit.ParseSetting(limits)
		out = append(out, i)
		return err
	})
	return out, err
}

func getInfo(tx *store.Tx, id string) (Info, bool, error) {
	if !isID(id) { // PostgreSQL takes no NUL, nor bytes that are no text
		return Info{}, false, nil
	}
	found, err := selectInfo(tx, `id = ?`, id)
	if err != nil || len(found) == 0 {
		return Info{}, false, err
	}
	return found[0], true, nil
}

func listInfo(tx *store.Tx, after string, limit int) ([]Info, error) {
	return selectInfo(tx, `id > ? ORDER BY id LIMIT ?`, after, limit)
}

func listExpired(tx *store.Tx, now int64) (ids []string, err error) {
	due, err := selectInfo(tx, `expires > 0 AND expires <= ? ORDER BY expires LIMIT 100`, now)
	for _, i := range due {
		ids = append(ids, i.ID)
	}
	return ids, err
}

func deleteInfo(tx *store.Tx, id string) error {
	if _, err := tx.Exec(`DELETE FROM snapshot WHERE environment = ?`, id); err != nil {
		return err
	}
	if err := deleteOverview(tx, id); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM environment WHERE id = ?`, id)
	return err
}

// maxSnapshots is more than one environment can have.
const maxSnapshots = 1 << 30

func insertSnapshot(tx *store.Tx, s Snapshot) error {
	_, err := tx.Exec(`INSERT INTO snapshot (id, environment, name, created, size, position) VALUES (?, ?, ?, ?, ?, ?)`,
		s.ID, s.Environment, s.Name, s.Created.UnixMicro(), s.Size, s.position)
	return err
}

func listSnapshots(tx *store.Tx, env, after string, limit int) (out []Snapshot, err error) {
	err = tx.Each(`SELECT id, environment, name, created, size, position FROM snapshot WHERE environment = ? AND id > ? ORDER BY id LIMIT ?`,
		[]any{env, after, limit}, func(r store.Row) error {
			var s Snapshot
			var created int64
			err := r.Scan(&s.ID, &s.Environment, &s.Name, &created, &s.Size, &s.position)
			s.Created = time.UnixMicro(created).UTC()
			out = append(out, s)
			return err
		})
	return out, err
}

func snapshotOwner(tx *store.Tx, id string) (env string, position int64, err error) {
	if !isID(id) {
		return "", 0, nil
	}
	_, err = tx.Get(`SELECT environment, position FROM snapshot WHERE id = ?`, []any{id}, &env, &position)
	return env, position, err
}

func deleteSnapshot(tx *store.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM snapshot WHERE id = ?`, id)
	return err
}

func emptyTable(tx *store.Tx, table string) error {
	_, err := tx.Exec(`DELETE FROM ` + table)
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
