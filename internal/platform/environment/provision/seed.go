package provision

import (
	"context"
	"strings"

	"understudy/internal/platform/cause"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/outbox"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// Seed applies a seed document to an environment, all or nothing over all
// services, and publishes no events. It returns what it created: by service, then
// by the document's own names. It returns environment.NotFound,
// environment.Interrupted, and seeddoc.Invalid with the invalid lines and fields.
func (p *Provisioner) Seed(ctx context.Context, id string, doc *seeddoc.Node) (made map[string]any, err error) {
	err = p.environments.Work(ctx, id, func(ctx context.Context, env *environment.Environment) error {
		if made, err = p.Apply(ctx, env, doc); err == nil {
			env.CredentialsChanged()
		}
		return err
	})
	return made, err
}

// Apply is Seed for an environment that is not in use yet.
func (p *Provisioner) Apply(ctx context.Context, env *environment.Environment, doc *seeddoc.Node) (map[string]any, error) {
	seeds, err := p.read(env, doc)
	if err != nil || len(seeds) == 0 {
		return map[string]any{}, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx = cause.InBulk(outbox.Quiet(ctx))
	var made map[string]any
	err = env.World.Write(ctx, func(tx *store.Tx) error {
		made = map[string]any{}
		// In the order of the services: the one with a database of its own comes last.
		for _, in := range p.instances(env) {
			if seed := seeds[in.name]; seed != nil {
				one, err := seed.Apply(ctx, tx)
				if err != nil {
					return err
				}
				made[in.name] = one
			}
		}
		return environment.AddMade(tx, made)
	})
	return made, err
}

// read reads the part of each service that the document names.
func (p *Provisioner) read(env *environment.Environment, doc *seeddoc.Node) (map[string]environment.Seed, error) {
	r := &seeddoc.Reader{Now: env.Clock.Now()}
	seeds := map[string]environment.Seed{}
	if doc.Kind != seeddoc.Map && doc.Kind != seeddoc.Null {
		r.Refuse(seeddoc.Pos{Place: doc.Place}, "a seed document must be a mapping from services to their contents")
	}
	for _, part := range doc.Members {
		at := seeddoc.Pos{Place: part.Place, Field: part.Name}
		seeder, ok := env.Service(part.Name).(environment.Seeder)
		switch {
		case !ok:
			r.Refuse(at, "is not a service; there are %s", strings.Join(p.seeders(env), ", "))
		case seeds[part.Name] != nil:
			r.Refuse(at, "is given twice")
		case part.Value.Kind != seeddoc.Null:
			seeds[part.Name] = seeder.ReadSeed(r, part.Value, at)
		}
	}
	return seeds, r.Err()
}

func (p *Provisioner) seeders(env *environment.Environment) (names []string) {
	for _, in := range p.instances(env) {
		if _, ok := in.Instance.(environment.Seeder); ok {
			names = append(names, in.name)
		}
	}
	return names
}
