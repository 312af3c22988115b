package record

import (
	"slices"
	"time"

	"understudy/internal/platform/clock"
)

// erasure is kept for a while, because a matching request may have begun before
// it and be recorded after it.
type erasure struct {
	at    time.Time // real time
	named func(*Request) bool
}

// erasureTime is how long an erasure is kept.
const erasureTime = time.Minute

// Erase drops the requests for which named returns true, including running ones
// that are recorded later. kept reports whether one of them was stored elsewhere:
// then left is what remains, oldest first and redacted, and must replace the
// stored requests.
func (rec *Recorder) Erase(named func(*Request) bool) (left []Request, kept bool) {
	rec.ReadOlder()
	now := clock.Real()
	rec.mu.Lock()
	rec.erasures = slices.DeleteFunc(rec.erasures, func(e erasure) bool { return now.Sub(e.at) > erasureTime })
	rec.erasures = append(rec.erasures, erasure{now, named})
	kept = rec.lines.erase(named)
	rec.mu.Unlock()
	if !kept {
		return nil, false
	}
	return rec.collect(func(*line) bool { return true }), true
}

// isErased reports whether a request began before an erasure that matches it. The
// recorder is locked.
func (rec *Recorder) isErased(r *Request) bool {
	began := clock.Real().Add(-r.Duration)
	return slices.ContainsFunc(rec.erasures, func(e erasure) bool { return began.Before(e.at) && e.named(r) })
}
