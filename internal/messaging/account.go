package messaging

import (
	"context"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// SignUp are the parameters of Service.SignUp. Without a workspace name no
// workspace is created.
type SignUp struct {
	Email     string
	Password  string
	Name      string
	Workspace string
}

// SignedIn is a session with its account. Membership is nil if the session has no
// workspace.
type SignedIn struct {
	auth.Grant
	Account    auth.Account
	Membership *Membership
}

// SignUp creates an account and signs it in. Seeded users with the same e-mail
// address become the account's. It returns auth.BadEmail, auth.WeakPassword,
// auth.EmailTaken or BadName.
func (s *Service) SignUp(ctx context.Context, in SignUp) (out SignedIn, err error) {
	if err := s.Auth.CheckSignup(in.Email, in.Password); err != nil {
		return out, err
	}
	if err := checkName(in.Name, "name"); err != nil {
		return out, err
	}
	if in.Workspace != "" {
		if err := checkName(in.Workspace, "workspace_name"); err != nil {
			return out, err
		}
	}
	hash := s.Auth.HashPassword(in.Password)
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		out = SignedIn{}
		acc, err := s.Auth.CreateAccount(tx, Name, auth.Account{ID: s.accountID(), Email: in.Email, Name: strings.TrimSpace(in.Name)}, hash)
		if err != nil {
			return err
		}
		if in.Workspace != "" {
			w, u, err := s.CreateWorkspace(ctx, tx, NewWorkspace{Name: in.Workspace, Owner: memberOf(acc)})
			if err != nil {
				return err
			}
			out.Membership = &Membership{w, u}
		}
		if _, err := s.claim(tx, acc, "", false); err != nil {
			return err
		}
		if out.Membership == nil {
			if out.Membership, err = choose(tx, acc.ID, "", ""); err != nil {
				return err
			}
		}
		return s.signIn(tx, acc, &out)
	})
	return out, err
}

// LogIn begins a session of an account in the named workspace or, without one, in
// the account's first. It returns auth.BadLogin, and WorkspaceNotFound when the
// account is not a member.
func (s *Service) LogIn(ctx context.Context, in auth.Attempt, workspace string) (out SignedIn, err error) {
	acc, err := s.Auth.CheckPassword(ctx, Name, in)
	if err != nil {
		return out, err
	}
	err = s.world.Write(ctx, func(tx *store.Tx) (err error) {
		out = SignedIn{}
		if out.Membership, err = choose(tx, acc.ID, workspace, ""); err != nil {
			return err
		}
		return s.signIn(tx, acc, &out)
	})
	return out, err
}

func (s *Service) signIn(tx *store.Tx, acc auth.Account, out *SignedIn) (err error) {
	tenant, subject := out.Membership.ids()
	out.Account = acc
	out.Grant, err = s.Auth.SignIn(tx, Name, acc.ID, tenant, subject)
	return err
}

// Refresh exchanges a refresh token for a new session in the named workspace.
// Without a name the session stays in its workspace, or moves to the account's
// first if it had none or lost it. It returns auth.Invalid, auth.Expired or
// WorkspaceNotFound; after the last the token is still valid.
func (s *Service) Refresh(ctx context.Context, token, workspace string) (out SignedIn, err error) {
	out.Grant, err = s.Auth.Refresh(ctx, Name, token, func(tx *store.Tx, account, tenant, _ string) (string, string, error) {
		acc, found, err := s.Auth.Account(tx, Name, account)
		if err == nil && !found {
			err = auth.Invalid.At("refresh_token")
		}
		if err != nil {
			return "", "", err
		}
		out.Account = acc
		if out.Membership, err = choose(tx, account, workspace, tenant); err != nil {
			return "", "", err
		}
		newTenant, newSubject := out.Membership.ids()
		return newTenant, newSubject, nil
	})
	return out, err
}

// choose returns the membership of a session: the one asked for, which must
// exist, else the current one if it still exists, else the account's first. It
// returns nil when the account has none.
func choose(tx *store.Tx, account, asked, current string) (*Membership, error) {
	for _, id := range []string{asked, current} {
		if id == "" {
			continue
		}
		m, err := membership(tx, account, id)
		if err != nil || m != nil {
			return m, err
		}
		if id == asked {
			return nil, WorkspaceNotFound.At("workspace_id")
		}
	}
	all, err := memberships(tx, account, Place{}, 1)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// ChangePassword replaces the password of the account that a principal acts
// for. It returns the refusals of Account and of auth.ChangePassword.
func (s *Service) ChangePassword(ctx context.Context, p *auth.Principal, in auth.PasswordChange) error {
	acc, err := s.Account(ctx, p)
	if err != nil {
		return err
	}
	return s.Auth.ChangePassword(ctx, p, acc.ID, in)
}

// accountID returns the id of a new account: in the grammar of the other ids, since
// no payload of the service contains a UUID. Accounts of earlier versions keep
// theirs.
func (s *Service) accountID() string { return s.IDs.Object("P") }

// CreateAccounts creates accounts without a password for all people without an
// account, in the order of ids. People with the same address share one.
func (s *Service) CreateAccounts(tx *store.Tx) error {
	all, err := queryUsers(tx, `u.account = '' AND u.bot_id = '' AND u.email <> '' AND NOT u.deleted ORDER BY u.workspace, u.id`)
	if err != nil {
		return err
	}
	for _, u := range all {
		acc, err := s.Auth.EnsureAccount(tx, Name, auth.Account{ID: s.accountID(), Email: u.Email, Name: u.Profile.RealName})
		if err != nil {
			return err
		}
		u.Account = acc.ID
		tx.AfterCommit(func() { s.users.Drop(userKey{u.Workspace, u.ID}) })
		if err := updateAccount(tx, u); err != nil {
			return err
		}
	}
	return nil
}

// EnterWorkspace returns an access token for a workspace of an account: a token
// of the caller's session, or one without a session if the caller has none.
func (s *Service) EnterWorkspace(ctx context.Context, p *auth.Principal, acc auth.Account, m Membership) (token string, err error) {
	if p.Kind == auth.Session {
		return s.Auth.AccessToken(Name, p.TokenID, acc.ID, m.Workspace.ID, m.User.ID)
	}
	err = s.world.Write(ctx, func(tx *store.Tx) error {
		token, err = s.Auth.LoneAccessToken(tx, Name, acc.ID, m.Workspace.ID, m.User.ID)
		return err
	})
	return token, err
}

// LogOut ends the session of a principal, which may be nil, and that of a
// refresh token, which may be "" or unknown.
func (s *Service) LogOut(ctx context.Context, p *auth.Principal, token string) error {
	return s.world.Write(ctx, func(tx *store.Tx) error {
		if p != nil {
			if err := s.Auth.EndSession(tx, p); err != nil {
				return err
			}
		}
		if token == "" {
			return nil
		}
		return s.Auth.SignOut(tx, Name, token)
	})
}

// Account returns the account that a principal acts for: the signed-in account,
// or the account of a user token's user. It returns AccountInactive, and
// auth.Invalid for an account that no longer exists.
func (s *Service) Account(ctx context.Context, p *auth.Principal) (acc auth.Account, err error) {
	id := p.Account
	if p.Kind != auth.Session {
		c, err := s.Caller(ctx, p)
		if err != nil {
			return acc, err
		}
		id = c.Account
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		var found bool
		acc, found, err = s.Auth.Account(tx, Name, id)
		if err == nil && !found {
			err = auth.Invalid
		}
		return err
	})
	return acc, err
}

func memberOf(acc auth.Account) NewUser {
	return NewUser{Account: acc.ID, Email: acc.Email, RealName: acc.Name}
}

// checkName returns BadName for an invalid name of a person or a workspace.
func checkName(name, field string) error {
	if n := utf8.RuneCountInString(strings.TrimSpace(name)); n == 0 || n > 80 {
		return BadName.At(field)
	}
	return nil
}
