package app

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/program"
)

// The admin key before the last rotation is accepted for a minute; older and
// future keys are refused.
func TestTheOldAdminKeyEndsAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newAdminKey([]byte("root"))
		k.set(program.KeyState{Rotation: 2, Rotated: clock.Real()})
		for _, x := range []struct {
			wait time.Duration
			old  bool
		}{{0, true}, {59 * time.Second, true}, {999 * time.Millisecond, true}, {time.Millisecond, false}, {time.Hour, false}} {
			time.Sleep(x.wait)
			for n, want := range []bool{false, x.old, true, false} {
				if good, err := k.check("192.0.2.1", k.after(int64(n))); err == nil && good != want {
					t.Errorf("after %s more: key %d is good: %v", x.wait, n, good)
				}
			}
		}
	})
}
