package app

import (
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/config"
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

// Of rotations at the same time each answers with a key of its own, and the newest
// one is in force.
func TestRotationsAtTheSameTime(t *testing.T) {
	a, err := New(t.Context(), config.Serve{Listen: "127.0.0.1:0", Data: t.TempDir(), RateLimits: "off"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	const rotations = 20
	keys := make([]string, rotations)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			var err error
			if keys[i], _, err = a.rotateKey(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := a.admin.text(); got != a.admin.after(rotations) {
		t.Errorf("after %d rotations the key is %s, want %s", rotations, got, a.admin.after(rotations))
	}
	for n := range rotations {
		if key := a.admin.after(int64(n + 1)); !slices.Contains(keys, key) {
			t.Errorf("nobody was told key %d", n+1)
		}
	}
	a.admin.set(program.KeyState{Rotation: 1, Rotated: clock.Real()}) // of a rotation that was slow to end
	if got := a.admin.text(); got != a.admin.after(rotations) {
		t.Errorf("an older rotation ends last, and the key is %s", got)
	}
}
