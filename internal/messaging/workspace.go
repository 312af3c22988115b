package messaging

import (
	"context"
	"regexp"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// Workspace is a team of users with their conversations.
type Workspace struct {
	ID      string
	Name    string
	Domain  string
	Created int64 // microseconds
	Deleted bool
	Open    bool // any account may join; else only by invitation
}

var domainForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// NewWorkspace are the parameters for creating a workspace with its first member.
type NewWorkspace struct {
	ID     string // generated when empty
	Name   string
	Domain string // derived from the name when empty
	Open   *bool  // nil: open while all clients are on this machine
	Owner  NewUser
}

// CreateWorkspace creates a workspace whose first user is its owner, with the
// channels general and random. It returns BadName, BadDomain or DomainTaken.
func (s *Service) CreateWorkspace(ctx context.Context, tx *store.Tx, in NewWorkspace) (*Workspace, *User, error) {
	if err := checkName(in.Name, "name"); err != nil {
		return nil, nil, err
	}
	w := &Workspace{ID: in.ID, Name: strings.TrimSpace(in.Name), Domain: in.Domain, Created: s.Clock.Micros(), Open: !s.Exposed}
	if in.Open != nil {
		w.Open = *in.Open
	}
	if w.ID == "" {
		w.ID = s.IDs.Object("T")
	}
	if w.Domain == "" {
		var err error
		if w.Domain, err = s.freeDomain(tx, w.Name); err != nil {
			return nil, nil, err
		}
	}
	if !domainForm.MatchString(w.Domain) {
		return nil, nil, BadDomain.At("domain")
	}
	made, err := insertWorkspace(tx, w)
	if err != nil {
		return nil, nil, err
	}
	if !made && in.Domain == "" { // taken since it was checked
		w.Domain = s.withSuffix(w.Domain)
		if made, err = insertWorkspace(tx, w); err != nil {
			return nil, nil, err
		}
	}
	if !made {
		return nil, nil, DomainTaken.At("domain")
	}
	in.Owner.IsAdmin, in.Owner.IsOwner = true, true
	owner, err := s.addUser(tx, w.ID, in.Owner)
	if err != nil {
		return nil, nil, err
	}
	caller := Caller{User: owner}
	for _, name := range []string{"general", "random"} {
		c := CreateChannel{Name: name, general: name == "general"}
		if _, err := s.createChannel(ctx, tx, caller, c); err != nil {
			return nil, nil, err
		}
	}
	return w, owner, nil
}

// FoundWorkspace creates a workspace that an account owns; domain may be "" and
// open nil. It returns BadName, BadDomain or DomainTaken.
func (s *Service) FoundWorkspace(ctx context.Context, acc auth.Account, name, domain string, open *bool) (m Membership, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) (err error) {
		m.Workspace, m.User, err = s.CreateWorkspace(ctx, tx, NewWorkspace{Name: name, Domain: domain, Open: open, Owner: memberOf(acc)})
		return err
	})
	return m, err
}

// freeDomain derives an unused domain from a name.
func (s *Service) freeDomain(tx *store.Tx, name string) (string, error) {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	base := strings.Trim(b.String()[:min(b.Len(), 40)], "-")
	if base == "" {
		base = "workspace"
	}
	taken, err := domainTaken(tx, base)
	if err != nil || !taken {
		return base, err
	}
	return s.withSuffix(base), nil
}

func (s *Service) withSuffix(domain string) string {
	return domain + "-" + s.IDs.String("0123456789abcdefghijklmnopqrstuvwxyz", 6)
}

// UpdateWorkspace changes the values that are not nil. It returns NotAdmin,
// BadName, BadDomain or DomainTaken.
func (s *Service) UpdateWorkspace(ctx context.Context, c Caller, name, domain *string, open *bool) (*Workspace, error) {
	if !c.IsAdmin {
		return nil, NotAdmin
	}
	if name != nil {
		if err := checkName(*name, "name"); err != nil {
			return nil, err
		}
	}
	if domain != nil && !domainForm.MatchString(*domain) {
		return nil, BadDomain.At("domain")
	}
	var w *Workspace
	err := s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if w, err = lockWorkspace(tx, c.Workspace); err != nil {
			return err
		}
		if name != nil {
			w.Name = strings.TrimSpace(*name)
		}
		if domain != nil && *domain != w.Domain {
			if taken, err := domainTaken(tx, *domain); err != nil || taken {
				return orElse(err, DomainTaken.At("domain"))
			}
			w.Domain = *domain
		}
		if open != nil {
			w.Open = *open
		}
		tx.AfterCommit(func() { s.teams.Drop(w.ID) })
		return updateWorkspace(tx, w)
	})
	if store.IsTaken(err) { // by a concurrent request for the same domain
		err = DomainTaken.At("domain")
	}
	return w, err
}

// DeleteWorkspace deletes a workspace and revokes all its tokens. It returns
// NotAdmin.
func (s *Service) DeleteWorkspace(ctx context.Context, c Caller) error {
	if !c.IsAdmin {
		return NotAdmin
	}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		w, err := lockWorkspace(tx, c.Workspace)
		if err != nil {
			return err
		}
		w.Deleted = true
		tx.AfterCommit(func() { s.teams.Drop(w.ID) })
		if err := s.Auth.RevokeSubject(tx, Name, w.ID, "", ""); err != nil {
			return err
		}
		return updateWorkspace(tx, w)
	})
}

// Membership is a workspace with the user that an account has in it.
type Membership struct {
	Workspace *Workspace
	User      *User
}

// ids returns workspace and user, both "" without a membership.
func (m *Membership) ids() (workspace, user string) {
	if m == nil {
		return "", ""
	}
	return m.Workspace.ID, m.User.ID
}

// Place is a place in a list in order of age: after the entry created at Created
// with the ID. The zero value is the beginning.
type Place struct {
	Created int64 // microseconds
	ID      string
}

// Memberships returns the workspaces of an account after a place, in the order of
// joining, at most limit.
func (s *Service) Memberships(ctx context.Context, account string, after Place, limit int) (out []Membership, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = memberships(tx, account, after, limit)
		return err
	})
	return out, err
}

// WorkspacesOf returns the workspaces of the caller's account, at most limit; for
// a user without an account, the user's workspace.
func (s *Service) WorkspacesOf(ctx context.Context, c Caller, limit int) ([]Membership, error) {
	if c.Account != "" {
		return s.Memberships(ctx, c.Account, Place{}, limit)
	}
	w, err := s.Workspace(ctx, c)
	return []Membership{{w, c.User}}, err
}

// JoinableWorkspaces returns the open workspaces that an account is not a member
// of, and those to which its e-mail address is invited, after a place, oldest
// first, at most limit.
func (s *Service) JoinableWorkspaces(ctx context.Context, acc auth.Account, after Place, limit int) (out []*Workspace, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, err = listJoinable(tx, acc, s.Clock.Micros(), after, limit)
		return err
	})
	return out, err
}

// Member returns a workspace and the user that an account has in it. It returns
// WorkspaceNotFound when the account is not a member, whether or not the
// workspace exists.
func (s *Service) Member(ctx context.Context, account, workspace string) (m *Membership, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		m, err = membership(tx, account, workspace)
		return err
	})
	if err == nil && m == nil {
		err = WorkspaceNotFound
	}
	return m, err
}

// Join makes an account a member of a workspace and of general. It needs an
// invitation's secret, an invitation of its e-mail address, or an open workspace.
// A seeded user with that address and without an account becomes the account's.
// An existing member remains unchanged. It returns WorkspaceNotFound,
// InvitationNotFound and ByInvitation.
func (s *Service) Join(ctx context.Context, acc auth.Account, workspace, secret string) (out Membership, err error) {
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		w, err := lockWorkspace(tx, workspace)
		if err != nil {
			return err
		}
		m, err := membership(tx, acc.ID, workspace)
		if err != nil {
			return err
		}
		if m != nil {
			out = *m
			return nil
		}
		invitation, err := s.admit(tx, w, acc, secret)
		if err != nil {
			return err
		}
		claimed, err := s.claim(tx, acc, workspace, invitation != nil)
		if err != nil {
			return err
		}
		if len(claimed) > 0 {
			out = Membership{w, claimed[0]}
			return acceptInvitations(tx, workspace, acc.Email, claimed[0].ID)
		}
		u, err := s.addUser(tx, workspace, memberOf(acc))
		if err != nil {
			return err
		}
		if err := acceptInvitations(tx, workspace, acc.Email, u.ID); err != nil {
			return err
		}
		out = Membership{w, u}
		if err := s.userEvents(ctx, tx, u, "team_join"); err != nil {
			return err
		}
		return s.joinGeneral(ctx, tx, u)
	})
	return out, err
}

// claim assigns to an account the seeded users with its e-mail address that have
// no account: in one workspace, or with "" in every open one. Since nobody has
// verified the address, this needs an invitation when clients may be on other
// machines.
func (s *Service) claim(tx *store.Tx, acc auth.Account, workspace string, invited bool) ([]*User, error) {
	if s.Exposed && !invited {
		return nil, nil
	}
	found, err := unclaimedUsers(tx, acc.Email, workspace)
	if err != nil {
		return nil, err
	}
	for _, u := range found {
		u.Account = acc.ID
		tx.AfterCommit(func() { s.users.Drop(userKey{u.Workspace, u.ID}) })
		if err := updateAccount(tx, u); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *Service) joinGeneral(ctx context.Context, tx *store.Tx, u *User) error {
	id, err := generalChannel(tx, u.Workspace)
	if err != nil || id == "" {
		return err
	}
	ch, err := getChannel(tx, u.Workspace, id)
	if err != nil {
		return err
	}
	return s.addMember(ctx, tx, ch, u, "")
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
