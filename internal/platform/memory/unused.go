// Package memory returns unused memory to the system, by means of the runtime and
// one hint to the kernel.
package memory

import (
	"context"
	"math"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"time"
)

const (
	// memoryEvery is the interval of the checks.
	memoryEvery = 2 * time.Second
	// spareBytes is how much unused heap the program keeps, in addition to a quarter
	// of the used heap.
	spareBytes = 32 << 20
	// quietBytes is the most allocated bytes of a quiet interval: a busy program
	// would soon need again what it returns.
	quietBytes = 24 << 20
	// softLimit is the heap size above which garbage is collected more often than by
	// the runtime's rule. It grows with the used heap.
	softLimit = 320 << 20
	// idleBytes is the most allocated bytes of an idle interval: more than the
	// program's housekeeping allocates, less than a request does.
	idleBytes = 64 << 10
	// idleIntervals is how many consecutive idle intervals precede the release of
	// the pages of the program's file.
	idleIntervals = 3
)

// ReleaseStartup returns the memory that only the start needed: free heap, and
// pages of the program's own file.
func ReleaseStartup() {
	debug.FreeOSMemory()
	releaseFilePages()
}

// ReturnUnused bounds garbage during large requests and returns unused heap to
// the system after them, until ctx ends: the runtime alone would let the heap
// double, and keep it for minutes. It does not change an external limit
// (GOMEMLIMIT). While the program is idle, it also releases the pages of the
// program's own file.
func ReturnUnused(ctx context.Context) {
	s := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	limit, own := int64(softLimit), debug.SetMemoryLimit(-1) == math.MaxInt64
	if own {
		debug.SetMemoryLimit(limit)
	}
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	idle := 0 // consecutive intervals
	unused := heap{}
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		runtimemetrics.Read(s)
		allocs, live := s[0].Value.Uint64(), s[1].Value.Uint64()
		if wanted := max(softLimit, int64(live+live/2)); own && (wanted > limit || wanted < limit/2) {
			limit = wanted
			debug.SetMemoryLimit(limit)
		}
		if allocs-before <= quietBytes && unused.excessive(live, heldIn(s)) {
			debug.FreeOSMemory()
			runtimemetrics.Read(s)
			unused.returned(s[1].Value.Uint64(), heldIn(s))
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

// heldIn returns the bytes of the heap that the system has not got back: objects, free
// and unused memory.
func heldIn(s []runtimemetrics.Sample) uint64 {
	return s[2].Value.Uint64() + s[3].Value.Uint64() + s[4].Value.Uint64()
}

// heap tracks how much of the unused heap cannot be returned, because objects are
// spread over it: returning collects garbage, which takes a second of processor time
// when a program has ten thousand open environments.
type heap struct {
	stuck uint64 // what could not be returned
	held  uint64 // at the last check
	// pause is how many intervals pass before it is tried again, since only a
	// collection finds which objects have ended; passed is how many have.
	pause, passed int
}

// longestPause is in intervals.
const longestPause = 64

// excessive reports whether so much more than the live bytes is held that returning
// it is worth a collection. It is called once in each quiet interval.
func (h *heap) excessive(live, held uint64) bool {
	unused := held - min(live, held)
	h.stuck, h.held = min(h.stuck, unused), held
	h.passed++
	return unused > live/4+spareBytes && (unused > h.stuck+spareBytes || h.passed >= h.pause)
}

// returned notes what is held after unused memory was returned. The pause doubles
// each time that little was.
func (h *heap) returned(live, held uint64) {
	h.stuck, h.passed = held-min(live, held), 0
	if h.held-min(held, h.held) < spareBytes {
		h.pause = min(max(2*h.pause, 2), longestPause)
	} else {
		h.pause = 1
	}
}
