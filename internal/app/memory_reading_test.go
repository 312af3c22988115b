package app_test

import (
	"sync"
	"testing"
	"time"
)

// An environment in memory has one connection, which the states of a diff or of
// a verdict hold: what else they need is read before, and nobody waits for ever.
func TestAnEnvironmentInMemoryIsReadWhileItIsWritten(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		parent := p.demo()
		reply := p.Call("POST", "/"+parent.ID+"/fork", object{"ephemeral": true}, 201)
		w := p.world(reply)
		done := make(chan bool)
		go func() {
			defer close(done)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					for range 10 {
						w.bot("chat.postMessage", object{"channel": "#general", "text": "hello"})
					}
				})
			}
			for range 10 {
				p.Call("GET", "/"+w.ID+"/diff", nil, 200)
				w.verdict("{expect: [{inserted: messaging.message, where: {text: $made.messaging.none}, count: 0}], nothing_else: true, trajectory: [{at_most: 100}]}", 422)
				w.verdict("{expect: [{inserted: messaging.message, count: {at_least: 0}}], nothing_else: true, trajectory: [{at_most: 100}]}", 200)
			}
			all.Wait()
		}()
		select {
		case <-done:
		case <-time.After(60 * time.Second):
			panic("who writes and who reads wait for each other")
		}
	})
}
