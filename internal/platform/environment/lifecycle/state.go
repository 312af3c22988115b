package lifecycle

import (
	"context"
	"slices"
	"sync"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
)

// State is the state of an environment in this process. An environment without an
// entry in the table is closed.
//
//	          begin                 opened
//	Closed ──────────▶ Opening ──────────────▶ Open
//	   ▲                │   ▲                   │
//	   │     closed     │   │ reopen            │ drain
//	   ├────────────────┘   │                   ▼
//	   └────────────────────┴──────────────  Draining
//	                closed
//
// Each arrow is one method of table. A caller that opens an environment which is
// Opening or Draining waits until it is Open or Closed.
type State int

// The states of an environment.
const (
	Opening  State = iota // it is being created, loaded or replaced
	Open                  // it is served
	Draining              // its requests end before it is closed or replaced
	Closed
)

// entry is an environment that is not closed.
type entry struct {
	id      string
	state   State
	session *session      // nil while Opening from Closed
	settled chan struct{} // closed on the transition to Open or Closed
	err     error         // why opening failed; nil if the caller may try again
	used    uint32        // how often its databases were used after they were still
}

// table holds the entries of all environments that are not closed.
type table struct {
	mu      sync.Mutex
	entries map[string]*entry
	awake   []awakened // whose databases may be open (rest.go)
	still   map[key]overview
	closing bool // the program ends: nothing may be opened
}

// acquire returns the session of an open environment, and with enter acquires it
// for a request, which the caller must release. For a closed environment it
// returns an entry in the state Opening, which the caller must settle. It returns
// store.Unavailable when the program ends.
func (t *table) acquire(ctx context.Context, id string, enter bool) (*session, *entry, error) {
	for {
		t.mu.Lock()
		e := t.entries[id]
		if e == nil || t.closing {
			defer t.mu.Unlock()
			return t.begin(id)
		}
		if e.state == Open {
			defer t.mu.Unlock()
			wake(t, e)
			if e.session.requests.Touch(); enter {
				e.session.requests.Acquire() // cannot fail: requests are evicted only while Draining
			}
			return e.session, nil, nil
		}
		settled := e.settled
		t.mu.Unlock()
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if err := t.errorOf(e); err != nil {
			return nil, nil, err
		}
	}
}

// claim claims an environment for the caller, who must settle the entry. A closed
// environment becomes Opening. An open one becomes Draining, or with isNew claim
// returns environment.Exists. It waits while others hold a claim.
func (t *table) claim(id string, isNew bool) (*entry, error) {
	for {
		t.mu.Lock()
		e := t.entries[id]
		if e == nil || t.closing {
			defer t.mu.Unlock()
			_, e, err := t.begin(id)
			return e, err
		}
		if e.state == Open {
			defer t.mu.Unlock()
			if isNew {
				return nil, environment.Exists.At("id")
			}
			t.drain(e)
			return e, nil
		}
		settled := e.settled
		t.mu.Unlock()
		<-settled
	}
}

// claimUnused is claim for the environment of session s if that has no requests;
// otherwise it returns nil.
func (t *table) claimUnused(id string, s *session) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[id]
	if t.closing || e == nil || e.session != s || e.state != Open || s.requests.Users() > 0 {
		return nil
	}
	t.drain(e)
	return e
}

// begin is the transition from Closed to Opening. The caller holds t.mu.
func (t *table) begin(id string) (*session, *entry, error) {
	if t.closing {
		return nil, nil, store.Unavailable
	}
	e := &entry{id: id, state: Opening, settled: make(chan struct{})}
	t.entries[id] = e
	return nil, e, nil
}

// drain is the transition from Open to Draining. The caller holds t.mu.
func (t *table) drain(e *entry) {
	e.state = Draining
	delete(t.still, keyOf(e.id))
	e.settled = make(chan struct{})
}

// reopen is the transition from Draining to Opening, after the session has ended.
func (t *table) reopen(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end(t, e)
	e.state = Opening
}

// opened is the transition from Opening to Open. It returns the new session.
func (t *table) opened(e *entry, env *environment.Environment) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.state, e.session = Open, newSession(env)
	wake(t, e)
	close(e.settled)
	return e.session
}

// closed is the transition to Closed. Waiting callers get err, or try again if it
// is nil.
func (t *table) closed(e *entry, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end(t, e)
	e.state, e.err = Closed, err
	delete(t.entries, e.id)
	close(e.settled)
}

func (t *table) errorOf(e *entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return e.err
}

// sessions returns the sessions of all open environments.
func (t *table) sessions() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]*session, 0, len(t.entries))
	for _, e := range t.entries {
		if e.state == Open {
			out = append(out, e.session)
		}
	}
	return out
}

// find returns the session of an open environment, or nil.
func (t *table) find(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[id]; e != nil && e.state == Open {
		return e.session
	}
	return nil
}

// holder returns the session of an environment that is Open or Draining, and for
// one that is Opening or Draining a channel that is closed on the transition to
// Open or Closed. Both are nil for a closed environment.
func (t *table) holder(id string) (s *session, settled <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entries[id]
	if e == nil {
		return nil, nil
	}
	if e.state != Open {
		settled = e.settled
	}
	return e.session, settled
}

// State returns the state of an environment in this process: Closed also for an
// unknown id.
func (e *Environments) State(id string) State {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	if entry := e.table.entries[id]; entry != nil {
		return entry.state
	}
	return Closed
}

// size returns the number of environments that are not closed.
func (t *table) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.entries)
}

// endAll forbids opening environments and returns all sessions, which the caller
// must close. It waits for environments that are Opening or Draining.
func (t *table) endAll() (left []*entry) {
	t.mu.Lock()
	t.closing = true
	for len(t.entries) > len(left) {
		var wait chan struct{}
		for _, e := range t.entries {
			switch {
			case e.state == Open:
				t.drain(e)
				left = append(left, e)
			case wait == nil && !slices.Contains(left, e):
				wait = e.settled
			}
		}
		if wait != nil {
			t.mu.Unlock()
			<-wait
			t.mu.Lock()
		}
	}
	t.mu.Unlock()
	return left
}
