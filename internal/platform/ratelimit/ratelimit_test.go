package ratelimit

import (
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func limiter(s Setting) (*Memory, *clock.Clock) {
	c := clock.At(start)
	return NewMemory(c, func() Setting { return s }), c
}

func takes(m *Memory, p Policy, n int) (ok int, last Decision) {
	for range n {
		if last = m.Take("k", p, 1); last.OK {
			ok++
		}
	}
	return ok, last
}

func TestABucketRefillsEvenly(t *testing.T) {
	m, c := limiter(1)
	p := Policy{Name: "tier2", Limit: 20, Window: time.Minute}
	if ok, d := takes(m, p, 25); ok != 20 || d.RetryAfter != 3*time.Second {
		t.Fatalf("%d passed, retry after %v", ok, d.RetryAfter)
	}
	c.Advance(3 * time.Second)
	if ok, _ := takes(m, p, 5); ok != 1 {
		t.Fatalf("%d passed after 3 s", ok)
	}
	if !m.Take("other", p, 1).OK {
		t.Fatal("another key was charged")
	}
}

func TestBurstIsTheCapacityOfABucket(t *testing.T) {
	m, _ := limiter(1)
	if ok, d := takes(m, Policy{Name: "post", Limit: 1, Window: time.Second, Burst: 20}, 30); ok != 20 || d.RetryAfter != time.Second {
		t.Fatalf("%d passed, retry after %v", ok, d.RetryAfter)
	}
}

func TestARollingWindowForgetsWhatIsOld(t *testing.T) {
	m, c := limiter(1)
	p := Policy{Name: "ten", Shape: Rolling, Limit: 10, Window: 10 * time.Second}
	takes(m, p, 6)
	c.Advance(5 * time.Second)
	if ok, d := takes(m, p, 6); ok != 4 || d.RetryAfter > 5*time.Second || d.RetryAfter < 4*time.Second {
		t.Fatalf("%d passed, retry after %v", ok, d.RetryAfter)
	}
	c.Advance(5 * time.Second)
	if ok, _ := takes(m, p, 10); ok != 6 {
		t.Fatalf("%d passed when the first six were old", ok)
	}
}

func TestADayEndsAtMidnight(t *testing.T) {
	m, c := limiter(1)
	p := Policy{Name: "day", Shape: Daily, Limit: 3}
	if ok, d := takes(m, p, 4); ok != 3 || d.RetryAfter != 12*time.Hour {
		t.Fatalf("%d passed, retry after %v", ok, d.RetryAfter)
	}
	c.Advance(12 * time.Hour)
	if ok, _ := takes(m, p, 4); ok != 3 {
		t.Fatalf("%d passed the next day", ok)
	}
}

func TestTheSettingMultipliesOrSwitchesOff(t *testing.T) {
	p := Policy{Name: "p", Limit: 2, Window: time.Minute}
	for text, want := range map[string]int{"real": 2, "x10": 20, "off": 50} {
		s, err := ParseSetting(text)
		if err != nil || s.String() != text {
			t.Fatalf("%s: %v %v", text, s, err)
		}
		m, _ := limiter(s)
		if ok, _ := takes(m, p, 50); ok != want {
			t.Errorf("%s: %d passed, want %d", text, ok, want)
		}
	}
	for _, text := range []string{"x", "x0", "x-1", "fast", "xNaN", "xInf"} {
		if _, err := ParseSetting(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestWhatIsSpentIsSavedAndLoaded(t *testing.T) {
	c := clock.At(start)
	setting := func() Setting { return 1 }
	first := NewMemory(c, setting)
	policies := []Policy{{Name: "bucket", Limit: 5, Window: time.Minute}, {Name: "rolling", Shape: Rolling, Limit: 5, Window: 10 * time.Second},
		{Name: "day", Shape: Daily, Limit: 5}}
	for _, p := range policies {
		takes(first, p, 3)
	}
	second := NewMemory(c, setting)
	second.Load(first.Save())
	for _, p := range policies {
		if ok, _ := takes(second, p, 5); ok != 2 {
			t.Errorf("%s: %d passed, want 2", p.Name, ok)
		}
	}
	c.Advance(2 * time.Minute)
	if left := first.Save(); len(left) != 1 {
		t.Errorf("%d still count, want the day's alone", len(left))
	}
}
