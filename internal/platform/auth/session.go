package auth

import (
	"context"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"understudy/internal/platform/store"
)

const (
	// SessionLifetime is how long an access token (JWT) is valid.
	SessionLifetime = time.Hour
	// RefreshLifetime is how long a refresh token is valid.
	RefreshLifetime = 30 * 24 * time.Hour
)

// Grant is the result of a sign-in.
type Grant struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    int64 // seconds
	Account      string
	Tenant       string
	Subject      string
}

// claims are the JWT claims of a session: sub is the account.
type claims struct {
	jwt.RegisteredClaims
	Service string `json:"svc"`
	Tenant  string `json:"tnt,omitempty"`
	User    string `json:"usr,omitempty"`
	Family  string `json:"fam"`
}

// SignIn creates a session of an account as a user of a tenant; both may be "".
func (a *Auth) SignIn(tx *store.Tx, service, account, tenant, subject string) (Grant, error) {
	family, err := a.beginSession(tx, service, account, RefreshLifetime)
	if err != nil {
		return Grant{}, err
	}
	return a.grant(tx, refresh{service: service, family: family, account: account, tenant: tenant, subject: subject})
}

// beginSession stores a session of an account, and removes expired ones.
func (a *Auth) beginSession(tx *store.Tx, service, account string, lifetime time.Duration) (family string, err error) {
	now := a.clock.Now()
	if err := deleteExpired(tx, now.UnixMicro()); err != nil {
		return "", err
	}
	family = a.ids.Secret(16)
	return family, insertSession(tx, service, family, account, now.Add(lifetime).UnixMicro())
}

func (a *Auth) grant(tx *store.Tx, r refresh) (Grant, error) {
	now := a.clock.Now()
	text := "rt_" + a.ids.Secret(40)
	r.expires = now.Add(RefreshLifetime).UnixMicro()
	if err := insertRefresh(tx, Hash(text), r); err != nil {
		return Grant{}, err
	}
	if err := extendSession(tx, r.service, r.family, r.expires); err != nil {
		return Grant{}, err
	}
	access, err := a.AccessToken(r.service, r.family, r.account, r.tenant, r.subject)
	return Grant{AccessToken: access, RefreshToken: text, ExpiresIn: int64(SessionLifetime / time.Second),
		Account: r.account, Tenant: r.tenant, Subject: r.subject}, err
}

// AccessToken returns a JWT of a session's family for another tenant and user,
// without a refresh token: the session can use another workspace for a while.
func (a *Auth) AccessToken(service, family, account, tenant, subject string) (string, error) {
	now := a.clock.Now()
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: account, ID: a.ids.Secret(12),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(SessionLifetime)),
		},
		Service: service, Tenant: tenant, User: subject, Family: family,
	}).SignedString(a.jwtKey)
}

// LoneAccessToken is AccessToken for a caller without a session: it creates one
// that ends with this token.
func (a *Auth) LoneAccessToken(tx *store.Tx, service, account, tenant, subject string) (string, error) {
	family, err := a.beginSession(tx, service, account, SessionLifetime)
	if err != nil {
		return "", err
	}
	return a.AccessToken(service, family, account, tenant, subject)
}

// Refresh exchanges a refresh token for a new grant. choose may move the session
// to another tenant and user; it may be nil. A token that was used before ends
// its whole family, since it may have been stolen. It returns Invalid or Expired.
func (a *Auth) Refresh(ctx context.Context, service, text string,
	choose func(tx *store.Tx, account, tenant, subject string) (newTenant, newSubject string, err error)) (Grant, error) {
	var g Grant
	var reused bool
	hash := Hash(text)
	err := a.world.Write(ctx, func(tx *store.Tx) error {
		reused = false
		r, found, err := getRefresh(tx, service, hash)
		switch {
		case err != nil:
			return err
		case !found:
			return Invalid.At("refresh_token")
		case r.used:
			reused = true // the family must be removed, so this transaction must commit
			return a.endFamily(tx, service, r.family)
		case r.expires <= a.clock.Micros():
			return Expired.At("refresh_token")
		}
		if err := useRefresh(tx, hash); err != nil {
			return err
		}
		if choose != nil {
			if r.tenant, r.subject, err = choose(tx, r.account, r.tenant, r.subject); err != nil {
				return err
			}
		}
		g, err = a.grant(tx, r)
		return err
	})
	if err == nil && reused {
		err = Invalid.At("refresh_token")
	}
	return g, err
}

// SignOut ends the family of a refresh token; it ignores an unknown one.
func (a *Auth) SignOut(tx *store.Tx, service, text string) error {
	r, found, err := getRefresh(tx, service, Hash(text))
	if err != nil || !found {
		return err
	}
	return a.endFamily(tx, service, r.family)
}

// EndSession ends the family of a session.
func (a *Auth) EndSession(tx *store.Tx, p *Principal) error {
	return a.endFamily(tx, p.Service, p.TokenID)
}

// EndSessions ends all sessions of an account except but, which may be "".
func (a *Auth) EndSessions(tx *store.Tx, service, account, but string) error {
	tx.AfterCommit(a.ended)
	return endSessions(tx, service, account, but)
}

// endFamily ends a session: it removes the refresh tokens and revokes the access
// tokens. It also ends sessions of ActAs.
func (a *Auth) endFamily(tx *store.Tx, service, family string) error {
	tx.AfterCommit(a.ended)
	if err := deleteActing(tx, service, family); err != nil {
		return err
	}
	return endSession(tx, service, family)
}

// parseSession parses a JWT. It returns Invalid, also for a session of another
// environment, and Revoked for a session that was ended. Resolve checks the
// expiry, on the environment's clock.
func (a *Auth) parseSession(ctx context.Context, service, text string) (*Principal, error) {
	var c claims
	_, err := jwt.ParseWithClaims(text, &c, func(*jwt.Token) (any, error) { return a.jwtKey, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithoutClaimsValidation())
	if err != nil || c.Service != service || c.ExpiresAt == nil {
		return nil, Invalid
	}
	var account string
	var found, ended bool
	var acting *Principal
	err = a.world.Read(ctx, func(tx *store.Tx) (err error) {
		if account, ended, found, err = getSession(tx, service, c.Family); err == nil && !found {
			acting, err = resolveActing(tx, service, c.Family)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case acting != nil: // it may have moved to another workspace since
		acting.Tenant, acting.Subject, acting.Expires = c.Tenant, c.User, c.ExpiresAt.UnixMicro()
		return acting, nil
	case !found || account != c.Subject: // of another environment, or from before a reset
		return nil, Invalid
	case ended:
		return nil, Revoked
	}
	return &Principal{Service: service, Kind: Session, TokenID: c.Family, Tenant: c.Tenant, Subject: c.User,
		Account: c.Subject, Expires: c.ExpiresAt.UnixMicro()}, nil
}
