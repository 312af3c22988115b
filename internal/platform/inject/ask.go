package inject

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"understudy/internal/platform/record"
	"understudy/internal/platform/verdict/match"
)

// Request is the part of a request that rules match.
type Request struct {
	Service    string
	Operations []string
	Method     string
	Path       string
	By         record.Caller
	Tool       string
	Body       func() *match.Content // called if a rule needs the body
}

// Delivery is the part of a delivery that rules match.
type Delivery struct{ Service, Event, Destination, URL string }

// Firing is the effect of rules on a request or a delivery.
type Firing struct {
	ID    string // of the rule
	Delay time.Duration
	Do    *Do // the effect after the delay; nil for none
	Name  string
}

// armed is a rule with its counters.
type armed struct {
	*rule
	mu      sync.Mutex
	matched int
	fired   int
}

// Faults is the rules of one environment.
type Faults struct {
	key []byte // key of the HMAC that generates chances
	now func() time.Time

	mu       sync.RWMutex
	all      []*armed
	requests inForce
	delivery inForce
	ended    chan struct{}
}

// New returns the faults of an environment, without rules. Chances are derived
// from the key; now is the environment's clock.
func New(key []byte, now func() time.Time) *Faults {
	return &Faults{key: key, now: now, ended: make(chan struct{})}
}

// OnRequests reports whether any rule applies to requests.
func (f *Faults) OnRequests() bool { return f != nil && f.requests.Load() != nil }

// OnDeliveries reports whether any rule applies to deliveries.
func (f *Faults) OnDeliveries() bool { return f != nil && f.delivery.Load() != nil }

// MeetRequest returns the effect on a request, nil for none.
func (f *Faults) MeetRequest(q *Request) *Firing {
	list := f.requests.Load()
	if list == nil || !list.mayFit(q) {
		return nil
	}
	var at time.Time // one time for all comparisons of a request
	now := func() time.Time {
		if at.IsZero() {
			at = f.now()
		}
		return at
	}
	return f.meet(list.rules, func(r *rule) bool { return r.matchesRequest(q, now) })
}

// MeetDelivery returns the effect on a delivery, nil for none.
func (f *Faults) MeetDelivery(d Delivery) *Firing {
	list := f.delivery.Load()
	if list == nil {
		return nil
	}
	return f.meet(list.rules, func(r *rule) bool { return r.matchesDelivery(d) })
}

// meet counts the matches of all rules. In order of creation, the first that
// fires wins; a delay can be combined with another effect.
func (f *Faults) meet(rules []*armed, matches func(*rule) bool) *Firing {
	var out *Firing
	for _, a := range rules {
		if !matches(a.rule) {
			continue
		}
		a.mu.Lock()
		a.matched++
		n := a.matched
		var chance, share float64
		if a.When.Probability != nil || a.min < a.max {
			chance, share = f.draw(a.ID, n)
		}
		waits := a.max > 0
		if a.holds(n, chance, f.now) && (out == nil || out.Do == nil && !waits || out.Delay == 0 && a.delays()) {
			a.fired++
			if out == nil {
				out = &Firing{ID: a.ID, Name: a.Do.Name()}
			}
			if waits {
				out.Delay = a.min + time.Duration(share*float64(a.max-a.min))
			}
			if !a.delays() {
				out.ID, out.Do, out.Name = a.ID, &a.Do, a.Do.Name()
			}
		}
		a.mu.Unlock()
	}
	return out
}

// delays reports whether the rule has only a delay.
func (r *rule) delays() bool {
	d := &r.Do
	return d.Error == nil && d.Drop == "" && d.ErrorAfter == nil && d.Cut == nil && d.Duplicate == 0 && !d.Lose && d.Reorder == 0
}

// draw returns two pseudo-random numbers in [0, 1) for the n-th match of a rule.
func (f *Faults) draw(id string, n int) (chance, share float64) {
	h := hmac.New(sha256.New, f.key)
	_, _ = h.Write([]byte(id + "\x00" + strconv.Itoa(n)))
	sum := h.Sum(nil)
	unit := func(b []byte) float64 { return float64(binary.BigEndian.Uint64(b)>>11) / (1 << 53) }
	return unit(sum[:8]), unit(sum[8:16])
}

// holds reports whether the rule fires at its n-th match.
func (a *armed) holds(n int, chance float64, now func() time.Time) bool {
	w := &a.When
	if w.Nth != nil && !slices.Contains(w.Nth, n) || w.Every != nil && n%*w.Every != 0 || n <= w.After ||
		w.Times != nil && a.fired >= *w.Times || w.Probability != nil && chance >= *w.Probability {
		return false
	}
	if w.Between == nil {
		return true
	}
	at := now()
	return !at.Before(a.from) && at.Before(a.to)
}

func (r *rule) matchesRequest(q *Request, now func() time.Time) bool {
	if !r.asks.hold(q) {
		return false
	}
	if len(r.body) == 0 {
		return true
	}
	body, env := q.Body(), match.Env{Now: now()}
	for _, p := range r.body {
		if !p.matcher.Matches(body.At(p.path), env) {
			return false
		}
	}
	return true
}

// calledTool returns the first tool that a request to a tool server calls, and
// whether it calls one.
func calledTool(operations []string) (name string, ok bool) {
	if len(operations) == 0 {
		return "", false
	}
	return strings.CutPrefix(operations[0], record.ToolPrefix)
}

func (r *rule) matchesDelivery(d Delivery) bool {
	m := &r.Match
	return (m.Service == "" || m.Service == d.Service) && (m.Event == "" || record.Matches(m.Event, d.Event)) &&
		(m.Destination == "" || m.Destination == d.Destination) && (m.URL == "" || record.Matches(m.URL, d.URL))
}
