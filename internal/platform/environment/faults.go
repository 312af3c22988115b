package environment

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"understudy/internal/platform/inject"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// metaFaults is the metadata key of fault rules, so that copies, snapshots and
// forks contain them.
const metaFaults = "faults"

// Coded is a Service whose errors have codes.
type Coded interface {
	// Codes returns the codes of its errors, sorted.
	Codes() []string
}

// Operated is a Service whose requests have operations.
type Operated interface {
	// Operations returns their names in recordings.
	Operations() []string
}

// Eventful is a Service that delivers events.
type Eventful interface {
	// Events returns the types of these events.
	Events() []string
}

// Operations returns all operation names of recordings, sorted.
func Operations(services []Service) record.Operations {
	names := record.Operations{}
	for _, s := range services {
		if o, ok := s.(Operated); ok {
			names = append(names, o.Operations()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// names returns the names that fault rules can use.
func (p *Platform) names() inject.Names {
	return inject.Names{Services: p.serviceNames(), Codes: p.codes, Operations: Operations(p.Services), With: p.servicesWith, Events: p.events}
}

// events returns the types of the events that a service delivers, or all
// services if service is "".
func (p *Platform) events(service string) record.Operations {
	types := record.Operations{}
	for _, s := range p.Services {
		if e, ok := s.(Eventful); ok && (service == "" || service == s.Name()) {
			types = append(types, e.Events()...)
		}
	}
	return types
}

// servicesWith returns the services with an operation that matches a pattern.
func (p *Platform) servicesWith(pattern string) (names []string) {
	for _, s := range p.Services {
		if o, ok := s.(Operated); ok {
			if _, fits := record.Operations(o.Operations()).Check(pattern); fits {
				names = append(names, s.Name())
			}
		}
	}
	return names
}

// Faults manages the fault rules of an environment, in memory and in its world.
type Faults struct {
	*inject.Faults
	env      *Environment
	platform *Platform
	changing sync.Mutex // held while rules are changed
}

// openFaults activates the rules stored in the world. Chances are derived from
// the seed, if there is one.
func (p *Platform) openFaults(env *Environment, meta map[string]string) error {
	key := env.Secrets.Bytes("faults")
	if seed := cmp.Or(meta["ids_seed"], meta["seed"]); seed != "" {
		key = []byte("seed " + seed)
	}
	env.Faults = &Faults{Faults: inject.New(key, env.Clock.Now), env: env, platform: p}
	return env.Faults.Load(meta[metaFaults], p.serviceNames())
}

// CheckFaults validates the rules of a world without rules, and returns them with
// ids. place returns the place of the i-th rule in the request. It returns the
// errors of inject.
func (p *Platform) CheckFaults(list []inject.Rule, place func(int) string) ([]inject.Rule, error) {
	return inject.New(nil, nil).Rules(list, place, p.names())
}

func (p *Platform) serviceNames() (names []string) {
	for _, s := range p.Services {
		names = append(names, s.Name())
	}
	return names
}

// codes returns the error codes of a service; nil for a service without any.
func (p *Platform) codes(service string) []string {
	for _, s := range p.Services {
		if c, ok := s.(Coded); ok && s.Name() == service {
			return c.Codes()
		}
	}
	return nil
}

// Add adds rules, all or none, and returns them. place returns the place of the
// i-th rule in the request. It returns the errors of inject.
func (f *Faults) Add(ctx context.Context, list []inject.Rule, place func(int) string) ([]inject.Shown, error) {
	f.changing.Lock()
	defer f.changing.Unlock()
	made, err := f.Rules(list, place, f.platform.names())
	if err != nil {
		return nil, err
	}
	if err := f.store(ctx, none, nil, made...); err != nil {
		return nil, err
	}
	out := make([]inject.Shown, len(made))
	for i := range made {
		if out[i], err = f.Get(made[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// none drops no rule.
func none(string) bool { return false }

// Enable enables or disables a rule. It returns inject.NotFound.
func (f *Faults) Enable(ctx context.Context, id string, on bool) (inject.Shown, error) {
	f.changing.Lock()
	defer f.changing.Unlock()
	if _, err := f.Get(id); err != nil {
		return inject.Shown{}, err
	}
	if err := f.store(ctx, none, func(r *inject.Rule) {
		if r.ID == id {
			r.Enabled = &on
		}
	}); err != nil {
		return inject.Shown{}, err
	}
	return f.Get(id)
}

// Remove removes a rule, or all with "". It returns inject.NotFound.
func (f *Faults) Remove(ctx context.Context, id string) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	if id != "" {
		if _, err := f.Get(id); err != nil {
			return err
		}
	}
	return f.store(ctx, func(known string) bool { return id == "" || known == id }, nil)
}

// store stores the rules in the world and activates them.
func (f *Faults) store(ctx context.Context, drop func(id string) bool, change func(*inject.Rule), more ...inject.Rule) error {
	text, err := f.Text(drop, change, more...)
	if err != nil {
		return err
	}
	if err := f.env.World.Write(ctx, func(tx *store.Tx) error { return setMeta(tx, map[string]string{metaFaults: text}) }); err != nil {
		return err
	}
	return f.Load(text, f.platform.serviceNames())
}
