package catalogue

import (
	"math"
	"strconv"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/store"
)

const entryColumns = `id, storage, name, parent, created, rate_limits, expires, restoring, wake, ephemeral, position`

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func insertEntry(tx *store.Tx, e Entry) error {
	n, err := tx.Exec(`INSERT INTO environment (`+entryColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		e.ID, e.Storage, e.Name, e.Parent, e.Created.UnixMicro(), e.RateLimits.String(), micros(e.Expires), e.Wake, e.Ephemeral, e.Position)
	if err == nil && n == 0 {
		err = environment.Exists.At("id")
	}
	if err == nil && e.Overview != nil {
		err = putOverview(tx, e.ID, *e.Overview)
	}
	return err
}

func updateEntry(tx *store.Tx, i environment.Info) error {
	_, err := tx.Exec(`UPDATE environment SET name = ?, rate_limits = ?, expires = ? WHERE id = ?`,
		i.Name, i.RateLimits.String(), micros(i.Expires), i.ID)
	return err
}

func setRestoring(tx *store.Tx, id, from string) error {
	_, err := tx.Exec(`UPDATE environment SET restoring = ? WHERE id = ?`, from, id)
	return err
}

// lockRestoring returns the copy by which an environment is being replaced, or
// "", and locks it until the end of the transaction.
func lockRestoring(tx *store.Tx, id string) (from string, err error) {
	_, err = tx.Get(`SELECT restoring FROM environment WHERE id = ?`+tx.Dialect().ForUpdate, []any{id}, &from)
	return from, err
}

// setOpened records that an environment is open and that its restore has ended.
func setOpened(tx *store.Tx, id string) error {
	_, err := tx.Exec(`UPDATE environment SET restoring = '', wake = ? WHERE id = ?`, WakeAtStart, id)
	return err
}

func setWake(tx *store.Tx, id string, at int64) error {
	_, err := tx.Exec(`UPDATE environment SET wake = ? WHERE id = ?`, at, id)
	return err
}

// listWaking returns the ids of environments with a wake time in a range, the earliest first.
func listWaking(tx *store.Tx, from, to int64) (ids []string, err error) {
	err = tx.Each(`SELECT id FROM environment WHERE wake >= ? AND wake <= ? AND wake > 0 ORDER BY wake LIMIT 1000`, []any{from, to}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// deleteEphemeral deletes the ephemeral environments and returns their number.
func deleteEphemeral(tx *store.Tx) (int, error) {
	gone, err := selectEntries(tx, `ephemeral`)
	for _, e := range gone {
		if _, err := deleteEntry(tx, e.ID); err != nil {
			return 0, err
		}
	}
	return len(gone), err
}

// listIDs returns the ids in the names of the databases of all environments and
// snapshots.
func listIDs(tx *store.Tx) (map[string]bool, error) {
	known := map[string]bool{}
	for _, sql := range []string{`SELECT storage FROM environment`, `SELECT id FROM snapshot`} {
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

// entryRow scans rows of entryColumns. Consecutive rows often have the same rate
// limits, and a name and storage that are the id, so these are copied only if they
// differ.
type entryRow struct {
	Entry
	created, expires      int64
	name, storage, limits store.Borrowed
	read                  string // the limits in RateLimits
}

// into returns the destinations of the columns.
func (r *entryRow) into() []any {
	return []any{&r.ID, &r.storage, &r.name, &r.Parent, &r.created, &r.limits, &r.expires, &r.Restoring, &r.Wake, &r.Ephemeral, &r.Position}
}

// complete converts what was scanned.
func (r *entryRow) complete() (err error) {
	r.Name, r.Storage = textOr(r.ID, r.name), textOr(r.ID, r.storage)
	r.Created, r.Expires = time.UnixMicro(r.created).UTC(), time.Time{}
	if r.expires > 0 {
		r.Expires = time.UnixMicro(r.expires).UTC()
	}
	if text := textOr(r.read, r.limits); text != r.read || text == "" {
		r.RateLimits, err = ratelimit.ParseSetting(text)
		r.read = text
	}
	return err
}

// textOr returns a text, which is known if it has the same bytes.
func textOr(known string, text store.Borrowed) string {
	if string(text) == known {
		return known
	}
	return string(text)
}

func selectEntries(tx *store.Tx, rest string, args ...any) (out []Entry, err error) {
	var row entryRow
	into := row.into()
	err = tx.Each(`SELECT `+entryColumns+` FROM environment WHERE `+rest, args, func(r store.Row) error {
		err := r.Scan(into...)
		if err == nil {
			err = row.complete()
		}
		out = append(out, row.Entry)
		return err
	})
	return out, err
}

func getEntry(tx *store.Tx, id string) (Entry, bool, error) {
	if !environment.IsID(id) { // PostgreSQL rejects NUL and invalid UTF-8
		return Entry{}, false, nil
	}
	found, err := selectEntries(tx, `id = ?`, id)
	if err != nil || len(found) == 0 {
		return Entry{}, false, err
	}
	return found[0], true, nil
}

// listNamed returns the ids of environments with a name, sorted, at most limit.
func listNamed(tx *store.Tx, name string, limit int) (ids []string, err error) {
	err = tx.Each(`SELECT id FROM environment WHERE name = ? ORDER BY id LIMIT ?`, []any{name, limit}, func(r store.Row) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// following returns the condition, order and limit of a statement for the
// environments after a place, with its arguments.
func following(d *store.Dialect, o Order, after Place, limit int) (rest string, args []any, err error) {
	order, beyond, key, given := "", ">", "", "?"
	if o.Descending {
		order, beyond = " DESC", "<"
	}
	var value any = after.Value
	switch o.By {
	case "":
		if o.Descending && after.ID != "" || !o.Descending {
			return `id ` + beyond + ` ? ORDER BY id` + order + ` LIMIT ?`, []any{after.ID, limit}, nil
		}
		return `TRUE ORDER BY id DESC LIMIT ?`, []any{limit}, nil
	case "name":
		bytes := d.Pick("", ` COLLATE "C"`)
		key, given = d.Lower("name")+bytes, d.Lower("?")+bytes
	case "created_at":
		key = "created"
	case "expires_at":
		key = "CASE WHEN expires = 0 THEN 9223372036854775807 ELSE expires END"
	}
	ordered := ` ORDER BY ` + key + order + `, id` + order + ` LIMIT ?`
	if after.ID == "" {
		return `TRUE` + ordered, []any{limit}, nil
	}
	if o.By != "name" {
		number, err := strconv.ParseInt(after.Value, 10, 64)
		if err != nil {
			return "", nil, err
		}
		if value = number; o.By == "expires_at" && number == 0 {
			value = int64(math.MaxInt64)
		}
	}
	return `(` + key + ` ` + beyond + ` ` + given + ` OR ` + key + ` = ` + given + ` AND id ` + beyond + ` ?)` + ordered, []any{value, value, after.ID, limit}, nil
}

func listExpired(tx *store.Tx, now int64) (ids []string, err error) {
	due, err := selectEntries(tx, `expires > 0 AND expires <= ? ORDER BY expires LIMIT 100`, now)
	for _, e := range due {
		ids = append(ids, e.ID)
	}
	return ids, err
}

// deleteEntry deletes an environment with its snapshots, and returns the ids of the snapshots.
func deleteEntry(tx *store.Tx, id string) (snapshots []string, err error) {
	list, err := listSnapshots(tx, id, "", maxSnapshots)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		snapshots = append(snapshots, s.ID)
	}
	if _, err := tx.Exec(`DELETE FROM snapshot WHERE environment = ?`, id); err != nil {
		return nil, err
	}
	if err := deleteOverview(tx, id); err != nil {
		return nil, err
	}
	_, err = tx.Exec(`DELETE FROM environment WHERE id = ?`, id)
	return snapshots, err
}

// selectOne runs a minimal statement.
func selectOne(tx *store.Tx) error {
	_, err := tx.Get("SELECT 1", nil, new(int64))
	return err
}

func getNote(tx *store.Tx, name string) (value string, found bool, err error) {
	found, err = tx.Get(`SELECT value FROM note WHERE name = ?`, []any{name}, &value)
	return value, found, err
}

func insertNote(tx *store.Tx, name, value string) error {
	_, err := tx.Exec(`INSERT INTO note (name, value) VALUES (?, ?)`, name, value)
	return err
}
