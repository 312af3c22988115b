package environment

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"understudy/internal/platform/outbox"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// Filler is an Instance that makes a part of a bundled fixture by itself.
type Filler interface {
	Fill(ctx context.Context, fixture string) error
}

// Seeder is an Instance that can be filled from its part of a seed document.
type Seeder interface {
	// ReadSeed reads the part, which stands at a place. What is wrong with it
	// goes to r. It changes nothing.
	ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) Seed
}

// Seed is a service's part of a document, ready to be applied.
type Seed interface {
	// Apply makes what the part asks for, in a transaction of the environment's
	// world, and gives what it made by the document's own names. It may run more
	// than once, as every write may. It returns seeddoc.Invalid with the place.
	Apply(ctx context.Context, tx *store.Tx) (made any, err error)
}

// maxSeeding bounds the documents that are applied at once: one holds a
// connection while a service writes to a database of its own.
const maxSeeding = 4

// Seed applies a document to an environment, all or nothing over all services,
// and gives what it made: by service, then by the document's own names. Nobody
// is told of it by an event. It returns NotFound, Interrupted, and
// seeddoc.Invalid with the lines and fields that are wrong.
func (m *Manager) Seed(ctx context.Context, id string, doc *seeddoc.Node) (made map[string]any, err error) {
	err = m.work(ctx, id, func(ctx context.Context, env *Environment) error {
		made, err = m.seed(ctx, env, doc)
		return err
	})
	return made, err
}

func (m *Manager) seed(ctx context.Context, env *Environment, doc *seeddoc.Node) (map[string]any, error) {
	seeds, err := m.readSeeds(env, doc)
	if err != nil || len(seeds) == 0 {
		return map[string]any{}, err
	}
	select {
	case m.seeding <- struct{}{}:
		defer func() { <-m.seeding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx = outbox.Quiet(ctx)
	var made map[string]any
	err = env.World.Write(ctx, func(tx *store.Tx) error {
		made = map[string]any{}
		// In the order of the services: the one with a database of its own is last.
		for _, s := range m.o.Services {
			if seed := seeds[s.Name()]; seed != nil {
				one, err := seed.Apply(ctx, tx)
				if err != nil {
					return err
				}
				made[s.Name()] = one
			}
		}
		return nil
	})
	return made, err
}

// readSeeds has each service read its part.
func (m *Manager) readSeeds(env *Environment, doc *seeddoc.Node) (map[string]Seed, error) {
	r := &seeddoc.Reader{Now: env.Clock.Now()}
	seeds := map[string]Seed{}
	if doc.Kind != seeddoc.Map && doc.Kind != seeddoc.Null {
		r.Refuse(seeddoc.Pos{Line: doc.Line}, "a seed document is a mapping from services to what they are to hold")
	}
	for _, part := range doc.Members {
		at := seeddoc.Pos{Line: part.Line, Field: part.Name}
		seeder, ok := env.instances[part.Name].(Seeder)
		switch {
		case !ok:
			r.Refuse(at, "is no service; there are %s", strings.Join(m.seeders(env), ", "))
		case seeds[part.Name] != nil:
			r.Refuse(at, "is given twice")
		case part.Value.Kind != seeddoc.Null:
			seeds[part.Name] = seeder.ReadSeed(r, part.Value, at)
		}
	}
	return seeds, r.Err()
}

func (m *Manager) seeders(env *Environment) (names []string) {
	for _, s := range m.o.Services {
		if _, ok := env.instances[s.Name()].(Seeder); ok {
			names = append(names, s.Name())
		}
	}
	return names
}

// fill makes what a new environment begins with.
func (m *Manager) fill(ctx context.Context, env *Environment, c Create) error {
	for _, s := range m.o.Services {
		if err := env.instances[s.Name()].Provision(ctx); err != nil {
			return fmt.Errorf("provision %s: %w", s.Name(), err)
		}
	}
	if c.Fixture != "" {
		if err := m.fillFixture(ctx, env, c.Fixture); err != nil {
			return fmt.Errorf("fixture %s: %w", c.Fixture, err)
		}
	}
	if c.Document == nil {
		return nil
	}
	made, err := m.seed(ctx, env, c.Document)
	if c.Made != nil {
		maps.Copy(c.Made, made)
	}
	return err
}

func (m *Manager) fillFixture(ctx context.Context, env *Environment, name string) error {
	for _, s := range m.o.Services {
		if f, ok := env.instances[s.Name()].(Filler); ok {
			if err := f.Fill(ctx, name); err != nil {
				return err
			}
		}
	}
	doc, err := m.o.Fixture(name)
	if err == nil {
		_, err = m.seed(ctx, env, doc)
	}
	return err
}
