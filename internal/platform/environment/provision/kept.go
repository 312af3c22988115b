package provision

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
)

// maxKept bounds the worlds that are kept.
const maxKept = 4

// recipe names what determines all that a new environment holds before a seed
// document is applied: every id follows from the seed, every time from the clock.
type recipe struct{ fixture, seed, clock string }

// recipe returns how an environment begins, and false where ids or times would
// differ from one environment to the next.
func (c *Create) recipe() (recipe, bool) {
	if c.Fixture == "" || c.Start.Seed == nil || c.Start.Clock == nil {
		return recipe{}, false
	}
	return recipe{c.Fixture, strconv.FormatInt(*c.Start.Seed, 10), c.Start.Clock.UTC().Format(time.RFC3339Nano)}, true
}

// kept holds copies of filled worlds, by recipe: the next environment with the
// same recipe begins as a copy, which takes a fraction of the time. The copies
// end with the program.
type kept struct {
	environments *lifecycle.Environments

	mu     sync.RWMutex // held for reading while a copy is copied again
	worlds []keptWorld  // the oldest first
}

type keptWorld struct {
	recipe
	id       string
	position uint64 // of the seeded id source
}

// find returns the world of a recipe, nil where none is kept. The caller holds mu.
func (k *kept) find(r recipe) *keptWorld {
	if i := slices.IndexFunc(k.worlds, func(w keptWorld) bool { return w.recipe == r }); i >= 0 {
		return &k.worlds[i]
	}
	return nil
}

// begin makes a new environment begin as a copy of the world.
func (w *keptWorld) begin(c *lifecycle.Create) {
	copied := environment.Copied{Position: w.position}
	c.From, c.Copied = worlds.Kept(w.id), func() environment.Copied { return copied }
}

// keep copies what an environment was at its creation, unless the recipe is
// kept, or others copy at this moment. The oldest copy makes room.
func (k *kept) keep(ctx context.Context, r recipe, env *environment.Environment) error {
	if !k.mu.TryLock() {
		return nil
	}
	defer k.mu.Unlock()
	if k.find(r) != nil {
		return nil
	}
	if len(k.worlds) == maxKept {
		oldest := k.worlds[0]
		k.worlds = slices.Delete(k.worlds, 0, 1)
		if err := k.environments.Worlds.Drop(ctx, worlds.Kept(oldest.id)); err != nil {
			return err
		}
	}
	entry, err := k.environments.Catalogue.Get(ctx, env.ID)
	if err != nil {
		return err
	}
	id := environment.NewID(false)
	if err := k.environments.Worlds.Copy(ctx, worlds.Base(env.Storage), worlds.Kept(id)); err != nil {
		return err
	}
	k.worlds = append(k.worlds, keptWorld{r, id, uint64(entry.Position)})
	return nil
}
