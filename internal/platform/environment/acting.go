package environment

import (
	"context"
	"sync"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
)

const (
	actingLifetime = 24 * time.Hour
	actingMargin   = time.Minute
	maxActing      = 1000
)

// acting caches the sessions with which the admin plane acts, so that not every
// act creates one.
type acting struct {
	mu       sync.Mutex
	sessions map[actor]actingSession
}

type actor struct{ service, tenant, id string }

type actingSession struct {
	token   string
	expires time.Time
}

// ActingToken returns the token of a session of the default kind with which the
// admin plane acts as a person. It creates one if there is no valid one: the
// clock may have expired it, or may have been set back since.
func ActingToken(ctx context.Context, e *Environment, service string, people Population, p auth.Person) (string, error) {
	e.acting.mu.Lock()
	defer e.acting.mu.Unlock()
	who := actor{service, p.Tenant, p.ID}
	if s, ok := e.acting.sessions[who]; ok && e.Clock.Now().Before(s.expires.Add(-actingMargin)) {
		_, err := e.Auth.Resolve(ctx, service, s.token)
		if err == nil {
			return s.token, nil
		}
		if f, ok := fault.As(err); !ok || f.Kind != fault.Unauthenticated {
			return "", err
		}
	}
	kind := people.Sessions[0]
	token, expires, err := e.Auth.ActAs(ctx, auth.ActAs{Service: service, Kind: kind.Kind, Prefix: kind.Prefix, Person: p,
		Scopes: kind.Scopes, Tier: kind.Tier, Lifetime: actingLifetime})
	if err != nil {
		return "", err
	}
	if e.acting.sessions == nil || len(e.acting.sessions) >= maxActing {
		e.acting.sessions = map[actor]actingSession{}
	}
	e.acting.sessions[who] = actingSession{token, expires}
	return token, nil
}
