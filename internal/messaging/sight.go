package messaging

import (
	"context"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

// Conversation names a conversation and its kind.
type Conversation struct {
	Workspace string
	ID        string
	Kind      Kind
}

// Sight is who may see an event.
type Sight struct {
	Scope string // that a credential needs
	// In is where it happened: only its members may see it. Zero for what
	// everyone in the workspace may see.
	In Conversation
	// Only is the one user who may see it; "" for all of them.
	Only string
}

// SightOf returns who may see an event that was just committed, false for what
// is for apps alone.
func SightOf(e outbox.Event) (Sight, bool) {
	a, ok := e.Audience.(*audience)
	if !ok {
		return Sight{}, false
	}
	if a.app != "" || a.metadata != (metadataFrom{}) {
		return Sight{}, false
	}
	out := Sight{Scope: neededScope(e.Type, a.kind), Only: a.only}
	if a.channel != "" && a.only == "" && !concernsAll(e.Type) {
		out.In = Conversation{e.Tenant, a.channel, a.kind}
	}
	return out, true
}

// Conversations gives all that the caller is a member of.
func (s *Service) Conversations(ctx context.Context, c Caller) (out []Conversation, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, err = conversationsOf(tx, c.Workspace, c.ID)
		return err
	})
	return out, err
}

// ScopesIn are the scopes that the events of a conversation need.
func (c Conversation) ScopesIn() []string {
	return []string{byKind[c.Kind] + ":history", byKind[c.Kind] + ":read", "reactions:read"}
}
