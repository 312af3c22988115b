package clock

import (
	"math"
	"testing"
	"time"
)

// The clocks of worlds are stored, also those that were set before there were
// bounds.
func TestARestoredClockIsWithinTheBounds(t *testing.T) {
	for name, c := range map[string]struct {
		kept State
		want time.Time
	}{
		"frozen late":   {State{Frozen: true, At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()}, Latest},
		"frozen early":  {State{Frozen: true, At: -1}, Earliest},
		"running late":  {State{Offset: (200 * 365 * 24 * time.Hour).Microseconds()}, Latest},
		"running early": {State{Offset: -(200 * 365 * 24 * time.Hour).Microseconds()}, Earliest},
		"overflow":      {State{Frozen: true, At: math.MaxInt64}, Latest},
	} {
		for _, now := range []time.Time{Restore(c.kept).Now(), c.kept.Now()} {
			if d := now.Sub(c.want); d < 0 || d > time.Minute {
				t.Errorf("%s: %s off", name, d)
			}
		}
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	if c := Restore(At(at).State()); !c.Now().Equal(at) || !c.State().Frozen {
		t.Errorf("a clock at %s is restored at %s", at, c.Now())
	}
}

// Advancing does all or nothing.
func TestAdvanceStopsAtTheBound(t *testing.T) {
	c := At(Latest.Add(-time.Hour))
	if c.Advance(time.Hour+time.Second) || !c.Now().Equal(Latest.Add(-time.Hour)) {
		t.Errorf("the clock went to %s", c.Now())
	}
	if !c.Advance(time.Hour) || !c.Now().Equal(Latest) {
		t.Errorf("the clock stands at %s", c.Now())
	}
}
