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
	// maxKept bounds the worlds that are kept.
	maxKept = 4
	// maxAge is how much later than what it holds an environment with a running clock
	// may begin.
	maxAge = time.Minute
)

// recipe names what determines what a new environment holds before a seed document
// is applied, but for its secrets: every id that counts follows from the seed, every
// time from the clock. seed and clock are "" where none was given.
type recipe struct{ fixture, seed, clock string }

// recipe returns how an environment begins, and false for one without a fixture,
// which is made in less time than it would be copied.
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

// kept holds copies of filled worlds, by recipe: the next environment with the
// same recipe begins as a copy, which takes a fraction of the time. The copies
// end with the program.
type kept struct {
	environments *lifecycle.Environments
	copies       *lease.Set[struct{}] // those that are being copied again, by base name

	mu     sync.Mutex
	worlds []*keptWorld             // the one that was used the longest time ago first
	making map[recipe]chan struct{} // what somebody makes at this moment; closed at the end
	// counted is how much environments keep that are filled alike, by fixture.
	counted map[string]*lifecycle.Counted
}

// keptWorld is a copy of an environment as it was when it was made.
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

// fits reports whether an environment that is made now may begin as a copy. With a
// clock of its own it always may. The times of others count back from now, those of
// some things in whole days.
func (w *keptWorld) fits(now time.Time) bool {
	if w.clock != "" {
		return true
	}
	age := now.Sub(w.began)
	return 0 <= age && age < maxAge && w.began.UTC().YearDay() == now.UTC().YearDay()
}

// copyTo makes a new environment begin as a copy of the world.
func (w *keptWorld) copyTo(in *lifecycle.Create) {
	copied := environment.Copied{Position: w.position, New: true}
	if w.seed == "" {
		copied.Own = ids.Random().Hex(32)
	}
	in.From, in.Copied = w.base, func() environment.Copied { return copied }
}

// find returns the world of a recipe, nil where none is kept that fits. While
// somebody makes one it waits; as a maker, the caller who gets nil makes it, and
// others wait until release, which every caller must call.
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

// countedOf returns how much environments with a fixture keep, without one where that is "".
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

// keep copies what an environment was at its creation, which began at a time. The
// copy replaces that of the same recipe, or the one that was used the longest time ago.
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
