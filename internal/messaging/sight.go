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
}

// SightOf tells who may see an event that was just committed.
func SightOf(e outbox.Event) (Sight, bool) {
	a, ok := e.Audience.(*audience)
	if !ok {
		return Sight{}, false
	}
	out := Sight{Scope: neededScope(e.Type, a.kind)}
	if a.channel != "" && e.Type != "channel_created" && e.Type != "channel_archive" {
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
