package environment

import (
	"testing"
	"time"

	"understudy/internal/platform/clock"
)

// The clock that a world stores is the one that its environment shows, to the last digit.
func TestTheStoredClockIsTheOneThatIsShown(t *testing.T) {
	c := clock.At(time.Date(2026, 1, 1, 0, 0, 0, 123456789, time.UTC))
	meta := map[string]string{}
	setClockMeta(meta, c.State())
	if stored := clockMeta(meta); c.Now().UnixNano() != stored.At*1000 || !stored.Frozen {
		t.Errorf("the clock shows %v and is stored as %d", c.Now(), stored.At)
	}
}
