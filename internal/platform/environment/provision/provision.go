// Package provision creates environments with content and adds content to
// existing ones: service defaults, bundled fixtures and seed documents.
package provision

import (
	"context"
	"fmt"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/seeddoc"
)

// maxSeeding is how many documents are applied concurrently: each holds a
// connection while a service writes to a database of its own.
const maxSeeding = 4

// Provisioner creates the content of environments.
type Provisioner struct {
	environments *lifecycle.Environments
	fixture      func(name string) ([]*seeddoc.Node, error)
	slots        chan struct{} // one slot for each document that is being applied
	kept         *kept
}

// New returns a provisioner. fixture returns the seed documents of a bundled
// fixture, in the order in which they are applied.
func New(e *lifecycle.Environments, fixture func(name string) ([]*seeddoc.Node, error)) *Provisioner {
	return &Provisioner{environments: e, fixture: fixture, slots: make(chan struct{}, maxSeeding), kept: newKept(e)}
}

// Create describes a new environment; zero fields have defaults.
type Create struct {
	ID         string // generated when empty
	Replace    bool   // remove the environment that has the ID
	Name       string // the id when empty
	RateLimits ratelimit.Setting
	TTL        time.Duration // real time; 0 means for ever
	Ephemeral  bool          // kept in memory only
	environment.Start
	Fixture  string        // the name of a bundled fixture, or ""
	Document *seeddoc.Node // a seed document, applied after the fixture; nil for none
	// Describe is called with the environment before others can open it, while its
	// connection still holds the content in memory. It may be nil.
	Describe func(ctx context.Context, env *environment.Environment) error
}

// Create creates an environment with its content and opens it. It also returns
// what the document created, as Seed does.
func (p *Provisioner) Create(ctx context.Context, c Create) (env *environment.Environment, made map[string]any, err error) {
	info := environment.Info{ID: c.ID, Name: c.Name, RateLimits: c.RateLimits, Ephemeral: c.Ephemeral}
	info.SetTTL(c.TTL)
	in := lifecycle.Create{Info: info, Start: c.Start, Replace: c.Replace}
	if c.Document == nil {
		in.Counted = p.kept.countedOf(c.Fixture)
	}
	in.Fill = func(ctx context.Context, env *environment.Environment) (err error) {
		made, err = p.fill(ctx, env, c, in.From != "")
		return err
	}
	r, ok := c.recipe()
	if !ok {
		env, err = p.environments.Create(ctx, in)
		return env, made, err
	}
	toKeep := c.Document == nil
	world, release, err := p.kept.find(ctx, r, toKeep)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	began := clock.Real()
	if world != nil {
		world.copyTo(&in)
	}
	if env, err = p.environments.Create(ctx, in); err == nil && world == nil && toKeep {
		if err := p.kept.keep(ctx, r, began, env); err != nil {
			env.Log.Warn("the environment could not be kept as a template for the next one with the same fixture", "fixture", c.Fixture, "error", err)
		}
	}
	return env, made, err
}

// fill creates the content of a new environment. A copy lacks only what the
// document creates, and its own credentials unless they follow from a seed.
func (p *Provisioner) fill(ctx context.Context, env *environment.Environment, c Create, isCopy bool) (made map[string]any, err error) {
	if !isCopy {
		if err := p.fillEmpty(ctx, env, c.Fixture); err != nil {
			return nil, err
		}
	} else if c.Start.Seed == nil {
		if err := environment.MakeOwn(ctx, env, p.environments.Platform.Services); err != nil {
			return nil, err
		}
	}
	if c.Document != nil {
		if made, err = p.Apply(ctx, env, c.Document); err != nil {
			return nil, err
		}
	}
	// A copy already has the index of its source, and the few messages of the defaults
	// are not worth one: a search reads them.
	if c.Document != nil || !isCopy && c.Fixture != "" {
		if err := p.index(ctx, env); err != nil {
			return nil, err
		}
	}
	if c.Describe != nil {
		err = c.Describe(ctx, env)
	}
	return made, err
}

// index builds the search indexes of the content.
func (p *Provisioner) index(ctx context.Context, env *environment.Environment) error {
	for _, in := range p.instances(env) {
		if x, ok := in.Instance.(environment.Indexer); ok {
			if err := x.Index(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillEmpty creates the defaults of each service, and a fixture unless that is
// "".
func (p *Provisioner) fillEmpty(ctx context.Context, env *environment.Environment, fixture string) error {
	for _, in := range p.instances(env) {
		if err := in.Provision(ctx); err != nil {
			return fmt.Errorf("provision %s: %w", in.name, err)
		}
	}
	if fixture == "" {
		return nil
	}
	if err := p.fillFixture(ctx, env, fixture); err != nil {
		return fmt.Errorf("fixture %s: %w", fixture, err)
	}
	return nil
}

// instance is a service in an environment, with its name.
type instance struct {
	environment.Instance
	name string
}

// instances returns the instances of an environment in the order of the services.
func (p *Provisioner) instances(env *environment.Environment) (all []instance) {
	for _, s := range p.environments.Platform.Services {
		all = append(all, instance{env.Service(s.Name()), s.Name()})
	}
	return all
}

func (p *Provisioner) fillFixture(ctx context.Context, env *environment.Environment, name string) error {
	docs, err := p.fixture(name)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if _, err := p.Apply(ctx, env, doc); err != nil {
			return err
		}
	}
	return env.OpenFixture(ctx, name)
}
