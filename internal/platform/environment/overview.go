package environment

import (
	"context"
	"time"

	"understudy/internal/platform/clock"
)

// Overview is an environment in the form of the admin plane.
type Overview struct {
	Info
	Clock  clock.State
	Size   int64 // in bytes
	Counts ServiceCounts
}

// Snapshot describes a copy of an environment.
type Snapshot struct {
	ID          string
	Environment string
	Name        string
	Created     time.Time // on the environment's clock
	Size        int64     // in bytes
}

// Overview returns the overview of an open environment, without Size. counts is
// the result of Counts if known; nil asks the services.
func (e *Environment) Overview(ctx context.Context, counts *ServiceCounts) (o Overview, err error) {
	o = Overview{Info: e.CurrentInfo(), Clock: e.Clock.State()}
	if counts != nil {
		o.Counts = *counts
	} else {
		o.Counts, err = e.Counts(ctx)
	}
	return o, err
}
