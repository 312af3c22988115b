package messaging

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

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
}

var domainForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// NewWorkspace asks for a workspace with its first member.
type NewWorkspace struct {
	ID     string // made up when empty
	Name   string
	Domain string // derived from the name when empty
	Owner  NewUser
}

// CreateWorkspace makes a workspace whose first user is its owner, with the
// channels general and random. It returns BadName, BadDomain or DomainTaken.
func (s *Service) CreateWorkspace(ctx context.Context, tx *store.Tx, in NewWorkspace) (*Workspace, *User, error) {
	if n := utf8.RuneCountInString(strings.TrimSpace(in.Name)); n == 0 || n > 80 {
		return nil, nil, BadName.At("name")
	}
	w := &Workspace{ID: in.ID, Name: strings.TrimSpace(in.Name), Domain: in.Domain, Created: s.Clock.Micros()}
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

// freeDomain makes a domain of a name that no workspace has.
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
	return base + "-" + strings.ToLower(s.IDs.String("0123456789abcdefghijklmnopqrstuvwxyz", 6)), nil
}

// UpdateWorkspace changes what is given. Only admins may. It returns NotAdmin, BadName, BadDomain or DomainTaken.
func (s *Service) UpdateWorkspace(ctx context.Context, c Caller, name, domain *string) (*Workspace, error) {
	if !c.IsAdmin {
		return nil, NotAdmin
	}
	if name != nil {
		if n := utf8.RuneCountInString(strings.TrimSpace(*name)); n == 0 || n > 80 {
			return nil, BadName.At("name")
		}
	}
	if domain != nil && !domainForm.MatchString(*domain) {
		return nil, BadDomain.At("domain")
	}
	var w *Workspace
	err := s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if w, err = getWorkspace(tx, c.Workspace); err != nil {
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
		tx.AfterCommit(func() { s.teams.drop(w.ID) })
		return updateWorkspace(tx, w)
	})
	return w, err
}

// DeleteWorkspace ends a workspace and every token of it. Only admins may.
func (s *Service) DeleteWorkspace(ctx context.Context, c Caller) error {
	if !c.IsAdmin {
		return NotAdmin
	}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		w, err := getWorkspace(tx, c.Workspace)
		if err != nil {
			return err
		}
		w.Deleted = true
		tx.AfterCommit(func() { s.teams.drop(w.ID) })
		if err := s.Auth.RevokeSubject(tx, Name, w.ID, "", ""); err != nil {
			return err
		}
		return updateWorkspace(tx, w)
	})
}

// Membership is a workspace and who an account is in it.
type Membership struct {
	Workspace *Workspace
	User      *User
}

// Memberships gives the workspaces of an account, oldest first.
func (s *Service) Memberships(ctx context.Context, account string) (out []Membership, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = memberships(tx, account)
		return err
	})
	return out, err
}

// MembershipIn gives who an account is in a workspace. It returns WorkspaceNotFound.
func (s *Service) MembershipIn(tx *store.Tx, account, workspace string) (*User, error) {
	all, err := memberships(tx, account)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Workspace.ID == workspace {
			return m.User, nil
		}
	}
	return nil, WorkspaceNotFound
}

// Join makes an account a user of a workspace, who is put into general; who is
// a member already stays what they are. It returns WorkspaceNotFound.
func (s *Service) Join(ctx context.Context, acc auth.Account, workspace string) (*Workspace, *User, error) {
	var w *Workspace
	var u *User
	err := s.world.Write(ctx, func(tx *store.Tx) (err error) {
		if w, err = getWorkspace(tx, workspace); err != nil {
			return err
		}
		if w == nil || w.Deleted {
			return WorkspaceNotFound
		}
		if u, err = s.MembershipIn(tx, acc.ID, workspace); err == nil {
			return nil
		}
		if u, err = s.addUser(tx, workspace, NewUser{Account: acc.ID, Email: acc.Email, RealName: acc.Name}); err != nil {
			return err
		}
		return s.joinGeneral(ctx, tx, u)
	})
	return w, u, err
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
