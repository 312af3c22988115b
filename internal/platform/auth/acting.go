package auth

import (
	"context"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"understudy/internal/platform/store"
)

// ActAs asks for a session to act as someone.
type ActAs struct {
	Service  string
	Kind     Kind
	Prefix   string // of the token's text; not of a JWT
	Person   Person
	Scopes   []string
	Tier     string
	Lifetime time.Duration // on the environment's clock
	Agent    bool          // what is done with it counts as the agent's work
}

// ActAs begins a session as someone and returns its token and when it ends. The
// session is no account's, draws nothing from a seed, and is in no copy and no
// diff of the world.
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

// resolveActing returns whom an acting session stands for, by its token or the
// family of its JWT; nil for one that is unknown.
func resolveActing(tx *store.Tx, service, key string) (*Principal, error) {
	p, found, err := getActing(tx, service, Hash(key))
	if err != nil || !found {
		return nil, err
	}
	p.scopeText = strings.Join(p.Scopes, ",")
	return &p, nil
}

// EndActing ends all sessions of ActAs, in a world that is put back to an earlier
// state: no copy has them.
func EndActing(tx *store.Tx) error { return deleteAllActing(tx) }
