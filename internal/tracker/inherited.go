package tracker

import (
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// RenewInherited makes the signing secrets of webhooks and the tokens of
// invitations anew: those from before are refused. A webhook shows its secret to
// admins; the token of an invitation is shown once, so invitations are made again.
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
