package messaging

import "understudy/internal/platform/store"

func insertInvitation(tx *store.Tx, i *Invitation, hash string) error {
	_, err := tx.Exec(`INSERT INTO msg_invitation (workspace, id, email, hash, creator, created, expires, user_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		i.Workspace, i.ID, i.Email, hash, i.Creator, i.Created, i.Expires, i.User)
	return err
}

func queryInvitations(tx *store.Tx, where string, args ...any) (out []*Invitation, err error) {
	err = tx.Each(`SELECT workspace, id, email, creator, created, expires, user_id FROM msg_invitation WHERE `+where, args, func(r store.Row) error {
		i := &Invitation{}
		err := r.Scan(&i.Workspace, &i.ID, &i.Email, &i.Creator, &i.Created, &i.Expires, &i.User)
		out = append(out, i)
		return err
	})
	return out, err
}

func oneInvitation(tx *store.Tx, where string, args ...any) (*Invitation, error) {
	found, err := queryInvitations(tx, where, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func invitationByHash(tx *store.Tx, hash string, now int64) (*Invitation, error) {
	return oneInvitation(tx, `hash = ? AND user_id = '' AND expires > ?`, hash, now)
}

func invitationFor(tx *store.Tx, workspace, email string, now int64) (*Invitation, error) {
	return oneInvitation(tx, `workspace = ? AND email = ? AND user_id = '' AND expires > ? ORDER BY created DESC, id DESC LIMIT 1`, workspace, email, now)
}

func listInvitations(tx *store.Tx, workspace string, now int64, after Place, limit int) ([]*Invitation, error) {
	return queryInvitations(tx, `workspace = ? AND user_id = '' AND expires > ? AND (created > ? OR created = ? AND id > ?) ORDER BY created, id LIMIT ?`,
		workspace, now, after.Created, after.Created, after.ID, limit)
}

func deleteInvitation(tx *store.Tx, workspace, id string) (bool, error) {
	n, err := tx.Exec(`DELETE FROM msg_invitation WHERE workspace = ? AND id = ? AND user_id = ''`, workspace, id)
	return n > 0, err
}

// acceptInvitations marks all invitations of an address as accepted by user.
func acceptInvitations(tx *store.Tx, workspace, email, user string) error {
	_, err := tx.Exec(`UPDATE msg_invitation SET user_id = ? WHERE workspace = ? AND email = ? AND user_id = ''`, user, workspace, email)
	return err
}

func updateInvitationHash(tx *store.Tx, i *Invitation, hash string) error {
	_, err := tx.Exec(`UPDATE msg_invitation SET hash = ? WHERE workspace = ? AND id = ?`, hash, i.Workspace, i.ID)
	return err
}
