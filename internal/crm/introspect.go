package crm

import (
	"context"
	"crypto/subtle"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

// ClientSecret is the credential of an OAuth client.
type ClientSecret struct{ ID, Secret string }

// checkClient returns the client with the secret. It returns BadGrant.
func checkClient(tx *store.Tx, in ClientSecret) (Client, error) {
	cl, hash, found, err := getClient(tx, in.ID)
	switch {
	case err != nil:
		return cl, err
	case !found:
		return cl, badGrant("BAD_CLIENT_ID", "missing or unknown client id")
	case subtle.ConstantTimeCompare([]byte(auth.Hash(in.Secret)), []byte(hash)) != 1:
		return cl, badGrant("BAD_CLIENT_SECRET", "missing or invalid client secret")
	}
	return cl, nil
}

// Introspected describes a token to its client.
type Introspected struct {
	TokenInfo
	Refresh bool // a refresh token
}

// IntrospectToken describes an access or refresh token; nil for a token that is
// unknown, has expired or belongs to another client. It returns BadGrant for a
// wrong client secret.
func (c *CRM) IntrospectToken(ctx context.Context, in ClientSecret, token string) (*Introspected, error) {
	var cl Client
	err := c.world.Read(ctx, func(tx *store.Tx) (err error) {
		cl, err = checkClient(tx, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	access, err := c.AccessTokenInfo(ctx, token)
	switch {
	case err == nil && access.App == cl.App && !strings.HasPrefix(token, privateAppPrefix):
		access.Client = cl.ID
		return &Introspected{TokenInfo: access}, nil
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return nil, err
	}
	refresh, err := c.RefreshTokenInfo(ctx, token)
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && refresh.Client != cl.ID {
		return nil, nil
	}
	refresh.App = cl.App
	return &Introspected{TokenInfo: refresh, Refresh: true}, err
}

// RevokeToken revokes an access token of a client, or a refresh token with its
// access tokens. It ignores a token that is unknown or belongs to another client.
// It returns BadGrant.
func (c *CRM) RevokeToken(ctx context.Context, in ClientSecret, token string) error {
	found, err := c.IntrospectToken(ctx, in, token)
	if err != nil || found == nil {
		return err
	}
	p, err := c.auth.Resolve(ctx, Name, token)
	if err != nil && fault.KindOf(err) != fault.Unauthenticated {
		return err
	}
	return c.world.Write(ctx, func(tx *store.Tx) error {
		if !found.Refresh {
			if p == nil {
				return nil // revoked meanwhile
			}
			_, err := c.auth.Revoke(tx, Name, p.Tenant, p.TokenID)
			return err
		}
		g, there, err := getGrant(tx, auth.Hash(token), true)
		if err != nil || !there {
			return err
		}
		return c.revokeGrant(tx, token, g)
	})
}

// revokeGrant revokes a refresh token and its access tokens.
func (c *CRM) revokeGrant(tx *store.Tx, token string, g grant) error {
	tenant := tenantOf(g.portal)
	tokens, err := c.auth.Tokens(tx, Name, tenant, auth.OAuth)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if t.Revoked == 0 && strings.HasPrefix(t.ID, familyOf(token)) {
			if _, err := c.auth.Revoke(tx, Name, tenant, t.ID); err != nil {
				return err
			}
		}
	}
	return deleteGrant(tx, auth.Hash(token))
}

// familyOf returns the prefix of the ids of a refresh token's access tokens.
func familyOf(refreshToken string) string { return auth.Hash(refreshToken)[:16] + "-" }

// privateAppPrefix is the prefix of private-app tokens.
const privateAppPrefix = "pat-"

// PrivateTokenInfo describes a private-app token. It returns TokenNotFound.
func (c *CRM) PrivateTokenInfo(ctx context.Context, token string) (TokenInfo, error) {
	if !strings.HasPrefix(token, privateAppPrefix) {
		return TokenInfo{}, TokenNotFound
	}
	return c.AccessTokenInfo(ctx, token)
}
