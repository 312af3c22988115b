package tracker

import (
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Invites are the invitations into the organization.
var Invites = declare(entity.Kind[*View, Invite]{Name: "OrganizationInvite", Table: "tracker_invite"},
	(*Invite).Header, []entity.Column[Invite]{
		entity.Col("email", "email", entity.Text, func(i *Invite) any { return &i.Email }),
		entity.Col("role", "role", entity.Text, func(i *Invite) any { return &i.Role }),
		entity.Col("inviter", "inviterId", entity.Ref, func(i *Invite) any { return &i.Inviter }),
		entity.Col("token", "", entity.Hidden, func(i *Invite) any { return &i.Token }),
		entity.Col("expires", "expiresAt", entity.Time, func(i *Invite) any { return &i.Expires }),
		entity.Col("accepted", "acceptedAt", entity.Time, func(i *Invite) any { return &i.Accepted }),
	})

func init() {
	Invites.Shape = &entity.Shape{Name: "OrganizationInvite", Table: "tracker_invite",
		Fields: map[string]entity.Field{"expiresAt": {Sort: entity.ByTime, Expr: "@.expires"}}}
}

// inviteOfToken returns the invitation with the sha256 of a token, nil where there is none.
func inviteOfToken(tx *store.Tx, hash string) (*Invite, error) {
	found, err := Invites.Select(tx, "WHERE t.token = ?", hash)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// emailInUse reports whether an active user of the organization has an e-mail address.
func emailInUse(tx *store.Tx, org, email string) (bool, error) {
	var one int64
	return tx.Get(`SELECT 1 FROM tracker_user WHERE org = ? AND email = ? AND active`, []any{org, email}, &one)
}

// replaceInviteTokens replaces the sha256 of the token of each invitation, by its id.
func replaceInviteTokens(tx *store.Tx, hash func(id string) string) error {
	all, err := Invites.Select(tx, "WHERE 1 = 1")
	for _, i := range all {
		if err == nil {
			_, err = tx.Exec(`UPDATE tracker_invite SET token = ? WHERE org = ? AND id = ?`, hash(i.ID), i.Org, i.ID)
		}
	}
	return err
}
