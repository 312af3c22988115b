package messaging

import (
	"context"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/store"
)

// Kind is the kind of a conversation.
type Kind string

// The kinds of conversations.
const (
	Public  Kind = "public"
	Private Kind = "private"
	MPIM    Kind = "mpim"
	IM      Kind = "im"
)

// Caller is the user of a workspace on whose behalf a call is made; it may be the
// bot user of an app.
type Caller struct {
	*User
	// Allow checks the caller's scope for a kind of conversation before access to
	// one: which scope that is depends on the wire method. Nil allows all kinds.
	Allow func(Kind) error
	// Anywhere allows the caller to post in public channels without being a member.
	Anywhere bool
	// everywhere allows an app to post without being a member, through an incoming
	// webhook or a response_url.
	everywhere bool
}

// Caller returns the user that a principal acts as. It returns AccountInactive
// when the user, app or workspace no longer exists, and WorkspaceNotFound for a
// session without a workspace.
func (s *Service) Caller(ctx context.Context, p *auth.Principal) (Caller, error) {
	if p.Tenant == "" {
		return Caller{}, WorkspaceNotFound
	}
	s.began.Do(func() { s.expiry.begin(ctx) }) // statuses may have ended while the environment was closed
	if w, err := s.workspace(ctx, p.Tenant); err != nil {
		return Caller{}, err
	} else if w == nil || w.Deleted {
		return Caller{}, AccountInactive
	}
	u, err := s.user(ctx, p.Tenant, p.Subject)
	if err != nil {
		return Caller{}, err
	}
	if u == nil || u.Deleted {
		return Caller{}, AccountInactive
	}
	return Caller{User: u}, nil
}

func (c Caller) allow(k Kind) error {
	if c.Allow == nil {
		return nil
	}
	return c.Allow(k)
}

// user returns a user by id, from the cache if possible; nil if there is none.
func (s *Service) user(ctx context.Context, workspace, id string) (*User, error) {
	key := userKey{workspace, id}
	u, ok, epoch := s.users.Get(key)
	if ok {
		return u, nil
	}
	err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
		u, err = getUser(tx, workspace, id)
		return err
	})
	if err == nil && u != nil {
		s.users.Put(key, u, epoch)
	}
	return u, err
}

// workspace returns a workspace by id, from the cache if possible; nil if there
// is none.
func (s *Service) workspace(ctx context.Context, id string) (*Workspace, error) {
	w, ok, epoch := s.teams.Get(id)
	if ok {
		return w, nil
	}
	err := s.world.Read(ctx, func(tx *store.Tx) (err error) {
		w, err = getWorkspace(tx, id)
		return err
	})
	if err == nil && w != nil {
		s.teams.Put(id, w, epoch)
	}
	return w, err
}

// Workspace returns the caller's workspace.
func (s *Service) Workspace(ctx context.Context, c Caller) (*Workspace, error) {
	return s.workspace(ctx, c.Workspace)
}
