package lifecycle

import (
	"context"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/envtest"
)

// A clock that several set at once, of whom some do not wait for the reply, is
// kept as it stands.
func TestTheClockThatIsKeptIsTheOneThatWasSet(t *testing.T) {
	e := onSQLite(t, &envtest.Probe{})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	env := create(t, e, Create{Start: environment.Start{Clock: &at}})
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
			if err := env.SetClock(ctx, func(c *clock.Clock) error {
				c.Advance(time.Second)
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	e.idle = 0
	closeIdle(e)
	again, err := e.Open(context.Background(), env.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := again.Clock.Now().Sub(at); again == env || d != calls*time.Second {
		t.Errorf("after %d advances by a second the clock stands %s on", calls, d)
	}
}
