package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// Invite is an invitation of an e-mail address into an organization.
type Invite struct {
	entity.Base
	Email    string
	Role     string // member, admin or guest
	Inviter  string
	Token    string // the sha256 of the token, in hex
	Expires  int64
	Accepted int64
}

// inviteLife is how long an invitation can be accepted, on the environment's clock.
const inviteLife = 14 * 24 * time.Hour

// BadInvite is returned for a token without an invitation, and for one whose invitation
// was accepted, was withdrawn or has expired.
var BadInvite = BadArgument.At("inviteToken").Detailf("The invitation does not exist, was accepted or withdrawn, or has expired.")

func inviteHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// InviteURL returns the address at which an invitation is accepted.
func (t *Tracker) InviteURL(token string) string { return t.BaseURL() + "/join?token=" + token }

// Invite invites an e-mail address into the caller's organization. The role is
// "member" when empty. The token is returned only here. It returns Forbidden
// unless the caller is an admin, BadArgument for the address or the role, and
// NameTaken if a member has the address.
func (t *Tracker) Invite(ctx context.Context, p *auth.Principal, email, role string) (*Invite, string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if at := strings.IndexByte(email, '@'); at < 1 || at == len(email)-1 || len(email) > 254 || strings.ContainsAny(email, " \t\r\n\x00") {
		return nil, "", badArgument("email", "email must be an e-mail address")
	}
	if role == "" {
		role = "member"
	}
	if role != "member" && role != "admin" && role != "guest" {
		return nil, "", badArgument("role", "role must be member, admin or guest")
	}
	token := "trk_inv_" + t.IDs.Secret(32)
	var made *Invite
	_, err := t.write(ctx, p, func(w *writer) error {
		if err := w.admin(); err != nil {
			return err
		}
		taken, err := emailInUse(w.Tx, w.Tenant, email)
		if err != nil {
			return err
		}
		if taken {
			return NameTaken.At("email").Detailf("%s is a member of the organization already.", email)
		}
		made = &Invite{Base: w.fresh(t.IDs.UUID()), Email: email, Role: role, Inviter: w.Caller, Token: inviteHash(token),
			Expires: w.Now.Add(inviteLife).UnixMicro()}
		return Invites.Insert(w.Tx, made)
	})
	return made, token, err
}

// OpenInvites returns a page of the invitations that can still be accepted,
// newest first. It returns Forbidden unless the caller is an admin.
func (v *View) OpenInvites(q entity.Query) (*entity.Page[Invite], error) {
	if err := v.admin(); err != nil {
		return nil, err
	}
	q.Filter = entity.Only("expiresAt", entity.Only("gt", entity.Moment{At: v.Now}))
	return Invites.List(v, q)
}

// Uninvite withdraws an invitation. It returns NotFound, and Forbidden unless the
// caller is an admin.
func (t *Tracker) Uninvite(ctx context.Context, p *auth.Principal, id string) error {
	_, err := t.write(ctx, p, func(w *writer) error {
		if err := w.admin(); err != nil {
			return err
		}
		found, err := Invites.Get(w.View, id)
		if err != nil {
			return err
		}
		if found.Archived != 0 {
			return notFound("OrganizationInvite")
		}
		return w.closeInvite(found, false)
	})
	return err
}

// closeInvite ends an invitation, and marks an accepted one as accepted.
func (w *writer) closeInvite(i *Invite, accepted bool) error {
	now := *i
	now.Archived, now.Updated, now.Version = w.Micros(), w.Micros(), w.syncID
	if accepted {
		now.Accepted = w.Micros()
	}
	_, err := Invites.Update(w.View, i, &now)
	return err
}

// join makes a new account a user of the organization that invited it. It returns
// BadInvite.
func (t *Tracker) join(ctx context.Context, tx *store.Tx, account auth.Account, token string) (*Organization, *User, error) {
	i, err := inviteOfToken(tx, inviteHash(token))
	if err != nil {
		return nil, nil, err
	}
	if i == nil || i.Archived != 0 || i.Expires <= t.Clock.Micros() {
		return nil, nil, BadInvite
	}
	n, err := t.nextSync(tx, i.Org)
	if err != nil {
		return nil, nil, err
	}
	u := t.newUser(i.Org, t.IDs.UUID(), account)
	u.Admin, u.Guest, u.Version = i.Role == "admin", i.Role == "guest", n
	v := &View{Scope: t.scope(tx, i.Org, u.ID, 0), t: t, viewer: u}
	v.RememberRows()
	w := &writer{View: v, ctx: ctx, syncID: n}
	o, err := Organizations.Find(v, i.Org)
	if err != nil || o == nil {
		return nil, nil, orElse(err, BadInvite)
	}
	v.url = t.BaseURL() + "/" + o.URLKey
	if _, err := created(w, Users, u); err != nil {
		return nil, nil, err
	}
	return o, u, w.closeInvite(i, true)
}
