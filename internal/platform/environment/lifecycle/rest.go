package lifecycle

import (
	"context"
	"slices"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
)

// What the sweep and lists need of an environment that nobody uses stands in one place
// for all: of ten thousand, reading a few bytes of each takes longer than all else when
// they are spread over memory that was not used for seconds.
//
// The sweep visits only the environments in table.awake. A request enters its
// environment there (table.acquire), and so does a suspended database that is opened
// again, also for background work. Only the sweep removes them, once all databases are
// suspended.
//
// A list shows what table.still has. The sweep enters an environment there after it
// was counted, and the next use of one of its databases removes it (store.World.Still).

// key is an id as a value; ids have at most 40 bytes.
type key [40]byte

func keyOf(id string) (k key) {
	copy(k[:], id)
	return k
}

// overview is what a list shows of an environment, without its Info.
type overview struct {
	clock  clock.State
	size   int64
	counts environment.ServiceCounts
}

// awakened is an open environment that does not rest.
type awakened struct {
	entry   *entry
	session *session
	used    time.Time // read once by each sweep: it may change during a sort
}

// wake enters an environment that is open into t.awake. The caller holds t.mu.
func wake(t *table, e *entry) {
	if s := e.session; !s.awake {
		s.awake = true
		t.awake = append(t.awake, awakened{entry: e, session: s})
	}
}

// end ends the session of an environment, if it has one. The caller holds t.mu.
func end(t *table, e *entry) {
	if e.session != nil {
		e.session.ended, e.session = true, nil
		delete(t.still, keyOf(e.id))
	}
}

// known returns what a list shows of an environment that nobody uses, and whether
// that is known.
func known(t *table, id string) (o overview, ok bool) {
	k := keyOf(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	o, ok = t.still[k]
	return o, ok
}

// takeAwake removes all environments from t.awake and returns them, the least
// recently used first. The caller must return those that do not rest.
func takeAwake(t *table) []awakened {
	t.mu.Lock()
	out := make([]awakened, 0, len(t.awake))
	for _, one := range t.awake {
		if !one.session.ended {
			one.used = one.session.requests.LastUsed()
			out = append(out, one)
		}
	}
	clear(t.awake)
	t.awake = t.awake[:0]
	t.mu.Unlock()
	slices.SortFunc(out, func(a, b awakened) int { return a.used.Compare(b.used) })
	return out
}

// stayAwake undoes takeAwake for some environments.
func stayAwake(t *table, all []awakened) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.awake = append(t.awake, all...)
}

// leave notes that a session is no longer in t.awake: the next use enters it again.
func leave(t *table, s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.awake = false
}

// returned undoes leave, and reports whether the caller must enter the session into
// t.awake: not if a use has done that meanwhile.
func returned(t *table, s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	again := !s.awake
	s.awake = true
	return again
}

// note enters what a list shows of an environment into table.still, and reports whether
// all its databases are still.
func (e *Environments) note(one awakened) bool {
	t, own, s := &e.table, one.entry, one.session
	t.mu.Lock()
	before := own.used
	t.mu.Unlock()
	used := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		own.used++
		if own.session == s {
			delete(t.still, keyOf(own.id))
			wake(t, own)
		}
	}
	for _, w := range s.env.Worlds {
		if !w.Still(used) {
			return false
		}
	}
	counts, ok := environment.KnownCounts(s.env)
	size, err := e.Worlds.SizeOpen(context.Background(), s.env)
	if !ok || err != nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.session == s && own.state == Open && own.used == before {
		t.still[keyOf(own.id)] = overview{s.env.Clock.State(), size, counts}
	}
	return true
}
