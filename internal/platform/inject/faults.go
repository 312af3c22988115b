package inject

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync/atomic"
)

// inForce is the active rules, nil for none.
type inForce struct{ atomic.Pointer[rules] }

// rules are rules in order of creation, and those on requests grouped by their
// conditions.
type rules struct {
	rules  []*armed
	groups []group
}

func (l *inForce) set(list []*armed) {
	if len(list) == 0 {
		l.Store(nil)
		return
	}
	l.Store(&rules{list, grouped(list)})
}

// Shown is a rule with its counters.
type Shown struct {
	Rule
	Matched int `json:"matched" description:"How many requests or deliveries it was about since the environment was made, restored or opened."`
	Fired   int `json:"fired"`
}

// Rules validates new rules in the context of the existing ones, and generates
// missing ids. It returns BadRule, UnknownCode, UnknownOperation, UnknownEvent, Exists and
// TooMany; place returns the place of the i-th rule in the request.
func (f *Faults) Rules(list []Rule, place func(int) string, names Names) ([]Rule, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if len(f.all)+len(list) > Most {
		return nil, TooMany
	}
	used := map[string]bool{}
	for _, a := range f.all {
		used[a.ID] = true
	}
	for _, r := range list {
		if r.ID != "" && used[r.ID] {
			return nil, Exists.At(r.ID)
		}
		used[r.ID] = r.ID != ""
	}
	out := make([]Rule, len(list))
	for i, r := range list {
		c, err := check(r, place(i), names)
		if err != nil {
			return nil, err
		}
		for n := 1; c.ID == ""; n++ {
			if id := "fault-" + strconv.Itoa(n); !used[id] {
				c.ID = id
				used[id] = true
			}
		}
		out[i] = c.Rule
	}
	return out, nil
}

// Text returns all rules in their stored form: without those for which drop
// returns true, the others modified by change (nil for unchanged), followed by
// list.
func (f *Faults) Text(drop func(id string) bool, change func(*Rule), list ...Rule) (string, error) {
	all := []Rule{}
	for _, s := range f.List() {
		if drop(s.ID) {
			continue
		}
		if change != nil {
			change(&s.Rule)
		}
		all = append(all, s.Rule)
	}
	b, err := json.Marshal(append(all, list...))
	return string(b), err
}

// Load activates the rules of a world. Rules that were active keep their
// counters.
func (f *Faults) Load(text string, services []string) error {
	var list []Rule
	if text != "" {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.all
	f.all = nil
	var requests, deliveries []*armed
	for _, r := range list {
		c, err := check(r, "", Names{Services: services, Codes: func(string) []string { return codesOf(&r) }})
		if err != nil {
			continue // unknown here, but perhaps known to a later version
		}
		a := &armed{rule: c}
		if i := slices.IndexFunc(old, func(a *armed) bool { return a.ID == r.ID }); i >= 0 {
			a.matched, a.fired = old[i].counts()
		}
		f.all = append(f.all, a)
		switch {
		case !c.on:
		case c.On == OnRequest:
			requests = append(requests, a)
		default:
			deliveries = append(deliveries, a)
		}
	}
	f.requests.set(requests)
	f.delivery.set(deliveries)
	return nil
}

// codesOf returns the codes in a stored rule, which was validated.
func codesOf(r *Rule) (codes []string) {
	for _, e := range []*Refusal{r.Do.Error, r.Do.ErrorAfter} {
		if e != nil {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

func (a *armed) counts() (matched, fired int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.matched, a.fired
}

// List returns the rules in order of creation.
func (f *Faults) List() []Shown {
	f.mu.RLock()
	defer f.mu.RUnlock()
	out := make([]Shown, len(f.all))
	for i, a := range f.all {
		out[i].Rule = a.Rule
		out[i].Enabled = &a.on
		out[i].Matched, out[i].Fired = a.counts()
	}
	return out
}

// Get returns a rule. It returns NotFound.
func (f *Faults) Get(id string) (Shown, error) {
	for _, s := range f.List() {
		if s.ID == id {
			return s, nil
		}
	}
	return Shown{}, NotFound
}

// Ended returns a channel that is closed when delays must end.
func (f *Faults) Ended() <-chan struct{} { return f.ended }

// End ends all delays.
func (f *Faults) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.ended:
	default:
		close(f.ended)
	}
}
