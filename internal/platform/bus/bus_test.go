package bus

import (
	"slices"
	"sync"
	"testing"
	"time"
)

const topic Topic = "t"

func TestMessagesReachTheSubscribersOfTheirTopicInOrder(t *testing.T) {
	var b Bus
	var got []string
	hear := func(name string) func(any) {
		return func(m any) { got = append(got, name+" "+m.(string)) }
	}
	b.Publish(topic, "nobody")
	b.Subscribe(topic, hear("a"))
	cancel := b.Subscribe(topic, hear("b"))
	b.Subscribe(topic, hear("c"))
	b.Subscribe("other", hear("d"))
	b.Publish(topic, "1")
	cancel()
	cancel()
	b.Publish(topic, "2")
	if want := []string{"a 1", "b 1", "c 1", "a 2", "c 2"}; !slices.Equal(got, want) {
		t.Errorf("received %q, want %q", got, want)
	}
}

// A subscriber may use the bus, and locks that are held around Subscribe and cancel.
func TestSubscribersMayUseTheBusAndTheLocksAroundIt(t *testing.T) {
	var b Bus
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		defer close(done)
		received, entered := 0, make(chan struct{})
		b.Subscribe(topic, func(any) {
			if received++; received == 1 {
				close(entered)
				b.Subscribe("other", func(any) {})()
				b.Publish(topic, nil)
			}
			mu.Lock()
			defer mu.Unlock()
		})
		mu.Lock()
		go b.Publish(topic, nil)
		<-entered
		b.Subscribe(topic, func(any) {})()
		mu.Unlock()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a subscriber and a publisher wait for each other")
	}
}
