package auth_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
)

func TestAThrottleCountsFailuresOfTheLastMinute(t *testing.T) {
	now := start
	throttle := &auth.Throttle{Now: func() time.Time { return now }}
	for range 10 {
		if err := throttle.Check("a", 10); err != nil {
			t.Fatal(err)
		}
		throttle.Fail("a")
		now = now.Add(time.Second)
	}
	err := throttle.Check("a", 10)
	if f, ok := fault.As(err); !ok || !errors.Is(err, auth.TooManyFailures) || f.RetryAfter != 50*time.Second {
		t.Fatalf("after ten failures: %v", err)
	}
	if err := throttle.Check("b", 10); err != nil {
		t.Errorf("another key: %v", err)
	}
	now = now.Add(50 * time.Second) // the first of the ten is a minute old
	if err := throttle.Check("a", 10); err != nil {
		t.Errorf("after a minute: %v", err)
	}
	throttle.Fail("a")
	if err := throttle.Check("a", 10); err == nil {
		t.Error("nine and one more are ten")
	}
	throttle.Forget("a")
	if err := throttle.Check("a", 10); err != nil {
		t.Errorf("forgotten: %v", err)
	}
}

func TestAThrottleHoldsABoundedNumberOfKeys(t *testing.T) {
	throttle := &auth.Throttle{Now: func() time.Time { return start }}
	for i := range 200_000 {
		throttle.Fail(fmt.Sprint(i))
	}
	if n := throttle.Keys(); n > 1<<15 {
		t.Errorf("%d keys", n)
	}
}
