package lifecycle

import (
	"context"
	"errors"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/worlds"
)

// Create describes a new environment.
type Create struct {
	// Info holds what the catalogue shows. ID and Name are generated when empty,
	// and Created is the time of the environment's clock when zero.
	Info  environment.Info
	Start environment.Start
	// From is the base name of the databases to copy; "" creates an empty
	// environment. Copied is called after the copy.
	From   string
	Copied func() environment.Copied
	// Identified is called with the id once it is known, before Copied. It may be nil.
	Identified func(id string)
	// Fill is called before anybody can open the environment. It may be nil.
	Fill func(ctx context.Context, env *environment.Environment) error
	// Replace removes an environment that has the id.
	Replace bool
	// Closed leaves the environment closed: its first request opens it.
	Closed bool
	// Counted is shared by environments that begin with the same content. It may be
	// nil.
	Counted *Counted
}

// Prepared is a complete environment that the catalogue does not list yet.
type Prepared struct {
	Info  environment.Info
	Env   *environment.Environment // nil for a closed environment
	entry catalogue.Entry
}

// Create creates an environment and opens it. The catalogue lists it only when
// it is complete, so a crash in the middle leaves nothing. It returns
// environment.Exists.
func (e *Environments) Create(ctx context.Context, c Create) (*environment.Environment, error) {
	p, err := e.Prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	return p.Env, e.Publish(ctx, c.Replace, p)
}

// Prepare creates an environment for Publish. It returns environment.Exists.
func (e *Environments) Prepare(ctx context.Context, c Create) (*Prepared, error) {
	Sweeper{e}.makeRoom(ctx)
	if err := c.identify(ctx, e.Catalogue); err != nil {
		return nil, err
	}
	base := worlds.Of(c.Info.Storage)
	b := environment.Binding{Info: c.Info, Filling: true}
	var err error
	if b.World, b.Extra, err = e.Worlds.Create(ctx, base, c.From); err != nil {
		return nil, err
	}
	if c.From == "" {
		b.Start = &c.Start
	} else {
		copied := c.Copied()
		b.Copy = &copied
	}
	b.Equals = worlds.Base(c.Info.Storage)
	env, err := e.Platform.Bind(ctx, b)
	if err != nil {
		return nil, errors.Join(err, e.Worlds.Drop(ctx, base))
	}
	if env.Created.IsZero() {
		env.Created = env.Clock.Now()
	}
	if c.Fill != nil {
		err = c.Fill(ctx, env)
	}
	p := &Prepared{Info: env.Info, Env: env}
	if err == nil {
		err = p.complete(ctx, e, &c)
	}
	if err != nil {
		return nil, errors.Join(err, e.Abandon(ctx, p))
	}
	return p, nil
}

// identify generates the id, storage and name that the caller has not chosen.
func (c *Create) identify(ctx context.Context, known *catalogue.Catalogue) error {
	i := &c.Info
	generated := i.ID == ""
	switch {
	case generated:
		i.Storage = environment.NewID(i.Ephemeral)
		i.ID = i.Storage
	case i.ID == environment.Default:
		i.Storage = i.ID
	default:
		i.Storage = environment.NewID(i.Ephemeral)
	}
	if i.Name == "" {
		i.Name = i.ID
	}
	if c.Identified != nil {
		c.Identified(i.ID)
	}
	if generated || c.Replace {
		return nil
	}
	_, err := known.Get(ctx, i.ID) // Publish checks again; checking here saves the work
	switch {
	case err == nil:
		return environment.Exists.At("id")
	case errors.Is(err, environment.NotFound):
		return nil
	}
	return err
}

// complete makes an environment durable and copies the state that a reset
// restores.
func (p *Prepared) complete(ctx context.Context, e *Environments, c *Create) error {
	env := p.Env
	p.entry = catalogue.Entry{Info: env.Info, Wake: catalogue.WakeAtStart}
	// Before MakeDurable no copy waits for the disk, and one flush serves both names
	// of the file.
	if !c.Closed {
		env.Observe()
		position, err := e.Worlds.CopyOpen(ctx, env, worlds.Base(env.Storage))
		if err != nil {
			return err
		}
		p.entry.Position = int64(position)
		if counts := c.Counted.in(ctx, env); counts != nil {
			environment.KnowCounts(env, *counts) // so that a list need not read the environment
		}
		return env.World.MakeDurable(ctx)
	}
	err := env.Flush(ctx)
	if err == nil {
		err = env.World.MakeDurable(ctx)
	}
	if err != nil {
		return err
	}
	// Copying a closed database only adds a name to its file.
	note := Overviews{e}.closing(env, c.Counted.in(ctx, env))
	p.entry.Wake, p.entry.Overview, p.entry.Position = note.Wake, note.Overview, int64(env.IDs.Position())
	p.Env = nil
	env.Close()
	return e.Worlds.Copy(ctx, worlds.Of(env.Storage), worlds.Base(env.Storage))
}

// Abandon removes environments that were prepared.
func (e *Environments) Abandon(ctx context.Context, all ...*Prepared) (err error) {
	for _, p := range all {
		if p.Env != nil {
			p.Env.Discard()
		}
		err = errors.Join(err, e.Worlds.Drop(ctx, worlds.Of(p.Info.Storage)), e.Worlds.Drop(ctx, worlds.Base(p.Info.Storage)))
	}
	return err
}
