package messaging

import (
	"context"

	"understudy/internal/platform/store"
)

// Conversation is the id of a conversation with its kind.
type Conversation struct {
	Workspace string
	ID        string
	Kind      Kind
}

// Conversations returns all conversations that the caller is a member of.
func (s *Service) Conversations(ctx context.Context, c Caller) (out []Conversation, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		out, err = conversationsOf(tx, c.Workspace, c.ID)
		return err
	})
	return out, err
}

// ScopesIn returns the scopes that the events of a conversation need.
func (c Conversation) ScopesIn() []string {
	return []string{byKind[c.Kind] + ":history", byKind[c.Kind] + ":read", "reactions:read"}
}
