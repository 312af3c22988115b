package tracker

import "understudy/internal/platform/store"

// urlKeyOf is the transaction key of an organization's URL key.
type urlKeyOf string

// getURLKey reports whether there is an organization, and reads its URL key.
func getURLKey(tx *store.Tx, org string, key *string) (found bool, err error) {
	if *key, found = store.Kept[string](tx, urlKeyOf(org)); found {
		return true, nil
	}
	if found, err = tx.Get(`SELECT url_key FROM tracker_organization WHERE id = ?`, []any{org}, key); found {
		store.KeepLong(tx, urlKeyOf(org), *key, "tracker_organization")
	}
	return found, err
}

// syncOf is the transaction key of the sync id that a write has set for an
// organization.
type syncOf string

// nextSync increments an organization's sync id, and locks the organization until
// the transaction ends.
func (t *Tracker) nextSync(tx *store.Tx, org string) (n int64, err error) {
	if last, ok := store.Kept[int64](tx, syncOf(org)); ok {
		n = last + 1
		err = tx.ExecLater(`UPDATE tracker_sync SET sync_id = ? WHERE org = ?`, n, org)
	} else {
		ok, err = tx.Get(`UPDATE tracker_sync SET sync_id = sync_id + 1 WHERE org = ? RETURNING sync_id`, []any{org}, &n)
		if err != nil || !ok {
			return n, err
		}
	}
	store.KeepLong(tx, syncOf(org), n, "tracker_sync")
	tx.AfterCommit(func() { t.caches.syncs.seen(org, n) })
	return n, err
}

// lastSync returns an organization's stored sync id.
func lastSync(tx *store.Tx, org string) (n int64, err error) {
	_, err = tx.Get(`SELECT sync_id FROM tracker_sync WHERE org = ?`, []any{org}, &n)
	return n, err
}

// hiddenFrom is the transaction key of the teams that a caller cannot see.
type hiddenFrom struct{ org, caller string }

func hiddenTeams(v *View) (ids []string, err error) {
	key := hiddenFrom{v.Tenant, v.Caller}
	if ids, ok := store.Kept[[]string](v.Tx, key); ok {
		return ids, nil
	}
	defer func() {
		if err == nil {
			store.Keep(v.Tx, key, ids, "tracker_team", "tracker_member")
		}
	}()
	err = v.Tx.Each(`SELECT id FROM tracker_team t WHERE org = ? AND (archived <> 0 OR private AND NOT EXISTS (
		SELECT 1 FROM tracker_member m WHERE m.org = t.org AND m.team = t.id AND m.user_id = ?))`, []any{v.Tenant, v.Caller},
		func(r store.Row) error {
			var id string
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
	return ids, err
}

// unseenTeams selects the teams of View.unseen in a filter, so that it follows
// relations only to what the viewer may see.
const unseenTeams = `(SELECT h.id FROM tracker_team h WHERE h.org = :org AND (h.archived <> 0 OR h.private AND NOT EXISTS (
	SELECT 1 FROM tracker_member m WHERE m.org = h.org AND m.team = h.id AND m.user_id = :me)))`
