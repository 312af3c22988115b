package tracker

import (
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// RenewInherited replaces the signing secrets of webhooks and the tokens of
// invitations; the old ones stop working. Admins can read the new secret of a
// webhook. The token of an invitation is only returned on creation, so people
// must be invited again.
func (t *Tracker) RenewInherited(tx *store.Tx, secrets *ids.Secrets) error {
	hooks, err := allSecrets(tx)
	if err != nil {
		return err
	}
	for _, h := range hooks {
		secret := "trk_wh_" + secrets.Text(h.purpose(), ids.Alnum, 32)
		if err := setSealed(tx, h.Org, h.ID, t.Box.Seal(h.purpose(), secret)); err != nil {
			return err
		}
	}
	return replaceInviteTokens(tx, func(id string) string { return inviteHash(secrets.Text("tracker/invite/"+id, ids.Alnum, 32)) })
}
