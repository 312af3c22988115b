package lifecycle

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
)

// session is the time during which an environment is open: from the moment it
// is bound to its databases until they are closed.
type session struct {
	env      *environment.Environment
	requests counter      // requests and operations that use it
	working  counter      // the operations among them
	lastUsed atomic.Int64 // real time in microseconds
	updating sync.Mutex   // held while Info is changed and stored

	interrupted context.Context // ends when operations must end
	interrupt   context.CancelFunc
}

func newSession(env *environment.Environment) *session {
	s := &session{env: env}
	s.interrupted, s.interrupt = context.WithCancel(context.Background())
	s.touch()
	return s
}

func (s *session) touch() { s.lastUsed.Store(clock.Real().UnixMicro()) }

// unusedFor returns how long nobody has used the environment.
func (s *session) unusedFor(now time.Time) time.Duration {
	return now.Sub(time.UnixMicro(s.lastUsed.Load()))
}

// leave ends what table.acquire began.
func (s *session) leave() {
	s.touch()
	s.requests.add(-1)
}

// drain ends the streams of an environment and waits for its requests, at most
// for patience, and then for its operations, which it interrupts.
func (s *session) drain(patience time.Duration) {
	s.env.EndStreams()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.requests.wait(ctx)
	s.interrupt()
	s.working.wait(context.Background())
}

// counter is a count that one can wait for.
type counter struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n becomes 0; nil while nobody waits
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n += n; c.n == 0 && c.zero != nil {
		close(c.zero)
		c.zero = nil
	}
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// wait returns when the count is 0 or ctx has ended.
func (c *counter) wait(ctx context.Context) {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		return
	}
	if c.zero == nil {
		c.zero = make(chan struct{})
	}
	zero := c.zero
	c.mu.Unlock()
	select {
	case <-zero:
	case <-ctx.Done():
	}
}
