package ratelimit

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The number and bytes of the limiter's keys are bounded, whatever callers
// send, and the key that has spent most is kept longest.
func TestKeysAreBounded(t *testing.T) {
	m, _ := limiter(1)
	p := Policy{Name: "post", Limit: 1, Window: time.Second, Burst: 20}
	takes(m, p, 25)
	long := strings.Repeat("x", 900_000)
	for i := range 600 {
		m.Take(fmt.Sprint(long, i), p, 1)
	}
	for i := range 2 * shards * maxKeys {
		m.Take(fmt.Sprint("key", i), p, 1)
	}
	count, bytes := 0, 0
	for i := range m.shards {
		for k := range m.shards[i].keys {
			count, bytes = count+1, bytes+len(k)
		}
	}
	if count > shards*maxKeys || bytes > count*maxName {
		t.Errorf("%d keys of %d bytes", count, bytes)
	}
	if d := m.Take("k", p, 1); d.OK {
		t.Error("who has spent all was forgotten before who has spent little")
	}
	a, b := m.Take(long+"a", p, 1), m.Take(long+"b", p, 1)
	if a.Remaining != 19 || b.Remaining != 19 {
		t.Error("long keys share an allowance")
	}
}
