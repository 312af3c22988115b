package lifecycle

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/ratelimit"
)

// claim claims an environment: others that open it wait until the caller settles
// the entry. claim ends the streams and waits for the requests, but not for those
// that a slow client holds up: they find their world closed and reply that the
// service is unavailable. It returns environment.NotFound.
func (e *Environments) claim(ctx context.Context, id string) (*entry, error) {
	own, err := e.table.claim(id, false)
	if err != nil {
		return nil, err
	}
	if own.session != nil {
		own.session.drain(e.DrainTimeout, e.Platform.EndClients)
		return own, nil
	}
	if _, err := e.Catalogue.Get(ctx, id); err != nil {
		e.table.closed(own, err)
		return nil, err
	}
	return own, nil
}

// release undoes claim. It closes an environment that was open, because its
// streams have ended; the next sweep opens it again if it has work to do.
func (e *Environments) release(ctx context.Context, own *entry) {
	if own.session != nil {
		env := own.session.env
		note := Overviews{e}.closing(env, nil)
		if note.Wake == catalogue.WakeAtStart {
			note.Wake = clock.Real().UnixMicro()
		}
		e.close(ctx, env, note)
	}
	e.table.closed(own, nil)
}

// close closes an environment and records that in the catalogue.
func (e *Environments) close(ctx context.Context, env *environment.Environment, note catalogue.Closing) {
	env.Close()
	if err := e.Catalogue.MarkClosed(context.WithoutCancel(ctx), note); err != nil {
		env.Log.Error("the closing of an environment could not be recorded", "error", err)
	}
}

// Reopen closes an environment, calls begin, and opens it again. When begin
// returns an error, nothing has changed. It returns environment.NotFound.
func (e *Environments) Reopen(ctx context.Context, id string, begin func(ctx context.Context) error) (*environment.Environment, error) {
	ctx = context.WithoutCancel(ctx)
	own, err := e.claim(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := begin(ctx); err != nil {
		e.release(ctx, own)
		return nil, err
	}
	if own.session != nil {
		own.session.env.Discard()
		e.table.reopen(own)
	}
	env, err := e.load(ctx, id)
	if err != nil {
		e.table.closed(own, err)
		return nil, err
	}
	e.table.opened(own, env)
	return env, nil
}

// Delete removes an environment with its snapshots, and returns what it removed.
// It keeps the forks. It returns environment.NotFound.
func (e *Environments) Delete(ctx context.Context, id string) (catalogue.Removed, error) {
	return e.remove(ctx, id, false)
}

// remove removes an environment. With expired it returns catalogue.NotExpired
// unless the environment has expired by the time its requests have ended.
func (e *Environments) remove(ctx context.Context, id string, expired bool) (gone catalogue.Removed, err error) {
	ctx = context.WithoutCancel(ctx)
	own, err := e.claim(ctx, id)
	if err != nil {
		return gone, err
	}
	if gone, err = e.Catalogue.Delete(ctx, id, expired); err != nil {
		e.release(ctx, own)
		return gone, err
	}
	if own.session != nil {
		own.session.env.Discard()
	}
	e.table.closed(own, environment.NotFound)
	return gone, dropRemoved(ctx, e.Worlds, gone)
}

// Change describes an update; nil fields stay as they are.
type Change struct {
	Name       *string
	RateLimits *ratelimit.Setting
	TTL        *time.Duration // real time from now; 0 means for ever
}

// Update changes an environment. It returns environment.NotFound.
func (e *Environments) Update(ctx context.Context, id string, c Change) error {
	s, err := e.session(ctx, id, true)
	if err != nil {
		return err
	}
	defer s.requests.Release()
	s.updating.Lock()
	defer s.updating.Unlock()
	info := s.env.CurrentInfo()
	info.RateLimits = s.env.CurrentRateLimits()
	if c.Name != nil {
		info.Name = *c.Name
	}
	if c.RateLimits != nil {
		info.RateLimits = *c.RateLimits
	}
	if c.TTL != nil {
		info.SetTTL(*c.TTL)
	}
	if err := e.Catalogue.Update(ctx, info); err != nil {
		return err
	}
	s.env.SetInfo(info)
	return nil
}
