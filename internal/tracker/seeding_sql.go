package tracker

import "understudy/internal/platform/store"

// insertMember makes a user a member of a team. It does not change somebody who
// is one already.
func insertMember(tx *store.Tx, org, team, user string) error {
	_, err := tx.Exec(`INSERT INTO tracker_member (org, team, user_id, owner) VALUES (?, ?, ?, FALSE) ON CONFLICT DO NOTHING`, org, team, user)
	return err
}
