// Package memory returns memory to the system that the program no longer needs.
//
// It uses the runtime's own means and one hint to the kernel, and knows nothing
// of what the memory held.
package memory

import (
	"context"
	"math"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"time"
)

const (
	// memoryEvery is how often the heap is looked at.
	memoryEvery = 2 * time.Second
	// spareBytes is how much unused heap the program keeps, beside a quarter
	// of what is in use.
	spareBytes = 32 << 20
	// quietBytes is up to how many allocated bytes an interval counts as quiet:
	// a busy program would ask for what it returns at once.
	quietBytes = 24 << 20
	// softLimit is from how many bytes on the runtime collects garbage more
	// often than its usual rule says. It grows with what is in use.
	softLimit = 320 << 20
	// idleBytes is up to how many allocated bytes an interval counts as idle: the
	// program's own housekeeping allocates less, a request more.
	idleBytes = 64 << 10
	// idleIntervals is after how many idle intervals in a row the pages of the
	// program's file are released.
	idleIntervals = 3
)

// ReleaseStartup returns to the system what only starting needed: free heap, and
// the pages of the program's own file that initialisation touched.
func ReleaseStartup() {
	debug.FreeOSMemory()
	releaseFilePages()
}

// ReturnUnused keeps garbage within bounds while large requests come and go,
// and returns unused heap to the system once that is over, until ctx ends:
// the runtime would let the heap double, and keep it for minutes. A limit set
// from outside (GOMEMLIMIT) stays as it is. While the program is idle, the pages
// of its own file are released as well.
func ReturnUnused(ctx context.Context) {
	s := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	limit, own := int64(softLimit), debug.SetMemoryLimit(-1) == math.MaxInt64
	if own {
		debug.SetMemoryLimit(limit)
	}
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	idle := 0 // intervals in a row
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		runtimemetrics.Read(s)
		allocs, live := s[0].Value.Uint64(), s[1].Value.Uint64()
		held := s[2].Value.Uint64() + s[3].Value.Uint64() + s[4].Value.Uint64()
		if wanted := max(softLimit, int64(live+live/2)); own && (wanted > limit || wanted < limit/2) {
			limit = wanted
			debug.SetMemoryLimit(limit)
		}
		if allocs-before <= quietBytes && held > live+live/4+spareBytes {
			debug.FreeOSMemory()
		}
		if idle++; allocs-before > idleBytes {
			idle = 0
		}
		if idle == idleIntervals {
			idle = 0
			releaseFilePages()
		}
		before = allocs
	}
}
