package environment

import (
	"context"
	"sync"

	"understudy/internal/platform/inject"
	"understudy/internal/platform/store"
)

// metaFaults is the name under which a world stores its fault rules: they go
// with copies, snapshots and forks of it.
const metaFaults = "faults"

// Coded is a Service whose refusals have codes.
type Coded interface {
	// Codes returns them, sorted.
	Codes() []string
}

// Faults are the fault rules of an environment, in force and in its world.
type Faults struct {
	*inject.Faults
	env      *Environment
	services []string                   // that there are
	codesOf  map[string]func() []string // of the services that are Coded
	changing sync.Mutex                 // held while rules are changed
}

// openFaults puts the rules that the world stores in force. Chances follow from
// the seed, where there is one.
func (p *Platform) openFaults(env *Environment, meta map[string]string) error {
	key := env.Secrets.Bytes("faults")
	if meta["seed"] != "" {
		key = []byte("seed " + meta["seed"])
	}
	env.Faults = &Faults{Faults: inject.New(key, env.Clock.Now), env: env, codesOf: map[string]func() []string{}}
	for _, s := range p.Services {
		env.Faults.services = append(env.Faults.services, s.Name())
		if c, ok := s.(Coded); ok {
			env.Faults.codesOf[s.Name()] = c.Codes
		}
	}
	return env.Faults.Load(meta[metaFaults], env.Faults.services)
}

// codes returns the codes of a service's refusals.
func (f *Faults) codes(service string) []string {
	if of := f.codesOf[service]; of != nil {
		return of()
	}
	return nil
}

// Add adds rules, all or none, and returns them. place returns where the rule of
// a number stands in what was sent. It returns the refusals of inject.
func (f *Faults) Add(ctx context.Context, list []inject.Rule, place func(int) string) ([]inject.Shown, error) {
	f.changing.Lock()
	defer f.changing.Unlock()
	made, err := f.Rules(list, place, f.services, f.codes)
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
	return f.Load(text, f.services)
}
