package provision

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/environment/worlds"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store/lease"
)

const (
	// maxKept is the most worlds that are kept.
	maxKept = 4
	// maxAge bounds the age of a copy for an environment with a running clock.
	maxAge = time.Minute
)

// recipe identifies the content of a new environment before its seed document,
// except for secrets: all ids in it follow from the seed, all times from the
// clock. seed and clock are "" if none was given.
type recipe struct{ fixture, seed, clock string }

// recipe returns the recipe of an environment, and false without a fixture:
// creating an empty environment is faster than copying one.
func (c *Create) recipe() (r recipe, ok bool) {
	r.fixture = c.Fixture
	if c.Start.Seed != nil {
		r.seed = strconv.FormatInt(*c.Start.Seed, 10)
	}
	if c.Start.Clock != nil {
		r.clock = c.Start.Clock.UTC().Format(time.RFC3339Nano)
	}
	return r, c.Fixture != ""
}

// kept caches copies of filled worlds by recipe: copying one takes a fraction of
// the time of filling one. The copies end with the program.
type kept struct {
	environments *lifecycle.Environments
	copies       *lease.Set[struct{}] // copies in use, by base name

	mu     sync.Mutex
	worlds []*keptWorld             // the least recently used first
	making map[recipe]chan struct{} // recipes whose copy is being made; closed at the end
	// counted holds the counts of environments, by fixture.
	counted map[string]*lifecycle.Counted
}

// keptWorld is a copy of an environment as it was at its creation.
type keptWorld struct {
	recipe
	base     string // the base name of its databases
	position uint64 // of the seeded id source
	began    time.Time
}

func newKept(e *lifecycle.Environments) *kept {
	k := &kept{environments: e, making: map[recipe]chan struct{}{}, counted: map[string]*lifecycle.Counted{}}
	k.copies = lease.NewSet(func(string) (struct{}, error) { return struct{}{}, nil }, func(string, struct{}) {}, func(base string) {
		if err := e.Worlds.Drop(context.Background(), base); err != nil {
			e.Platform.Log.Error("a kept world could not be removed; the next start removes it", "world", base, "error", err)
		}
	})
	return k
}

// fits reports whether an environment created at now may begin as this copy. It
// always may if the clock was given. Otherwise times count back from now, some of
// them in whole days.
func (w *keptWorld) fits(now time.Time) bool {
	if w.clock != "" {
		return true
	}
	age := now.Sub(w.began)
	return 0 <= age && age < maxAge && w.began.UTC().YearDay() == now.UTC().YearDay()
}

// copyTo makes a new environment begin as this copy.
func (w *keptWorld) copyTo(in *lifecycle.Create) {
	copied := environment.Copied{Position: w.position, New: true}
	if w.seed == "" {
		copied.Own = ids.Random().Hex(32)
	}
	in.From, in.Copied = w.base, func() environment.Copied { return copied }
}

// find returns the copy of a recipe, nil if none fits. It waits while another
// caller makes one. A maker that gets nil must make the copy, and others wait for
// it until release. Every caller must call release.
func (k *kept) find(ctx context.Context, r recipe, maker bool) (w *keptWorld, release func(), err error) {
	for {
		w, release, wait := k.look(r, maker)
		if wait == nil {
			return w, release, nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (k *kept) look(r recipe, maker bool) (w *keptWorld, release func(), wait <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := k.index(r); i >= 0 && k.worlds[i].fits(clock.Real()) {
		w = k.worlds[i]
		k.worlds = append(slices.Delete(k.worlds, i, i+1), w)
		return w, k.copies.Hold(w.base), nil
	}
	if made := k.making[r]; made != nil {
		return nil, nil, made
	}
	if !maker {
		return nil, func() {}, nil
	}
	made := make(chan struct{})
	k.making[r] = made
	return nil, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.making, r)
		close(made)
	}, nil
}

// countedOf returns the counts of environments with a fixture ("" for none).
func (k *kept) countedOf(fixture string) *lifecycle.Counted {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.counted[fixture] == nil {
		k.counted[fixture] = &lifecycle.Counted{}
	}
	return k.counted[fixture]
}

func (k *kept) index(r recipe) int {
	return slices.IndexFunc(k.worlds, func(w *keptWorld) bool { return w.recipe == r })
}

// keep stores a copy of an environment at its creation, which started at began.
// The copy replaces that of the same recipe, or the least recently used one.
func (k *kept) keep(ctx context.Context, r recipe, began time.Time, env *environment.Environment) error {
	entry, err := k.environments.Catalogue.Get(ctx, env.ID)
	if err != nil {
		return err
	}
	w := &keptWorld{recipe: r, base: worlds.Kept(environment.NewID(false)), position: uint64(entry.Position), began: began}
	if err := k.environments.Worlds.Copy(ctx, worlds.Base(env.Storage), w.base); err != nil {
		return err
	}
	k.mu.Lock()
	i := k.index(r)
	if i < 0 && len(k.worlds) == maxKept {
		i = 0
	}
	gone := ""
	if i >= 0 {
		gone = k.worlds[i].base
		k.worlds = slices.Delete(k.worlds, i, i+1)
	}
	k.worlds = append(k.worlds, w)
	k.mu.Unlock()
	if gone != "" {
		k.copies.Remove(gone)
	}
	return nil
}
