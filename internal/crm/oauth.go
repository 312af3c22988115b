package crm

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/store"
)

const (
	// AccessLifetime is how long an OAuth access token is valid.
	AccessLifetime = 30 * time.Minute
	// codeLifetime is how long an authorization code is valid.
	codeLifetime = time.Minute
)

// AllScopes are all existing scopes.
var AllScopes = []string{"oauth", "crm.objects.contacts.read", "crm.objects.contacts.write", "crm.objects.companies.read",
	"crm.objects.companies.write", "crm.objects.deals.read", "crm.objects.deals.write", "tickets", "crm.objects.owners.read",
	"crm.schemas.contacts.read", "crm.schemas.contacts.write", "crm.schemas.companies.read", "crm.schemas.companies.write",
	"crm.schemas.deals.read", "crm.schemas.deals.write"}

// Client is a registered OAuth client. It belongs to a portal, but users of any
// portal can grant it access.
type Client struct {
	ID     string
	Portal int64
	App    int64
	Name   string
	Secret string // the text on registration; only its sha256 is stored

	Redirects []string // allowed redirect URIs besides loopback addresses
}

// RegisterClient stores a client.
func (c *CRM) RegisterClient(ctx context.Context, in Client) error {
	return c.world.Write(ctx, func(tx *store.Tx) error { return insertClient(tx, in, auth.Hash(in.Secret)) })
}

// Authorize is an authorization request for a user.
type Authorize struct {
	ClientID, RedirectURI string
	Scopes                []string
	Challenge, Method     string // PKCE; "" for none and for S256, the only method
}

// grant is a code or a refresh token as stored.
type grant struct {
	kind, client           string // kind is "code" or "refresh"
	portal, user           int64
	scopes                 []string
	redirectURI, challenge string
	expires                int64 // microseconds, 0 for never
}

// Tokens is the result of an exchange.
type Tokens struct {
	AccessToken, RefreshToken string // RefreshToken is "" for client_credentials
	ExpiresIn                 int64  // seconds
	Portal, User              int64
	Scopes                    []string
}

// Exchange is a token request.
type Exchange struct {
	GrantType, ClientID, ClientSecret       string
	Code, RedirectURI, RefreshToken, Verify string
	Scopes                                  []string
}

func badGrant(word, format string, args ...any) *fault.Error {
	return BadGrant.Detailf(format, args...).At(word)
}

// CheckAuthorize returns the client of an authorization request. It returns
// BadGrant.
func (c *CRM) CheckAuthorize(ctx context.Context, in Authorize) (cl Client, err error) {
	if in.Method != "" && in.Method != "S256" {
		return cl, badGrant("BAD_CODE_CHALLENGE_METHOD", "the code challenge method must be S256")
	}
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		var found bool
		cl, _, found, err = getClient(tx, in.ClientID)
		if err == nil && !found {
			err = badGrant("BAD_CLIENT_ID", "missing or unknown client id")
		}
		return err
	})
	if err == nil {
		err = cl.checkRedirect(in.RedirectURI)
	}
	return cl, err
}

// GrantCode returns a code that the client can exchange once for tokens of the
// caller's portal. It returns BadGrant.
func (c *CRM) GrantCode(ctx context.Context, p *auth.Principal, in Authorize) (string, error) {
	if _, err := c.CheckAuthorize(ctx, in); err != nil {
		return "", err
	}
	code := c.ids.SecretUUID()
	if len(in.Scopes) == 0 {
		in.Scopes = AllScopes
	}
	return code, c.world.Write(ctx, func(tx *store.Tx) error {
		return insertGrant(tx, auth.Hash(code), grant{kind: "code", client: in.ClientID, portal: portalOf(p), user: userOf(p), scopes: in.Scopes,
			redirectURI: in.RedirectURI, challenge: in.Challenge, expires: c.clock.Now().Add(codeLifetime).UnixMicro()})
	})
}

// ExchangeTokens returns tokens for a code, a refresh token (which remains valid)
// or the client's own credentials. It returns BadGrant.
func (c *CRM) ExchangeTokens(ctx context.Context, in Exchange) (out Tokens, err error) {
	err = c.world.Write(ctx, func(tx *store.Tx) error {
		if in.GrantType == "" {
			return badGrant("BAD_GRANT_TYPE", "missing grant type")
		}
		cl, err := checkClient(tx, ClientSecret{in.ClientID, in.ClientSecret})
		if err != nil {
			return err
		}
		g, err := c.grantOf(tx, cl, in)
		if err != nil {
			return err
		}
		if in.GrantType == "authorization_code" {
			in.RefreshToken = "ort-na1-" + c.ids.Secret(40)
			stored := grant{kind: "refresh", client: cl.ID, portal: g.portal, user: g.user, scopes: g.scopes}
			if err := insertGrant(tx, auth.Hash(in.RefreshToken), stored); err != nil {
				return err
			}
		}
		out = Tokens{AccessToken: "oat-na1-" + c.ids.Secret(48), RefreshToken: in.RefreshToken, ExpiresIn: int64(AccessLifetime / time.Second),
			Portal: g.portal, User: g.user, Scopes: g.scopes}
		if in.GrantType == "client_credentials" {
			out.RefreshToken = ""
		}
		id := c.ids.UUID()
		if out.RefreshToken != "" {
			id = familyOf(out.RefreshToken) + id
		}
		return c.auth.Issue(tx, out.AccessToken, auth.Token{Service: Name, ID: id, Kind: auth.OAuth, Tenant: strconv.FormatInt(g.portal, 10),
			Subject: strconv.FormatInt(g.user, 10), App: strconv.FormatInt(cl.App, 10), Scopes: g.scopes, Label: cl.Name,
			Expires: c.clock.Now().Add(AccessLifetime).UnixMicro()})
	})
	return out, err
}

// grantOf returns the grant of an exchange: that of its code, of its refresh
// token, or of the client.
func (c *CRM) grantOf(tx *store.Tx, cl Client, in Exchange) (grant, error) {
	switch in.GrantType {
	case "client_credentials":
		if len(in.Scopes) == 0 {
			in.Scopes = AllScopes
		}
		return grant{portal: cl.Portal, scopes: in.Scopes}, nil
	case "refresh_token":
		g, found, err := getGrant(tx, auth.Hash(in.RefreshToken), true)
		if err == nil && (!found || g.kind != "refresh" || g.client != cl.ID) {
			err = badGrant("BAD_REFRESH_TOKEN", "missing or unknown refresh token")
		}
		return g, err
	case "authorization_code":
		g, found, err := getGrant(tx, auth.Hash(in.Code), true)
		switch {
		case err != nil:
			return g, err
		case !found || g.kind != "code" || g.client != cl.ID || g.expires <= c.clock.Micros():
			return g, badGrant("BAD_AUTH_CODE", "missing or unknown auth code")
		case g.redirectURI != in.RedirectURI:
			return g, badGrant("BAD_REDIRECT_URI", "the redirect uri is not that of the authorization")
		case g.challenge != "" && g.challenge != challengeOf(in.Verify):
			return g, badGrant("BAD_AUTH_CODE", "the code verifier does not match")
		}
		return g, deleteGrant(tx, auth.Hash(in.Code))
	}
	return grant{}, badGrant("BAD_GRANT_TYPE", "unknown grant type %q", in.GrantType)
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// TokenInfo describes an access or refresh token.
type TokenInfo struct {
	User, Client string
	UserID       int64
	Portal, App  int64
	Scopes       []string
	ExpiresIn    int64 // seconds
}

// AccessTokenInfo describes an access token. It returns TokenNotFound.
func (c *CRM) AccessTokenInfo(ctx context.Context, token string) (out TokenInfo, err error) {
	p, err := c.auth.Resolve(ctx, Name, token)
	if err != nil {
		if fault.KindOf(err) == fault.Unauthenticated {
			err = TokenNotFound
		}
		return out, err
	}
	app, _ := strconv.ParseInt(p.App, 10, 64)
	out = TokenInfo{UserID: userOf(p), Portal: portalOf(p), App: app, Scopes: p.Scopes}
	if p.Expires != 0 {
		out.ExpiresIn = max(p.Expires-c.clock.Micros(), 0) / int64(time.Second/time.Microsecond)
	}
	if len(out.Scopes) == 0 {
		out.Scopes = AllScopes
	}
	return out, c.addUserName(ctx, &out)
}

// RefreshTokenInfo describes a refresh token. It returns TokenNotFound.
func (c *CRM) RefreshTokenInfo(ctx context.Context, token string) (out TokenInfo, err error) {
	err = c.world.Read(ctx, func(tx *store.Tx) error {
		g, found, err := getGrant(tx, auth.Hash(token), false)
		if err == nil && (!found || g.kind != "refresh") {
			err = TokenNotFound
		}
		out = TokenInfo{Client: g.client, UserID: g.user, Portal: g.portal, Scopes: g.scopes}
		return err
	})
	if err != nil {
		return out, err
	}
	return out, c.addUserName(ctx, &out)
}

func (c *CRM) addUserName(ctx context.Context, t *TokenInfo) error {
	return c.world.Read(ctx, func(tx *store.Tx) error {
		u, _, err := getUser(tx, t.Portal, t.UserID)
		t.User = u.Email
		return err
	})
}

// RevokeRefreshToken revokes a refresh token. It returns TokenNotFound.
func (c *CRM) RevokeRefreshToken(ctx context.Context, token string) error {
	return c.world.Write(ctx, func(tx *store.Tx) error {
		g, found, err := getGrant(tx, auth.Hash(token), true)
		if err != nil {
			return err
		}
		if !found || g.kind != "refresh" {
			return TokenNotFound
		}
		return c.revokeGrant(tx, token, g)
	})
}

func splitScopes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
