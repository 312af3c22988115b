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
	// From is the base name of the databases that the environment begins as a
	// copy of, and Copied is called when they are copied; "" for an empty environment.
	From   string
	Copied func() environment.Copied
	// Fill is called before anybody can open the environment. It may be nil.
	Fill func(ctx context.Context, env *environment.Environment) error
}

// Create creates an environment and opens it. The catalogue lists it only when
// it is complete, so a crash in the middle leaves nothing.
func (e *Environments) Create(ctx context.Context, c Create) (*environment.Environment, error) {
	Sweeper{e}.makeRoom(ctx)
	if c.Info.ID == "" {
		c.Info.ID = environment.NewID(c.Info.Ephemeral)
	}
	if c.Info.Name == "" {
		c.Info.Name = c.Info.ID
	}
	base := worlds.Of(c.Info.ID)
	b := environment.Binding{Info: c.Info}
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
	b.Equals = worlds.Base(c.Info.ID)
	env, err := e.Platform.Bind(ctx, b)
	if err != nil {
		return nil, errors.Join(err, e.Worlds.Drop(ctx, base))
	}
	if env.Created.IsZero() {
		env.Created = env.Clock.Now()
	}
	if c.Fill != nil {
		if err := c.Fill(ctx, env); err != nil {
			env.Discard()
			return nil, errors.Join(err, e.Worlds.Drop(ctx, base))
		}
	}
	return env, e.publish(ctx, env)
}

// publish makes a new environment durable, copies the state that a reset goes
// back to, and enters it into the catalogue. Who finds it there waits until it
// is open in this process. When publish fails it removes the environment.
func (e *Environments) publish(ctx context.Context, env *environment.Environment) error {
	err := env.Flush(ctx) // before MakeDurable: until then nobody waits for the disk
	if err == nil {
		err = env.World.MakeDurable(ctx)
	}
	var position uint64
	if err == nil {
		env.Observe()
		position, err = e.Worlds.CopyOpen(ctx, env, worlds.Base(env.ID))
	}
	var own *entry
	if err == nil {
		own, err = e.table.claim(env.ID)
	}
	if err == nil {
		err = e.Catalogue.Insert(ctx, catalogue.Entry{Info: env.Info, Wake: catalogue.WakeAtStart, Position: int64(position)})
	}
	if err == nil {
		e.table.opened(own, env)
		return nil
	}
	env.Discard()
	err = errors.Join(err, e.Worlds.Drop(ctx, worlds.Of(env.ID)), e.Worlds.Drop(ctx, worlds.Base(env.ID)))
	if own != nil {
		e.table.closed(own, err)
	}
	return err
}
