package tracker

import (
	"context"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// Session is the session of an account, which acts as one of its users or belongs to
// no organization.
type Session struct {
	auth.Grant
	Account      auth.Account
	Organization *Organization
	User         *User
}

// Signup creates an account and signs it in. invite is the token of an invitation or
// "": with a token the account becomes a new user of the inviting organization. It
// returns the errors of auth.CheckSignup, BadArgument for a blank name, auth.EmailTaken
// and BadInvite.
func (t *Tracker) Signup(ctx context.Context, email, password, name, invite string) (*Session, error) {
	if err := t.Auth.CheckSignup(email, password); err != nil {
		return nil, err
	}
	name = strings.TrimSpace(name)
	if err := required("name", name, 255); err != nil {
		return nil, err
	}
	hash := t.Auth.HashPassword(password)
	s := &Session{}
	err := t.world.Write(ctx, func(tx *store.Tx) (err error) {
		if s.Account, err = t.Auth.CreateAccount(tx, Service, auth.Account{Email: email, Name: name}, hash); err != nil {
			return err
		}
		tenant, subject := "", ""
		if invite != "" {
			if s.Organization, s.User, err = t.join(ctx, tx, s.Account, invite); err != nil {
				return err
			}
			tenant, subject = s.Organization.ID, s.User.ID
		}
		if err := t.claim(tx, s.Account); err != nil {
			return err
		}
		if tenant, subject, err = t.choose(tx, s.Account.ID, tenant, subject); err != nil {
			return err
		}
		s.Grant, err = t.Auth.SignIn(tx, Service, s.Account.ID, tenant, subject)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, t.fillSession(ctx, s)
}

// claim connects a new account with the active members that have its e-mail address and
// no account, such as seeded ones. It does nothing if clients may come from other
// machines, because the address is not verified.
func (t *Tracker) claim(tx *store.Tx, acc auth.Account) error {
	if t.Exposed {
		return nil
	}
	found, err := Users.Select(tx, "WHERE t.email = ? AND t.account = '' AND t.active AND t.email <> '' ORDER BY t.org, t.id", acc.Email)
	if err != nil {
		return err
	}
	for _, u := range found {
		if err := updateAccount(tx, u, acc.ID); err != nil {
			return err
		}
	}
	return nil
}

// Login signs an account in, as the user of its oldest organization. It
// returns auth.BadLogin or auth.TooManyFailures.
func (t *Tracker) Login(ctx context.Context, in auth.Attempt) (*Session, error) {
	account, err := t.Auth.CheckPassword(ctx, Service, in)
	if err != nil {
		return nil, err
	}
	s := &Session{Account: account}
	err = t.world.Write(ctx, func(tx *store.Tx) (err error) {
		tenant, subject, err := t.choose(tx, account.ID, "", "")
		if err != nil {
			return err
		}
		s.Grant, err = t.Auth.SignIn(tx, Service, account.ID, tenant, subject)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, t.fillSession(ctx, s)
}

// choose returns the organization and user of a session: tenant and subject if tenant
// is not "", otherwise those of the account's oldest organization.
func (t *Tracker) choose(tx *store.Tx, account, tenant, subject string) (string, string, error) {
	if tenant != "" {
		return tenant, subject, nil
	}
	users, err := UserByAccount(tx, account)
	if err != nil || len(users) == 0 {
		return "", "", err
	}
	return users[0].Org, users[0].ID, nil
}

// Refresh exchanges a refresh token for a new session. It returns the errors of
// auth.Refresh.
func (t *Tracker) Refresh(ctx context.Context, token string) (*Session, error) {
	g, err := t.Auth.Refresh(ctx, Service, token, t.choose)
	if err != nil {
		return nil, err
	}
	s := &Session{Grant: g}
	return s, t.fillSession(ctx, s)
}

func (t *Tracker) fillSession(ctx context.Context, s *Session) error {
	return t.world.Read(ctx, func(tx *store.Tx) (err error) {
		if s.Account, _, err = t.Auth.Account(tx, Service, s.Grant.Account); err != nil || s.Tenant == "" {
			return err
		}
		v := &View{Scope: t.scope(tx, s.Tenant, s.Subject, 0), t: t}
		if s.User, err = Users.Find(v, s.Subject); err == nil {
			s.Organization, err = Organizations.Find(v, s.Tenant)
		}
		return err
	})
}

// Logout ends a session: the one of the refresh token, or the caller's.
func (t *Tracker) Logout(ctx context.Context, p *auth.Principal, token string) error {
	return t.world.Write(ctx, func(tx *store.Tx) error {
		if token != "" {
			return t.Auth.SignOut(tx, Service, token)
		}
		if p == nil || p.Kind != auth.Session {
			return nil
		}
		return t.Auth.EndSession(tx, p)
	})
}

// ChangePassword replaces the caller's password. It returns Forbidden unless the
// caller is a session, and the errors of auth.ChangePassword.
func (t *Tracker) ChangePassword(ctx context.Context, p *auth.Principal, in auth.PasswordChange) error {
	if p.Kind != auth.Session {
		return Forbidden.Detailf("Changing a password needs a session; an API key is not enough.")
	}
	return t.Auth.ChangePassword(ctx, p, p.Account, in)
}

// Found creates an organization for a signed-in account and moves the session
// into it. It returns Forbidden unless the caller is a session, BadArgument,
// NameTaken.
func (t *Tracker) Found(ctx context.Context, p *auth.Principal, name, urlKey string) (*Session, error) {
	if p.Kind != auth.Session {
		return nil, Forbidden.Detailf("Creating an organization needs a session; an API key is not enough.")
	}
	s := &Session{}
	err := t.world.Write(ctx, func(tx *store.Tx) (err error) {
		var found bool
		if s.Account, found, err = t.Auth.Account(tx, Service, p.Account); err != nil || !found {
			return orElse(err, auth.Invalid)
		}
		if s.Organization, s.User, err = t.CreateOrganization(tx, CreateOrganization{Name: name, URLKey: urlKey, Account: s.Account}); err != nil {
			return err
		}
		s.Grant, err = t.Auth.SignIn(tx, Service, s.Account.ID, s.Organization.ID, s.User.ID)
		return err
	})
	return s, err
}

// APIKey is a personal key, without its text.
type APIKey struct {
	ID      string
	Label   string
	Created int64
}

// keyPrefix is the prefix of personal API keys.
const keyPrefix = "trk_api_"

// CreateAPIKey creates a key that acts as the caller's user. No other function returns
// the text of the key. It returns NoOrganization and BadArgument.
func (t *Tracker) CreateAPIKey(ctx context.Context, p *auth.Principal, label string) (k APIKey, text string, err error) {
	if err := required("label", label, 255); err != nil {
		return k, "", err
	}
	text = keyPrefix + t.IDs.Secret(40)
	err = t.world.Write(ctx, func(tx *store.Tx) error {
		v, err := t.view(tx, p, 0)
		if err != nil {
			return err
		}
		k = APIKey{ID: t.IDs.UUID(), Label: label, Created: v.Micros()}
		return t.Auth.Issue(tx, text, auth.Token{Service: Service, ID: k.ID, Kind: auth.Key, Tenant: p.Tenant, Subject: p.Subject, Label: label})
	})
	return k, text, err
}

// APIKeys lists the caller's keys, oldest first. It returns NoOrganization.
func (t *Tracker) APIKeys(ctx context.Context, p *auth.Principal) (out []APIKey, err error) {
	out = []APIKey{}
	err = t.world.Read(ctx, func(tx *store.Tx) error {
		if _, err := t.view(tx, p, 0); err != nil {
			return err
		}
		all, err := t.Auth.Tokens(tx, Service, p.Tenant, auth.Key)
		for _, k := range all {
			if k.Subject == p.Subject {
				out = append(out, APIKey{k.ID, k.Label, k.Created})
			}
		}
		return err
	})
	return out, err
}

// RevokeAPIKey revokes one of the caller's keys. It returns NoOrganization and
// NotFound.
func (t *Tracker) RevokeAPIKey(ctx context.Context, p *auth.Principal, id string) error {
	mine, err := t.APIKeys(ctx, p)
	if err != nil {
		return err
	}
	for _, k := range mine {
		if k.ID == id {
			return t.world.Write(ctx, func(tx *store.Tx) error {
				_, err := t.Auth.Revoke(tx, Service, p.Tenant, id)
				return err
			})
		}
	}
	return notFound("ApiKey")
}

// Provision describes the first organization of a world, with its owner and a
// key.
type Provision struct {
	Organization CreateOrganization
	PasswordHash string
	Key          string
}

// Provision creates the first organization of a world.
func (t *Tracker) Provision(ctx context.Context, in Provision) error {
	return t.world.Write(ctx, func(tx *store.Tx) error {
		account, err := t.Auth.CreateAccount(tx, Service, in.Organization.Account, in.PasswordHash)
		if err != nil {
			return err
		}
		in.Organization.Account = account
		o, u, err := t.CreateOrganization(tx, in.Organization)
		if err != nil {
			return err
		}
		return t.Auth.Issue(tx, in.Key, auth.Token{Service: Service, ID: t.IDs.UUID(), Kind: auth.Key, Tenant: o.ID, Subject: u.ID, Label: "default"})
	})
}

// CreateAccounts creates an account without a password for every member that has
// no account, in the order of ids. Members with the same address share one.
func (t *Tracker) CreateAccounts(tx *store.Tx) error {
	all, err := Users.Select(tx, "WHERE t.account = '' AND t.active AND t.email <> '' ORDER BY t.org, t.id")
	if err != nil {
		return err
	}
	for _, u := range all {
		acc, err := t.Auth.EnsureAccount(tx, Service, auth.Account{Email: u.Email, Name: u.Name})
		if err != nil {
			return err
		}
		if err := updateAccount(tx, u, acc.ID); err != nil {
			return err
		}
	}
	return nil
}
