package webapi

import (
	"slices"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/auth"
)

// BotScopes are the scopes of the default bot token: all that the 27 methods
// need.
var BotScopes = []string{
	"channels:read", "channels:history", "channels:join", "channels:manage", "channels:write.invites", "channels:write.topic",
	"groups:read", "groups:history", "groups:write", "groups:write.invites", "groups:write.topic",
	"im:read", "im:history", "im:write", "im:write.topic",
	"mpim:read", "mpim:history", "mpim:write", "mpim:write.topic",
	"chat:write", "chat:write.public", "chat:write.customize",
	"reactions:read", "reactions:write", "users:read", "users:read.email", "users:write",
	"users.profile:read", "users.profile:write", "search:read", "team:read", "commands", "incoming-webhook", "app_mentions:read",
}

// UserScopes are the scopes of the default user token: every user scope, and the
// one for the control plane.
var UserScopes = []string{
	"channels:read", "channels:history", "channels:write", "channels:write.invites", "channels:write.topic",
	"groups:read", "groups:history", "groups:write", "groups:write.invites", "groups:write.topic",
	"im:read", "im:history", "im:write", "im:write.topic",
	"mpim:read", "mpim:history", "mpim:write", "mpim:write.topic",
	"chat:write", "chat:write.customize",
	"reactions:read", "reactions:write", "users:read", "users:read.email", "users:write",
	"users.profile:read", "users.profile:write", "search:read", "team:read", messaging.AdminScope,
}

// Holds reports whether a principal has a scope. A session has every user scope.
func Holds(p *auth.Principal, scope string) bool {
	if p.Kind == auth.Session {
		return slices.Contains(UserScopes, scope)
	}
	return p.Has(scope)
}

func (c *call) has(scope string) bool { return Holds(c.principal, scope) }

var userScopeText = strings.Join(UserScopes, ",")

func (c *call) granted() string {
	if c.principal.Kind == auth.Session {
		return userScopeText
	}
	return c.principal.ScopeText()
}

func (c *call) hasAny(scopes []string) bool {
	return len(scopes) == 0 || slices.ContainsFunc(scopes, c.has)
}

func (c *call) scopeHeaders() {
	h := c.w.Header()
	h["X-Oauth-Scopes"] = []string{c.granted()}
	h["X-Accepted-Oauth-Scopes"] = c.method.acceptedHeader
}

// accepted lists the scopes of which each may allow a method.
func (m *method) accepted() string {
	out := slices.Clone(m.scopes)
	for _, k := range []messaging.Kind{messaging.Public, messaging.Private, messaging.IM, messaging.MPIM} {
		for _, s := range m.kinds[k] {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, ",")
}

// checkScopes checks the method's scopes, and makes the rules check the scope for
// the conversation's kind once they have read it.
func (c *call) checkScopes() error {
	if !c.hasAny(c.method.scopes) {
		return c.missing(c.method.scopes)
	}
	c.caller.Anywhere = c.principal.Kind == auth.Bot && c.has("chat:write.public")
	if c.method.kinds == nil {
		return nil
	}
	c.caller.Allow = c.allow
	if c.method.kindOf != nil && c.text("channel") == "" {
		return c.allow(c.method.kindOf(c))
	}
	for _, scopes := range c.method.kinds {
		if c.hasAny(scopes) {
			return nil
		}
	}
	if channel, _ := c.args.String("channel"); channel == "" {
		return c.missing(c.method.kinds[messaging.Public])
	}
	return nil // hide that the conversation exists
}

func createdKind(c *call) messaging.Kind {
	if c.args.Bool("is_private", false) {
		return messaging.Private
	}
	return messaging.Public
}

func openedKind(c *call) messaging.Kind {
	if users, _ := c.args.List("users"); len(users) > 1 {
		return messaging.MPIM
	}
	return messaging.IM
}

func (c *call) allow(k messaging.Kind) error {
	scopes := c.method.kinds[k]
	if scopes != nil && !c.hasAny(scopes) {
		return c.missing(scopes)
	}
	return nil
}

// scopeAttrs holds the scopes in a missing_scope reply.
type scopeAttrs struct{ needed, provided string }

func (c *call) missing(needed []string) error {
	return missingScope.With(scopeAttrs{strings.Join(needed, ","), c.granted()})
}

// peopleOnly returns notAllowedTokenType for a bot unless its token has the
// method's scope: with it, a bot may search and set its own profile.
func (c *call) peopleOnly() error {
	if !c.hasAny(c.method.scopes) {
		return notAllowedTokenType
	}
	return nil
}
