package environment

import (
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
