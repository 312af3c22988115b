package environment

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
)

// Overview is an environment as the admin plane shows it.
type Overview struct {
	Info
	Clock  clock.State
	Size   int64 // in bytes
	Counts ServiceCounts
}

// Snapshot describes a copy of an environment as it was at a moment.
type Snapshot struct {
	ID          string
	Environment string
	Name        string
	Created     time.Time // on the environment's clock
	Size        int64     // in bytes
}

// Overview returns what the admin plane shows of an open environment, without
// Size. counts are what Counts returns, where that is known; nil asks the services.
func (e *Environment) Overview(ctx context.Context, counts *ServiceCounts) (o Overview, err error) {
	o = Overview{Info: e.CurrentInfo(), Clock: e.Clock.State()}
	if counts != nil {
		o.Counts = *counts
	} else {
		o.Counts, err = e.Counts(ctx)
	}
	return o, err
}
