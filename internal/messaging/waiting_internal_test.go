package messaging

import (
	"testing"
	"time"

	"understudy/internal/platform/bus"
	"understudy/internal/platform/outbox"
)

// Waits that begin and end while events are published do not block the
// publisher.
func TestWaitsBeginAndEndWhileEventsArePublished(t *testing.T) {
	s := &Service{Deps: Deps{Bus: &bus.Bus{}}}
	done := make(chan struct{}, 2)
	go func() {
		for range 100_000 {
			s.Bus.Publish(outbox.Appended, &outbox.Event{Service: Name, Type: "message", Tenant: "T1"})
		}
		done <- struct{}{}
	}()
	go func() {
		for range 100_000 {
			w := &waiter{workspace: "T1", woken: make(chan struct{}, 1)}
			if err := s.beginWait(w); err != nil {
				t.Error(err)
			}
			s.endWait(w)
		}
		done <- struct{}{}
	}()
	for range 2 {
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatal("a wait and an event wait for each other")
		}
	}
}
