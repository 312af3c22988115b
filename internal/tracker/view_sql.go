package tracker

import "understudy/internal/platform/store"

func getURLKey(tx *store.Tx, org string, key *string) (bool, error) {
	return tx.Get(`SELECT url_key FROM tracker_organization WHERE id = ?`, []any{org}, key)
}

// nextSync moves an organization's sync id on, and holds the organization until the write ends.
func (t *Tracker) nextSync(tx *store.Tx, org string) (n int64, err error) {
	_, err = tx.Get(`UPDATE tracker_sync SET sync_id = sync_id + 1 WHERE org = ? RETURNING sync_id`, []any{org}, &n)
	tx.AfterCommit(func() { t.caches.syncs.seen(org, n) })
	return n, err
}

// lastSync returns an organization's sync id as it stands.
func lastSync(tx *store.Tx, org string) (n int64, err error) {
	_, err = tx.Get(`SELECT sync_id FROM tracker_sync WHERE org = ?`, []any{org}, &n)
	return n, err
}

func hiddenTeams(v *View) (ids []string, err error) {
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

// unseenTeams selects those of View.unseen in a filter, which follows relations
// to no more than the viewer may see.
const unseenTeams = `(SELECT h.id FROM tracker_team h WHERE h.org = :org AND (h.archived <> 0 OR h.private AND NOT EXISTS (
	SELECT 1 FROM tracker_member m WHERE m.org = h.org AND m.team = h.id AND m.user_id = :me)))`
