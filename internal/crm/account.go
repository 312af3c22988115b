package crm

import (
	"context"
	"slices"
	"strconv"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// CannotMint means that the caller's credential may not create tokens.
var CannotMint = fault.New(fault.Forbidden, "cannot_mint", "This credential may not create access tokens.")

// NoSuchToken means that the portal has no private-app token with the id.
var NoSuchToken = fault.New(fault.NotFound, "no_such_token", "There is no access token with this id.")

// NotSignedIn means that the call needs a session of a person.
var NotSignedIn = fault.New(fault.Forbidden, "not_signed_in", "Only a signed-in person may do this; an access token is not enough.")

// SignedIn is a session of a person in a portal.
type SignedIn struct {
	auth.Grant
	Portal, User int64
}

// SignIn creates a session. It returns auth.BadLogin or auth.TooManyFailures.
func (c *CRM) SignIn(ctx context.Context, in auth.Attempt) (out SignedIn, err error) {
	acc, err := c.auth.CheckPassword(ctx, Name, in)
	if err != nil {
		return out, err
	}
	err = c.world.Write(ctx, func(tx *store.Tx) error {
		portal, u, err := c.userOfAccount(tx, acc.ID)
		if err != nil {
			return err
		}
		out.Portal, out.User = portal, u.ID
		out.Grant, err = c.auth.SignIn(tx, Name, acc.ID, strconv.FormatInt(portal, 10), strconv.FormatInt(u.ID, 10))
		return err
	})
	return out, err
}

// Principal returns the principal of the new session, for further calls within
// the same request.
func (s SignedIn) Principal() *auth.Principal {
	return &auth.Principal{Service: Name, Kind: auth.Session, Tenant: strconv.FormatInt(s.Portal, 10), Subject: strconv.FormatInt(s.User, 10), Account: s.Account}
}

// MintToken are the parameters of MintPrivateToken.
type MintToken struct {
	Name   string
	Scopes []string // empty for all
	Tier   string
}

// Minted is a new token. Only this value contains its text.
type Minted struct {
	ID      string
	Text    string
	Scopes  []string
	Tier    string
	Portal  int64
	Created int64 // microseconds
}

// MintPrivateToken creates a private-app token in the caller's portal. It returns
// CannotMint for OAuth tokens and for scopes that the caller lacks.
func (c *CRM) MintPrivateToken(ctx context.Context, p *auth.Principal, in MintToken) (out Minted, err error) {
	limited := p.Kind == auth.Key && len(p.Scopes) > 0
	if p.Kind == auth.OAuth {
		return out, CannotMint
	}
	if limited {
		if len(in.Scopes) == 0 {
			in.Scopes = p.Scopes
		}
		for _, s := range in.Scopes {
			if !slices.Contains(p.Scopes, s) {
				return out, CannotMint.Detailf("A token can only create tokens with scopes that it has itself; it does not have %s.", s)
			}
		}
	}
	out = Minted{Text: "pat-na1-" + c.ids.SecretUUID(), Scopes: in.Scopes, Tier: in.Tier, Portal: portalOf(p), Created: c.now()}
	err = c.world.Write(ctx, func(tx *store.Tx) error {
		n, err := nextIn(tx, "token", 2, 1)
		if err != nil {
			return err
		}
		out.ID = strconv.FormatInt(n, 10)
		return c.auth.Issue(tx, out.Text, auth.Token{Service: Name, ID: out.ID, Kind: auth.Key, Tenant: p.Tenant, Subject: p.Subject,
			App: out.ID, Scopes: in.Scopes, Label: in.Name, Tier: in.Tier})
	})
	return out, err
}

// administers returns CannotMint for a credential that may not administer its
// portal's tokens and clients: an OAuth token, or a token that is limited to
// scopes.
func administers(p *auth.Principal) error {
	if p.Kind == auth.Session || p.Kind == auth.Key && len(p.Scopes) == 0 {
		return nil
	}
	return CannotMint.Detailf("This credential may not administer the portal's access tokens and clients.")
}

// PrivateTokens lists the valid private-app tokens of the caller's portal, oldest
// first. It returns CannotMint.
func (c *CRM) PrivateTokens(ctx context.Context, p *auth.Principal) (out []auth.Token, err error) {
	if err := administers(p); err != nil {
		return nil, err
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		out, err = c.auth.Tokens(tx, Name, p.Tenant, auth.Key)
		return err
	})
	return out, err
}

// RevokePrivateToken revokes a private-app token of the caller's portal. It
// returns CannotMint and NoSuchToken.
func (c *CRM) RevokePrivateToken(ctx context.Context, p *auth.Principal, id string) error {
	if err := administers(p); err != nil {
		return err
	}
	return c.world.Write(ctx, func(tx *store.Tx) error {
		// Only private-app tokens: OAuth tokens are in the same table.
		all, err := c.auth.Tokens(tx, Name, p.Tenant, auth.Key)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all, func(t auth.Token) bool { return t.ID == id }) {
			return NoSuchToken
		}
		_, err = c.auth.Revoke(tx, Name, p.Tenant, id)
		return err
	})
}

// ChangePassword replaces the caller's password. It returns NotSignedIn for a
// credential that is not a session, and the errors of auth.ChangePassword.
func (c *CRM) ChangePassword(ctx context.Context, p *auth.Principal, in auth.PasswordChange) error {
	if p.Kind != auth.Session {
		return NotSignedIn
	}
	return c.auth.ChangePassword(ctx, p, p.Account, in)
}

// RenewClient replaces the secret of an OAuth client and revokes its access
// tokens. Its refresh tokens remain, since they are useless without the secret.
func (c *CRM) RenewClient(tx *store.Tx, id, secret string) error {
	cl, _, found, err := getClient(tx, id)
	if err != nil || !found {
		return err
	}
	if err := c.auth.RevokeSubject(tx, Name, strconv.FormatInt(cl.Portal, 10), "", strconv.FormatInt(cl.App, 10)); err != nil {
		return err
	}
	return updateClientSecret(tx, id, auth.Hash(secret))
}
