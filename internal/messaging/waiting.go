package messaging

import (
	"context"
	"slices"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/store"
)

const (
	// maxWaits is how many may wait at the same time in one environment.
	maxWaits = 1000
	// maxSeen is how many of the items that came instead are returned.
	maxSeen = 20
	// maxCandidates is how much of an inbox a wait looks at when it begins.
	maxCandidates = 1000
	// waitPause is for how many times the duration of its last read a wait
	// pauses, so that hundreds of them leave the processor to others.
	waitPause = 4
)

// TooManyWaits refuses to wait while too many do.
var TooManyWaits = fault.New(fault.RateLimited, "too_many_waits", "1,000 requests are waiting in this environment already; try again when some have ended.").After(time.Second)

// waits are the requests that wait for something to pop up.
type waits struct {
	mu      sync.Mutex
	waiting map[*waiter]bool
	cancel  func() // of the subscription to events; nil while nobody waits
}

// waiter waits for one person.
type waiter struct {
	workspace, user string
	channel         string // the only one whose messages matter; "" for all
	woken           chan struct{}
}

func (w *waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// appended wakes those for whom an event may matter.
func (ws *waits) appended(message any) {
	e := message.(outbox.Event)
	if e.Service != Name || e.Type != "message" {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.waiting {
		if w.workspace == e.Tenant && (w.channel == "" || w.channel == e.Key) {
			w.wake()
		}
	}
}

// shown wakes those who wait for a person who was shown something alone.
func (ws *waits) shown(workspace, user string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.waiting {
		if w.workspace == workspace && w.user == user {
			w.wake()
		}
	}
}

// beginWait wakes w for events from now on. It returns TooManyWaits.
func (s *Service) beginWait(w *waiter) error {
	ws := &s.waits
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.waiting) >= maxWaits {
		return TooManyWaits
	}
	if ws.waiting == nil {
		ws.waiting = map[*waiter]bool{}
	}
	ws.waiting[w] = true
	if ws.cancel == nil && s.Bus != nil {
		ws.cancel = s.Bus.Subscribe(outbox.Appended, ws.appended)
	}
	return nil
}

// endWait wakes w no more.
func (s *Service) endWait(w *waiter) {
	ws := &s.waits
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.waiting, w)
	if len(ws.waiting) == 0 && ws.cancel != nil {
		ws.cancel()
		ws.cancel = nil
	}
}

// Await asks for something that pops up for the caller.
type Await struct {
	Want    func(InboxItem) bool
	Channel string      // id of the only conversation that Want looks at; "" for any
	After   *InboxPlace // nil: the caller's last act through the admin plane, or the beginning
}

// Wait waits until something that is wanted has popped up for the caller, and
// returns the first. When ctx ends before, it returns nil and what came instead,
// newest first. It returns TooManyWaits.
func (s *Service) Wait(ctx context.Context, c Caller, in Await) (found *InboxItem, seen []InboxItem, err error) {
	w := &waiter{workspace: c.Workspace, user: c.ID, channel: in.Channel, woken: make(chan struct{}, 1)}
	if err := s.beginWait(w); err != nil {
		return nil, nil, err
	}
	defer s.endWait(w)
	watch := &watch{s: s, c: c}
	for {
		began := clock.Real()
		// A read that has begun is finished: it says what came instead.
		if err := watch.read(context.WithoutCancel(ctx), in.After); err != nil {
			return nil, nil, err
		}
		if i := slices.IndexFunc(watch.items, in.Want); i >= 0 {
			return &watch.items[i], nil, nil
		}
		rest := time.NewTimer(waitPause * clock.Real().Sub(began))
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
			return nil, watch.newest(), nil
		}
		select {
		case <-w.woken:
		case <-ctx.Done():
			return nil, watch.newest(), nil
		}
	}
}

// watch is what has popped up for somebody who waits.
type watch struct {
	s     *Service
	c     Caller
	items []InboxItem // oldest first
	begun bool
	after InboxPlace // what stands there or before does not count
	upTo  InboxPlace // read up to here
}

// read adds what popped up since the last read, and updates the known messages.
func (w *watch) read(ctx context.Context, after *InboxPlace) error {
	return w.s.world.Read(ctx, func(tx *store.Tx) (err error) {
		if !w.begun {
			if after == nil {
				if w.after, err = lastAct(tx, w.c.Workspace, w.c.ID); err != nil {
					return err
				}
			} else {
				w.after = *after
			}
			w.upTo = w.after
		}
		from := w.upTo
		if slack := w.s.Outbox.Slack(tx); slack > 0 {
			if from = (InboxPlace{Event: from.Event - slack}); from.before(w.after) {
				from = w.after
			}
		}
		end, err := w.s.inboxEnd(tx, w.c.Workspace, w.c.ID)
		if err != nil {
			return err
		}
		found, err := w.s.scanInbox(tx, w.c, from, maxCandidates)
		if err != nil {
			return err
		}
		w.add(found)
		w.begun, w.upTo = true, end
		return nil
	})
}

// add adds what was found since the last read, and updates the known messages.
func (w *watch) add(found inboxScan) {
	w.items = slices.DeleteFunc(w.items, func(i InboxItem) bool { return found.gone[placeOf(i.Channel, i.TS)] })
	for i := range w.items {
		if now, ok := found.changed[placeOf(w.items[i].Channel, w.items[i].TS)]; ok {
			w.items[i].show(now)
		}
	}
	known := map[InboxPlace]bool{}
	for _, i := range w.items {
		known[i.At] = true
	}
	for _, i := range slices.Backward(found.items) {
		if !known[i.At] {
			w.items = append(w.items, i)
		}
	}
	slices.SortFunc(w.items, func(a, b InboxItem) int {
		if a.At.before(b.At) {
			return -1
		}
		return 1
	})
	if extra := len(w.items) - maxCandidates; extra > 0 {
		w.items = slices.Delete(w.items, 0, extra)
	}
}

// newest returns the last of what came, newest first.
func (w *watch) newest() []InboxItem {
	out := slices.Clone(w.items[max(0, len(w.items)-maxSeen):])
	slices.Reverse(out)
	return out
}
