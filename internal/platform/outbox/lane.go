package outbox

import (
	"slices"
	"time"

	"understudy/internal/platform/outbound"
)

// A window holds the pending deliveries of one destination that are in memory, in
// lanes: the deliveries with one key, in the order of their events.
//
// The order within a lane is kept as long as that can help the receiver. A
// delivery that failed because nothing listens at the address holds back all
// later ones, which would fail too. A delivery that the receiver has rejected
// blocks its lane until its first retry if that is a matter of seconds; after
// that it no longer blocks, because one event that a receiver cannot process must
// not keep all others from it.
type window struct {
	entries map[int64]*entry
	lanes   []*lane
	byKey   map[string]*lane
	stale   bool // a delivery was queued again while it was being sent
	down    bool // nothing listens at the address
	refused int  // consecutive rejected deliveries
	soon    bool // the first retry is soon enough to be waited for
}

type entry struct {
	Delivery
	done     bool // finished, but not stored yet
	putOff   bool // it could not be tried when it was due
	unstored int  // results that are not stored yet
}

// ready reports whether it can be sent. A delivery that was never tried is always
// ready: the clock may have been set back since.
func (e *entry) ready(now int64) bool { return e.Due <= now || e.Tries == 0 && !e.putOff }

type lane struct {
	key     string
	entries []*entry
	busy    bool
}

// patience is the number of consecutive rejected deliveries that block their
// lanes; if a receiver rejects everything, waiting does not help.
const patience = 3

// atMost is the longest time that a lane is blocked for a first retry.
const atMost = 5 * time.Second

func newWindow(d *Dialect) *window {
	return &window{soon: len(d.Retries) > 0 && d.Retries[0] <= atMost, entries: map[int64]*entry{}, byKey: map[string]*lane{}}
}

// add adds a delivery. An existing one remains unchanged, unless again says that
// it may have changed in the store: then it is replaced, or the window is marked
// stale if it is being sent.
func (w *window) add(d *Delivery, again bool) {
	if e := w.entries[d.ID]; e != nil {
		switch {
		case !again:
		case e.unstored == 0 && !w.byKey[e.key].busy:
			e.Delivery, e.putOff = *d, false
		case e.Queued != d.Queued:
			w.stale = true
		}
		return
	}
	e := &entry{Delivery: *d}
	w.entries[d.ID] = e
	l := w.byKey[d.key]
	if l == nil {
		l = &lane{key: d.key}
		w.byKey[d.key] = l
		w.lanes = append(w.lanes, l)
	}
	at, _ := slices.BinarySearchFunc(l.entries, d.ID, func(e *entry, id int64) int {
		switch {
		case e.ID < id:
			return -1
		case e.ID > id:
			return 1
		}
		return 0
	})
	l.entries = slices.Insert(l.entries, at, e)
	if d.Reason == string(outbound.Unreachable) {
		w.down = true
	}
}

func (w *window) remove(e *entry) {
	delete(w.entries, e.ID)
	l := w.byKey[e.key]
	if i := slices.Index(l.entries, e); i >= 0 {
		l.entries = slices.Delete(l.entries, i, i+1)
	}
	if len(l.entries) == 0 && !l.busy {
		w.drop(l)
	}
}

func (w *window) drop(l *lane) {
	delete(w.byKey, l.key)
	if i := slices.Index(w.lanes, l); i >= 0 {
		w.lanes = slices.Delete(w.lanes, i, i+1)
	}
}

// holds reports whether an entry that waits for its retry blocks its lane.
func (w *window) holds(e *entry) bool {
	return w.down || w.soon && e.Tries == 1 && w.refused < patience
}

// take returns the next deliveries of a lane, at most limit, or the time when one
// will be due (0 for none).
func (w *window) take(l *lane, now int64, limit int) (batch []*entry, due int64) {
	if l.busy {
		return nil, 0
	}
	for i, e := range l.entries {
		if e.done {
			continue
		}
		if !e.ready(now) {
			if due == 0 || e.Due < due {
				due = e.Due
			}
			if w.holds(e) {
				return l.askedFor(i+1, now), due
			}
			continue
		}
		batch = append(batch, e)
		for _, next := range l.entries[i+1:] {
			if len(batch) == limit || next.done || next.Tries > 0 || !next.ready(now) {
				break
			}
			batch = append(batch, next)
		}
		return batch, 0
	}
	return nil, due
}

// askedFor returns the deliveries behind a blocking entry whose replay was
// requested.
func (l *lane) askedFor(from int, now int64) []*entry {
	for _, e := range l.entries[from:] {
		if e.asked && !e.done && e.ready(now) {
			return []*entry{e}
		}
	}
	return nil
}

// up records that the receiver accepts connections again: what could not reach it
// is due now, so that it arrives before later events.
func (w *window) up(now int64) {
	w.refused = 0
	if !w.down {
		return
	}
	w.down = false
	for _, e := range w.entries {
		if e.Reason == string(outbound.Unreachable) {
			e.Due = min(e.Due, now)
		}
	}
}
