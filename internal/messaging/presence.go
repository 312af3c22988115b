package messaging

import (
	"context"
	"sync"

	"understudy/internal/platform/background"
	"understudy/internal/platform/store"
)

// connection is the state of a user's realtime connections.
type connection int

const (
	neverConnected connection = iota // the user counts as active
	connected
	disconnected
)

// presence tracks the realtime connections of users and emits presence_change.
// Its state is lost when the program ends.
type presence struct {
	s       *Service
	mu      sync.Mutex
	state   map[userKey]connection
	pending []presenceStep // in order
	worker  *background.Worker
}

type presenceStep struct {
	user userKey
	to   connection
}

func newPresence(s *Service) *presence {
	p := &presence{s: s, state: map[userKey]connection{}}
	p.worker = background.New(func(*background.Worker) { p.work() })
	return p
}

// Connected records that a user's first realtime connection opened, or that the
// last one closed. It never blocks.
func (s *Service) Connected(workspace, user string, in bool) {
	step := presenceStep{userKey{workspace, user}, connected}
	if !in {
		step.to = disconnected
	}
	p := s.presence
	p.mu.Lock()
	p.pending = append(p.pending, step)
	p.mu.Unlock()
	p.worker.Wake()
}

func (p *presence) work() {
	for {
		p.mu.Lock()
		if len(p.pending) == 0 {
			p.mu.Unlock()
			return
		}
		step := p.pending[0]
		p.pending = p.pending[1:]
		was := p.state[step.user]
		p.state[step.user] = step.to
		p.mu.Unlock()
		if was == step.to || was == neverConnected && step.to == connected {
			continue // no visible change
		}
		if err := p.announce(context.Background(), step.user); err != nil {
			p.s.Log.Error("a change of presence could not be published", "error", err)
		}
	}
}

func (p *presence) announce(ctx context.Context, key userKey) error {
	return p.s.world.Write(ctx, func(tx *store.Tx) error {
		u, err := getUser(tx, key.workspace, key.id)
		if err != nil || u == nil || u.Deleted || u.Presence != "auto" {
			return err
		}
		if u.IsBot() {
			a, err := getApp(tx, u.Workspace, u.AppID)
			if err != nil || a == nil || a.asks().Features.BotUser.AlwaysOnline {
				return err
			}
		}
		return p.s.emitPresence(ctx, tx, u)
	})
}

// effective returns the presence of a user that others see: active or away. A
// user who chose auto is away once the last realtime connection has closed.
func (p *presence) effective(u *User) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u.Presence == "away" || p.state[userKey{u.Workspace, u.ID}] == disconnected {
		return "away"
	}
	return "active"
}

// SetPresence stores the caller's choice: auto or away. It emits presence_change
// if the effective presence changes, and returns InvalidPresence.
func (s *Service) SetPresence(ctx context.Context, c Caller, choice string) error {
	if choice != "auto" && choice != "away" {
		return InvalidPresence
	}
	return s.world.Write(ctx, func(tx *store.Tx) error {
		u, err := getUser(tx, c.Workspace, c.ID)
		if err != nil || u.Presence == choice {
			return err
		}
		before := s.presence.effective(u)
		u.Presence = choice
		if err := s.saveUser(tx, u); err != nil || s.presence.effective(u) == before {
			return err
		}
		return s.emitPresence(ctx, tx, u)
	})
}

func (s *Service) emitPresence(ctx context.Context, tx *store.Tx, u *User) error {
	return s.emit(ctx, tx, event{kind: "presence_change", workspace: u.Workspace, key: u.ID,
		inner: presenceEvent{Type: "presence_change", User: u.ID, Presence: s.presence.effective(u), EventTS: s.eventTS()}})
}

// EffectivePresence returns the presence of a user that others see: active or
// away.
func (s *Service) EffectivePresence(u *User) string { return s.presence.effective(u) }
