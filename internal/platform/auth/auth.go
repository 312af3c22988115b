// Package auth authenticates callers: opaque tokens, sessions (JWT with rotating
// refresh tokens) and accounts with passwords. Of tokens only the sha256 is
// stored. Authorization is up to the services; this package only stores the
// scopes of a token.
package auth

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"slices"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/cache"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema returns the tables of auth.
func Schema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "auth", Migrations: sub, Tables: map[string]store.Class{
		"auth_token": store.WorldClass, "auth_account": store.WorldClass, "auth_refresh": store.RuntimeClass,
		"auth_session": store.WorldClass, "auth_acting": store.RuntimeClass}}
}

// Kind is the kind of a credential.
type Kind string

// The kinds of credentials.
const (
	Bot     Kind = "bot"     // an app acting as its bot user
	User    Kind = "user"    // an app acting as a person
	Session Kind = "session" // a person who signed in: JWT
	Key     Kind = "key"     // an API key or private-app token
	OAuth   Kind = "oauth"   // an access token that an OAuth client was given
	Admin   Kind = "admin"   // the admin plane's key
)

// Principal is an authenticated caller with its credential.
type Principal struct {
	Service string
	Kind    Kind
	TokenID string   // id of the token; for a session, of its family
	Tenant  string   // workspace, portal, organization, project; "" for a session without one
	Subject string   // the user within the tenant
	Account string   // of sessions: the account that signed in
	App     string   // the app that the token was given to
	Scopes  []string // as granted, in order
	Tier    string   // credential class of the service, such as the CRM's "professional"
	Expires int64    // microseconds; 0 for never
	Acting  bool     // issued through the admin plane to act as a user, who may not know
	Agent   bool     // of an acting session: its requests count as the agent's

	scopeText string
}

// ScopeText returns the scopes joined by commas.
func (p *Principal) ScopeText() string { return p.scopeText }

// Has reports whether the principal has a scope.
func (p *Principal) Has(scope string) bool { return slices.Contains(p.Scopes, scope) }

// The errors of this package.
var (
	Missing    = fault.New(fault.Unauthenticated, "not_authed", "No credential was given.")
	Invalid    = fault.New(fault.Unauthenticated, "invalid_auth", "The credential is not valid.")
	Revoked    = fault.New(fault.Unauthenticated, "token_revoked", "The token has been revoked.")
	Expired    = fault.New(fault.Unauthenticated, "token_expired", "The token has expired.")
	EmailTaken = fault.New(fault.Conflict, "email_taken", "An account with this e-mail address exists.")
	BadLogin   = fault.New(fault.Unauthenticated, "invalid_credentials", "The e-mail address or the password is wrong.")
	BadEmail   = fault.New(fault.Invalid, "invalid_email", "This is not an e-mail address.")
)

// Auth authenticates the callers of one environment.
type Auth struct {
	world   *store.World
	clock   *clock.Clock
	ids     *ids.Source
	bus     *bus.Bus
	secrets *ids.Secrets
	jwtKey  []byte
	acting  *ids.Source // for acting sessions, which must not draw from the environment's sequence
	cache   *cache.Rows[cacheKey, *Principal]

	exposed  bool
	failures Throttle
}

// New returns the auth of an environment.
func New(w *store.World, c *clock.Clock, s *ids.Source, b *bus.Bus, secrets *ids.Secrets) *Auth {
	a := &Auth{world: w, clock: c, ids: s, bus: b, secrets: secrets, jwtKey: secrets.Bytes("jwt"), acting: ids.Random(),
		cache: cache.NewRows[cacheKey, *Principal](b, tokensChanged, cacheSize)}
	return a
}

// Expose declares that clients may be on other machines: common passwords are
// then rejected. Call it before the first request.
func (a *Auth) Expose() { a.exposed = true }

// tokensChanged is the topic of the cache of principals. Any change of a token
// clears the cache: changes are rare, and refilling takes one lookup for each
// entry.
const tokensChanged bus.Topic = "auth.tokens"

// cacheSize is the most principals that are cached.
const cacheSize = 4096

// cacheKey is the key of a cached principal.
type cacheKey struct{ service, token string }

// Ended is published when tokens or sessions have been revoked.
const Ended bus.Topic = "auth.ended"

// PasswordChanged is published when a user has changed a password.
const PasswordChanged bus.Topic = "auth.password"

// ended publishes Ended and clears the cache.
func (a *Auth) ended() {
	a.cache.Clear()
	a.bus.Publish(Ended, nil)
}

// Hash returns the stored form of a token.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
