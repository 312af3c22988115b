package outbox_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/outbox"
)

// A request that ends while the environment closes has its event delivered
// when it is opened again.
func TestWhatComesWhileClosingIsDeliveredLater(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		p.happen("k", "a")
		p.settles(outbox.Delivered)
		p.outbox.Close()
		p.happen("k", "b")
		p.start()
		p.arrives("ka", "kb")
	})
}

// With a frozen clock nothing is tried again by itself: who asks for a replay
// once the receiver is back gets it all the same.
func TestReplayToAReceiverThatWasDown(t *testing.T) {
	onBoth(t, func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }, func(p *post) {
		up := p.url
		p.url = "http://127.0.0.1:9"
		p.happen("k", "a")
		p.happen("k", "b")
		p.until("an attempt", func() bool { return len(p.list()[0].Tried) == 1 })
		p.mu.Lock()
		p.url = up
		p.mu.Unlock()
		if _, err := p.outbox.Replay(context.Background(), p.list()[0].ID); err != nil {
			p.t.Fatal(err)
		}
		p.arrives("ka", "kb")
	})
}

// Replays go ahead of deliveries that wait for a retry.
func TestReplayOvertakesWhatWaits(t *testing.T) {
	onBoth(t, func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }, func(p *post) {
		p.answers(func(_ string, n int) int {
			if n == 1 {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		p.happen("k", "a")
		p.arrives("ka")
		p.happen("k", "b")
		p.until("the retry to be kept", func() bool { return p.list()[0].Tries == 1 })
		if _, err := p.outbox.Replay(context.Background(), p.list()[1].ID); err != nil {
			p.t.Fatal(err)
		}
		p.arrives("ka", "kb")
		p.clock.Advance(time.Minute)
		p.arrives("ka", "kb", "1ka")
		p.settles(outbox.Delivered, outbox.Delivered)
	})
}

// The clock is put back while events wait that were never tried: they do not
// wait until the clock has come to their time again.
func TestClockPutBackHoldsNoEventUp(t *testing.T) {
	onBoth(t, clock.System, func(p *post) {
		hold := make(chan struct{})
		release := sync.OnceFunc(func() { close(hold) })
		p.t.Cleanup(release)
		p.answers(func(string, int) int { <-hold; return http.StatusOK })
		p.happen("k", "a")
		p.until("a request", func() bool { return len(p.arrived()) == 1 })
		p.happen("k", "b")
		p.happen("k", "c")
		p.clock.Freeze(time.Unix(1e9, 0))
		release()
		p.arrives("ka", "kb", "kc")
	})
}

// After the program was off for longer than all retries take, deliveries that
// were never tried get all their retries.
func TestTimeOffCountsAsNoAttempt(t *testing.T) {
	onBoth(t, func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }, func(p *post) {
		up := p.url
		p.outbox.Close()
		p.happen("k", "a")
		p.clock.Advance(time.Hour)
		p.url = "http://127.0.0.1:9"
		p.start()
		p.until("an attempt", func() bool { return len(p.list()[0].Tried) == 1 })
		p.mu.Lock()
		p.url = up
		p.mu.Unlock()
		p.clock.Advance(time.Minute)
		p.arrives("1ka")
	})
}

// A clock that is advanced in long steps makes every retry there is.
func TestLongStepsOfTheClockSpendNoRetries(t *testing.T) {
	onBoth(t, func() *clock.Clock { return clock.At(time.Unix(1e9, 0)) }, func(p *post) {
		p.answers(func(string, int) int { return http.StatusInternalServerError })
		p.happen("k", "a")
		for n := range 4 {
			p.until("an attempt", func() bool { return len(p.arrived()) == n+1 })
			p.clock.Advance(time.Hour)
		}
		p.settles(outbox.Failed)
		p.arrives("ka", "1ka", "2ka", "3ka")
	})
}
