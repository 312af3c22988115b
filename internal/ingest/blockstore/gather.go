package blockstore

import (
	"context"
	"sync"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/clock"
)

const (
	// maxGathered and gatheredBytes bound a gathered block.
	maxGathered   = 1024
	gatheredBytes = 8 << 20
	// maxWaiting bounds the small appends that wait; more are rejected.
	maxWaiting = 8192
	// maxPatience bounds the time for which a write waits for more appends.
	maxPatience = 5 * time.Millisecond
)

// waiting is a small append that waits to be written.
type waiting struct {
	ctx     context.Context // of its request
	project string
	events  []ingest.Event
	done    chan error
}

// gatherer collects small appends for the next write. Callers that send one event
// after another would otherwise come in many groups, each of which waits for the
// writes of the others: a write therefore waits for most of the callers that are
// known, for the time of one write at most. Its zero value is empty.
type gatherer struct {
	mu      sync.Mutex
	appends []*waiting
	wanted  int           // how many appends the next write waits for
	ended   time.Time     // the end of the last write
	took    time.Duration // mean time of a write
	enough  chan struct{} // closed when as many as wanted are there; nil if no write waits
}

// add adds an append. It reports whether there was room for it.
func (g *gatherer) add(w *waiting) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.appends) >= maxWaiting {
		return false
	}
	g.appends = append(g.appends, w)
	if g.enough != nil && len(g.appends) >= g.wanted {
		close(g.enough)
		g.enough = nil
	}
	return true
}

// next removes and returns as many appends as one write holds; nil if there is none.
func (g *gatherer) next() (group []*waiting) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := g.patience(clock.Real()); d > 0 {
		enough := make(chan struct{})
		g.enough = enough
		g.mu.Unlock()
		wait(enough, d)
		g.mu.Lock()
		g.enough = nil
	}
	taken, n, size := 0, 0, 0
	for ; taken < len(g.appends) && n < maxGathered && size < gatheredBytes; taken++ {
		n += len(g.appends[taken].events)
		size += bytesOf(g.appends[taken].events)
	}
	group = g.appends[:taken:taken]
	if g.appends = g.appends[taken:]; len(g.appends) == 0 {
		g.appends = nil
	}
	return group
}

// patience returns for how long the next write should wait; g.mu must be held.
func (g *gatherer) patience(now time.Time) time.Duration {
	if len(g.appends) == 0 || len(g.appends) >= g.wanted {
		return 0
	}
	return min(g.took, maxPatience) - now.Sub(g.ended)
}

// wait waits for a channel, for d at most.
func wait(c <-chan struct{}, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
	case <-t.C:
	}
}

// wrote records the write of a group. The callers of the group, and those that came
// meanwhile, are those that are known. The next write waits for three quarters of
// them, so that the others can prepare their next appends while it runs.
func (g *gatherer) wrote(group int, began, ended time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.took += (ended.Sub(began) - g.took) / 8
	g.ended = ended
	g.wanted = (3*(group+len(g.appends)) + 3) / 4
}

func bytesOf(events []ingest.Event) (n int) {
	for i := range events {
		n += len(events[i].Args) + len(events[i].Result) + len(events[i].Metadata) + len(events[i].Checkpoints)
	}
	return n
}

// batches groups the events by project.
func batches(group []*waiting) []*batch {
	byProject, sources := map[string][]ingest.Event{}, map[string][]source{}
	var order []string
	n := 0
	for _, w := range group {
		n += len(w.events)
	}
	for _, w := range group {
		if byProject[w.project] == nil {
			order = append(order, w.project)
			byProject[w.project] = make([]ingest.Event, 0, n) // enough if all are of one project
		}
		sources[w.project] = append(sources[w.project], source{len(byProject[w.project]), w.ctx})
		byProject[w.project] = append(byProject[w.project], w.events...)
	}
	var out []*batch
	for _, p := range order {
		out = append(out, newBatches(p, byProject[p], sources[p])...)
	}
	return out
}
