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
	// maxWaits is the most concurrent waits in one environment.
	maxWaits = 1000
	// maxSeen is how many of the other items a wait returns.
	maxSeen = 20
	// maxCandidates is how many items of an inbox a wait reads when it begins.
	maxCandidates = 1000
	// waitPause is the pause of a wait between two reads, in multiples of the
	// duration of the last read: it leaves processor time to others when hundreds
	// wait.
	waitPause = 4
)

// TooManyWaits refuses more than maxWaits.
var TooManyWaits = fault.New(fault.RateLimited, "too_many_waits", "1,000 requests are waiting in this environment already; try again when some have ended.").After(time.Second)

// waits holds the requests that wait for an inbox item.
type waits struct {
	mu      sync.Mutex
	waiting map[*waiter]bool
	cancel  func() // cancels the subscription to events; nil while nobody waits
}

// waiter is one request that waits for items of one person.
type waiter struct {
	workspace, user string
	channel         string // only messages of this conversation; "" for all
	woken           chan struct{}
}

func (w *waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// appended wakes the waiters that an event may concern.
func (ws *waits) appended(message any) {
	e := message.(*outbox.Event)
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

// shown wakes the waiters of a person after an ephemeral message.
func (ws *waits) shown(workspace, user string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.waiting {
		if w.workspace == workspace && w.user == user {
			w.wake()
		}
	}
}

// beginWait registers w for events. It returns TooManyWaits.
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

// endWait removes w.
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

// Await are the parameters of Wait.
type Await struct {
	Want    func(InboxItem) bool
	Channel string      // the id of the conversation to wait in; "" for any
	After   *InboxPlace // nil: the caller's last action through the admin plane, or the beginning
}

// Wait waits until an item that Want accepts is in the caller's inbox, and
// returns the first. When ctx ends before, it returns nil and the other new
// items, newest first. It returns TooManyWaits.
func (s *Service) Wait(ctx context.Context, c Caller, in Await) (found *InboxItem, seen []InboxItem, err error) {
	w := &waiter{workspace: c.Workspace, user: c.ID, channel: in.Channel, woken: make(chan struct{}, 1)}
	if err := s.beginWait(w); err != nil {
		return nil, nil, err
	}
	defer s.endWait(w)
	watch := &watch{s: s, c: c}
	for {
		began := clock.Real()
		// A read that has begun is finished, because its items are returned.
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

// watch holds the items that a wait has read.
type watch struct {
	s     *Service
	c     Caller
	items []InboxItem // oldest first
	begun bool
	after InboxPlace // items up to here do not count
	upTo  InboxPlace // the place of the last read
}

// read adds the items since the last read, and updates the known ones.
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

// add adds the items of a scan, and updates the known ones.
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

// newest returns the last maxSeen items, newest first.
func (w *watch) newest() []InboxItem {
	out := slices.Clone(w.items[max(0, len(w.items)-maxSeen):])
	slices.Reverse(out)
	return out
}
