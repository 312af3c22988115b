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

// metaFaults is the name under which a world stores its fault rules: they go
// with copies, snapshots and forks of it.
const metaFaults = "faults"

// Coded is a Service whose refusals have codes.
type Coded interface {
	// Codes returns the codes of its refusals, sorted.
	Codes() []string
}

// Operated is a Service whose requests have operations.
type Operated interface {
	// Operations returns the names that recordings have for them.
	Operations() []string
}

// Operations returns the names of all that recordings can show, sorted.
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

// names returns what fault rules can name.
func (p *Platform) names() inject.Names {
	return inject.Names{Services: p.serviceNames(), Codes: p.codes, Operations: Operations(p.Services), With: p.servicesWith}
}

// servicesWith returns the services that have an operation of a pattern.
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

// Faults are the fault rules of an environment, in force and in its world.
type Faults struct {
	*inject.Faults
	env      *Environment
	platform *Platform
	changing sync.Mutex // held while rules are changed
}

// openFaults puts the rules that the world stores in force. Chances follow from
// the seed, where there is one.
func (p *Platform) openFaults(env *Environment, meta map[string]string) error {
	key := env.Secrets.Bytes("faults")
	if seed := cmp.Or(meta["ids_seed"], meta["seed"]); seed != "" {
		key = []byte("seed " + seed)
	}
	env.Faults = &Faults{Faults: inject.New(key, env.Clock.Now), env: env, platform: p}
	return env.Faults.Load(meta[metaFaults], p.serviceNames())
}

// CheckFaults checks the rules of a world that has no others, and returns them
// with an id for each. place returns where the rule of a number stands in what
// was sent. It returns the refusals of inject.
func (p *Platform) CheckFaults(list []inject.Rule, place func(int) string) ([]inject.Rule, error) {
	return inject.New(nil, nil).Rules(list, place, p.names())
}

func (p *Platform) serviceNames() (names []string) {
	for _, s := range p.Services {
		names = append(names, s.Name())
	}
	return names
}

// codes returns the codes of a service's refusals; nil for a service without any.
func (p *Platform) codes(service string) []string {
	for _, s := range p.Services {
		if c, ok := s.(Coded); ok && s.Name() == service {
			return c.Codes()
		}
	}
	return nil
}

// Add adds rules, all or none, and returns them. place returns where the rule of
// a number stands in what was sent. It returns the refusals of inject.
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

// Enable switches a rule on or off. It returns inject.NotFound.
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

// store stores the rules in the world and puts them in force.
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
