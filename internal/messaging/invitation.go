package messaging

import (
	"context"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// The errors of invitations.
var (
	ByInvitation       = NotAuthorized.Detailf("This workspace can only be joined by invitation.")
	InvitationNotFound = fault.New(fault.NotFound, "invitation_not_found", "There is no invitation with this id or address, or it has expired or was used.")
)

// invitationLifetime is how long an invitation is valid, on the environment's
// clock.
const invitationLifetime = 30 * 24 * time.Hour

// Invitation invites a person into a workspace. It is accepted with its secret or
// by an account with its e-mail address.
type Invitation struct {
	Workspace string
	ID        string
	Email     string
	Secret    string // derived, never stored
	Creator   string
	Created   int64  // microseconds
	Expires   int64  // microseconds
	User      string // the user who accepted it; "" while it is open
}

func (s *Service) invitationSecret(i *Invitation) string {
	return s.Deps.Secrets.Text(strings.Join([]string{"messaging", i.Workspace, i.ID, "invitation"}, "/"), ids.Alnum, 32)
}

// InviteToWorkspace creates an invitation for an e-mail address. It returns
// NotAdmin and auth.BadEmail.
func (s *Service) InviteToWorkspace(ctx context.Context, c Caller, email string) (*Invitation, error) {
	if !c.IsAdmin {
		return nil, NotAdmin
	}
	email, err := auth.NormalEmail(email)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	i := &Invitation{Workspace: c.Workspace, ID: s.IDs.Object("I"), Email: email, Creator: c.ID, Created: now.UnixMicro(),
		Expires: now.Add(invitationLifetime).UnixMicro()}
	i.Secret = s.invitationSecret(i)
	return i, s.world.Write(ctx, func(tx *store.Tx) error { return insertInvitation(tx, i, auth.Hash(i.Secret)) })
}

// Invitations lists the open invitations of the workspace after a place, oldest
// first, at most limit. It returns NotAdmin.
func (s *Service) Invitations(ctx context.Context, c Caller, after Place, limit int) (out []*Invitation, err error) {
	if !c.IsAdmin {
		return nil, NotAdmin
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, err = listInvitations(tx, c.Workspace, s.Clock.Micros(), after, limit)
		return err
	})
	for _, i := range out {
		i.Secret = s.invitationSecret(i)
	}
	return out, err
}

// Uninvite removes an invitation. It returns NotAdmin and InvitationNotFound.
func (s *Service) Uninvite(ctx context.Context, c Caller, id string) error {
	if !c.IsAdmin {
		return NotAdmin
	}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		removed, err := deleteInvitation(tx, c.Workspace, id)
		if err == nil && !removed {
			err = InvitationNotFound
		}
		return err
	})
}

// InvitationBySecret returns an open invitation and its workspace. It returns
// InvitationNotFound.
func (s *Service) InvitationBySecret(ctx context.Context, secret string) (i *Invitation, w *Workspace, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		if i, err = invitationByHash(tx, auth.Hash(secret), s.Clock.Micros()); err != nil {
			return err
		}
		if i == nil {
			return InvitationNotFound
		}
		if w, err = getWorkspace(tx, i.Workspace); err == nil && (w == nil || w.Deleted) {
			err = InvitationNotFound
		}
		return err
	})
	return i, w, err
}

// admit returns the invitation by which an account may join a workspace, nil if
// the workspace is open. Because nobody has verified e-mail addresses, an
// invitation's address alone suffices only for an account that is older than the
// invitation, or while all clients are on this machine. It returns ByInvitation.
func (s *Service) admit(tx *store.Tx, w *Workspace, acc auth.Account, secret string) (*Invitation, error) {
	now := s.Clock.Micros()
	if secret != "" {
		i, err := invitationByHash(tx, auth.Hash(secret), now)
		if err == nil && (i == nil || i.Workspace != w.ID || i.Email != acc.Email) {
			err = InvitationNotFound
		}
		return i, err
	}
	i, err := invitationFor(tx, w.ID, acc.Email, now)
	switch {
	case err != nil:
		return nil, err
	case i != nil && (!s.Exposed || acc.Created <= i.Created):
		return i, nil
	case w.Open:
		return nil, nil
	}
	return nil, ByInvitation
}
