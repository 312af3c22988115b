package environment

import (
	"context"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// A clock that several set at once, of whom some do not wait for the reply, is
// kept as it stands.
func TestTheClockThatIsKeptIsTheOneThatWasSet(t *testing.T) {
	m := manager(t, t.TempDir(), &probe{})
	defer func() { _ = m.Close() }()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	env := made(t, m, Create{Clock: &at})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	const calls = 64
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			ctx := context.Background()
			if i%2 == 0 {
				ctx = gone
			}
			if err := m.SetClock(ctx, env, func(c *clock.Clock) error {
				c.Advance(time.Second)
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m.idle = 0
	tidy(t, m)
	again, err := m.Open(context.Background(), env.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := again.Clock.Now().Sub(at); again == env || d != calls*time.Second {
		t.Errorf("after %d advances by a second the clock stands %s on", calls, d)
	}
}
