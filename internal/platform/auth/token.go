package auth

import (
	"context"
	"strings"
	"time"

	"understudy/internal/platform/store"
)

// Token is an opaque token as stored.
type Token struct {
	Service string
	ID      string // chosen by the service, unique in its tenant
	Kind    Kind
	Tenant  string
	Subject string
	App     string
	Scopes  []string
	Label   string // a name for people
	Tier    string
	Created int64 // microseconds
	Expires int64 // microseconds; 0 for never
	Revoked int64 // microseconds; 0 unless revoked
}

// Issue stores a token; of its text only the sha256. It replaces a token with the
// same text.
func (a *Auth) Issue(tx *store.Tx, text string, t Token) error {
	t.Created = a.clock.Micros()
	tx.AfterCommit(func() { a.cache.Clear() })
	return insertToken(tx, Hash(text), t)
}

// Known reports whether a text is a token of the service, even a revoked one.
func (a *Auth) Known(tx *store.Tx, service, text string) (bool, error) {
	_, found, err := getToken(tx, service, Hash(text))
	return found, err
}

// Revoke revokes the token with an id. It reports whether there was a valid one.
func (a *Auth) Revoke(tx *store.Tx, service, tenant, id string) (bool, error) {
	tx.AfterCommit(a.ended)
	return revokeToken(tx, service, tenant, id, a.clock.Micros())
}

// RevokeAll revokes all tokens and ends all sessions of all services.
func (a *Auth) RevokeAll(tx *store.Tx) error {
	tx.AfterCommit(a.ended)
	return revokeAll(tx, a.clock.Micros())
}

// Renew replaces the text of a token and keeps its other fields. It revokes the
// old text. A revoked token becomes valid again, under its new text.
func (a *Auth) Renew(tx *store.Tx, service, old, text string) error {
	t, found, err := getToken(tx, service, Hash(old))
	if err != nil || !found {
		return err
	}
	if err := retireToken(tx, service, t.Tenant, t.ID, t.ID+"~"+Hash(text)[:12], a.clock.Micros()); err != nil {
		return err
	}
	tx.AfterCommit(a.ended)
	t.Revoked = 0
	return a.Issue(tx, text, t)
}

// Reword replaces the text of a token that nobody has received. Unlike with
// Renew, the old text becomes unknown instead of revoked.
func (a *Auth) Reword(tx *store.Tx, service, old, text string) error {
	tx.AfterCommit(func() { a.cache.Clear() })
	return updateHash(tx, service, Hash(old), Hash(text))
}

// InForce reports whether there is a token with an id that was not revoked.
func (a *Auth) InForce(tx *store.Tx, service, tenant, id string) (bool, error) {
	_, found, err := tokenByID(tx, service, tenant, id)
	return found, err
}

// RevokeSubject revokes all tokens of a user, or of an app if subject is "".
func (a *Auth) RevokeSubject(tx *store.Tx, service, tenant, subject, app string) error {
	tx.AfterCommit(a.ended)
	return revokeTokens(tx, service, tenant, subject, app, a.clock.Micros())
}

// Tokens lists the valid tokens of a tenant that are of one of the kinds, oldest
// first.
func (a *Auth) Tokens(tx *store.Tx, service, tenant string, kinds ...Kind) ([]Token, error) {
	return listTokens(tx, service, tenant, kinds)
}

// Resolve returns the principal of a token of a service. It returns Missing,
// Invalid, Revoked, or Expired with the time since the expiry as a time.Duration.
// It recognizes JWTs by their form. The Principal is shared: do not change it.
func (a *Auth) Resolve(ctx context.Context, service, text string) (*Principal, error) {
	if text == "" {
		return nil, Missing
	}
	if len(text) > 4096 {
		return nil, Invalid
	}
	key := cacheKey{service, text}
	p, known, epoch := a.cache.Get(key)
	if !known {
		var err error
		if strings.Count(text, ".") == 2 && strings.HasPrefix(text, "ey") {
			p, err = a.parseSession(ctx, service, text)
		} else {
			p, err = a.lookUp(ctx, service, text)
		}
		if err != nil {
			return nil, err
		}
		a.cache.Put(key, p, epoch)
	}
	if p.Expires != 0 && p.Expires <= a.clock.Micros() {
		return nil, Expired.With(time.Duration(a.clock.Micros()-p.Expires) * time.Microsecond)
	}
	return p, nil
}

func (a *Auth) lookUp(ctx context.Context, service, text string) (*Principal, error) {
	var t Token
	var found bool
	var acting *Principal
	err := a.world.Read(ctx, func(tx *store.Tx) (err error) {
		if t, found, err = getToken(tx, service, Hash(text)); err == nil && !found {
			acting, err = resolveActing(tx, service, text)
		}
		return err
	})
	switch {
	case err != nil || acting != nil:
		return acting, err
	case !found:
		return nil, Invalid
	case t.Revoked != 0:
		return nil, Revoked
	}
	return &Principal{Service: service, Kind: t.Kind, TokenID: t.ID, Tenant: t.Tenant, Subject: t.Subject,
		App: t.App, Scopes: t.Scopes, Tier: t.Tier, Expires: t.Expires, scopeText: strings.Join(t.Scopes, ",")}, nil
}
