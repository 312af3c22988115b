package lifecycle

import (
	"context"
	"sync"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store/lease"
)

// session is one period during which an environment is open: from binding the
// services to its databases until they are closed.
type session struct {
	env      *environment.Environment
	requests lease.Timed  // held by requests and operations
	working  lease.Handle // held by the operations among them
	updating sync.Mutex   // held while Info is changed and stored

	awake bool      // in table.awake; guarded by its mu
	ended bool      // the environment is closed or replaced; guarded by the same
	waits time.Time // the last use when the sweep found it waiting for its first request

	leaving     context.Context // ends when the environment is about to be closed: ends all waiting
	leave       context.CancelFunc
	interrupted context.Context // ends when operations must end
	interrupt   context.CancelFunc
}

func newSession(env *environment.Environment) *session {
	s := &session{env: env}
	s.leaving, s.leave = context.WithCancel(context.Background())
	s.interrupted, s.interrupt = context.WithCancel(context.Background())
	s.requests.Touch()
	return s
}

// unusedFor returns how long nobody has used the environment.
func (s *session) unusedFor(now time.Time) time.Duration {
	return now.Sub(s.requests.LastUsed())
}

// drain ends the streams and waits of an environment, waits at most timeout for
// its requests, and then interrupts its operations and waits for them. While
// requests remain it runs endClients, which ends requests that wait for slow
// clients until its context ends.
func (s *session) drain(timeout time.Duration, endClients func(ctx context.Context, env string)) {
	s.env.EndStreams()
	s.leave()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if endClients != nil && s.requests.Users() > 0 {
		go endClients(ctx, s.env.ID)
	}
	_ = s.requests.Evict(ctx) // requests that remain find their world closed
	s.interrupt()
	_ = s.working.Evict(context.Background()) // a background context never ends this wait early
}
