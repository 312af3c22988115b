package auth

import (
	"context"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"understudy/internal/platform/store"
)

// ActAs are the parameters of Auth.ActAs.
type ActAs struct {
	Service  string
	Kind     Kind
	Prefix   string // of an opaque token; unused for a JWT
	Person   Person
	Scopes   []string
	Tier     string
	Lifetime time.Duration // on the environment's clock
	Agent    bool          // its requests count as the agent's
}

// ActAs creates a session as a user and returns its token and expiry. The session
// belongs to no account, draws nothing from the seeded source, and is neither
// copied nor part of a diff.
func (a *Auth) ActAs(ctx context.Context, in ActAs) (token string, expires time.Time, err error) {
	now := a.clock.Now()
	expires = now.Add(in.Lifetime)
	id := "acting-" + a.acting.Hex(24)
	token = in.Prefix + a.acting.Hex(48)
	key := token
	if in.Kind == Session {
		key = id
		token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
			RegisteredClaims: jwt.RegisteredClaims{Subject: in.Person.Account, ID: a.acting.Hex(24),
				IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires)},
			Service: in.Service, Tenant: in.Person.Tenant, User: in.Person.ID, Family: id,
		}).SignedString(a.jwtKey)
		if err != nil {
			return "", expires, err
		}
	}
	p := Principal{Service: in.Service, Kind: in.Kind, TokenID: id, Tenant: in.Person.Tenant, Subject: in.Person.ID,
		Account: in.Person.Account, Scopes: in.Scopes, Tier: in.Tier, Expires: expires.UnixMicro(), Agent: in.Agent}
	err = a.world.Write(ctx, func(tx *store.Tx) error {
		if err := deleteActingBefore(tx, now.UnixMicro()); err != nil {
			return err
		}
		return insertActing(tx, Hash(key), p)
	})
	return token, expires, err
}

// resolveActing returns the principal of an acting session, by its token or the
// family of its JWT; nil for an unknown one.
func resolveActing(tx *store.Tx, service, key string) (*Principal, error) {
	p, found, err := getActing(tx, service, Hash(key))
	if err != nil || !found {
		return nil, err
	}
	p.scopeText = strings.Join(p.Scopes, ",")
	return &p, nil
}

// EndActing ends all sessions of ActAs, in a world that has been restored: they
// are not part of copies.
func EndActing(tx *store.Tx) error { return deleteAllActing(tx) }
