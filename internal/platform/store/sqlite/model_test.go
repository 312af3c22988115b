package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite/files"
	"understudy/internal/platform/system"
)

// modelTime is how long worlds are compared with the model; UNDERSTUDY_MODEL_TIME is another.
const modelTime = 2 * time.Second

// model is what worlds must hold: all that a write, a copy or a removal was
// acknowledged for, and nothing else. Each world is used by one worker at a
// time, all of them at once.
type model struct {
	fixture
	paused sync.RWMutex // held for writing while the program is killed or started again
	worlds []*modelWorld

	written atomic.Int64 // texts, each of which is another
}

type modelWorld struct {
	mu    sync.Mutex
	name  string
	there bool
	texts []string
	world *store.World // nil while it is closed
}

func newModel(t *testing.T) *model {
	m := &model{fixture: newFixture(t, t.TempDir())}
	for i := range 9 {
		m.worlds = append(m.worlds, &modelWorld{name: fmt.Sprint("w", i)})
	}
	return m
}

// two locks two worlds, of which the second is closed when fn begins.
func (m *model) two(r *rand.Rand, fn func(from, to *modelWorld)) {
	i, j := r.IntN(len(m.worlds)), r.IntN(len(m.worlds))
	if i == j {
		return
	}
	for _, k := range []int{min(i, j), max(i, j)} {
		m.worlds[k].mu.Lock()
		defer m.worlds[k].mu.Unlock()
	}
	if m.worlds[j].world == nil {
		fn(m.worlds[i], m.worlds[j])
	}
}

func (m *model) one(r *rand.Rand, fn func(w *modelWorld)) {
	w := m.worlds[r.IntN(len(m.worlds))]
	w.mu.Lock()
	defer w.mu.Unlock()
	fn(w)
}

func (m *model) awake(r *rand.Rand, fn func(w *modelWorld)) {
	m.one(r, func(w *modelWorld) {
		if w.there && w.world == nil {
			w.world = m.opened(w.name)
		}
		if w.there {
			fn(w)
		}
	})
}

// step does one thing that a program does with worlds.
func (m *model) step(r *rand.Rand) {
	m.paused.RLock()
	defer m.paused.RUnlock()
	ctx := context.Background()
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		m.awake(r, func(w *modelWorld) {
			text := fmt.Sprintf("%08d", m.written.Add(1))
			w.texts = append(slices.Clip(w.texts), text)
			if r.IntN(8) == 0 {
				text += " " + strings.Repeat("x", 400_000)
			}
			m.write(w.world, text)
		})
	case 4:
		m.awake(r, func(w *modelWorld) { m.holds(w.world, strings.Join(w.texts, " ")) })
	case 5, 6:
		m.awake(r, func(w *modelWorld) { w.world.Suspend() })
	case 7, 8:
		m.two(r, func(from, to *modelWorld) {
			if err := m.Copy(ctx, from.name, to.name); from.there {
				m.check(err)
			} else if err != store.ErrNoWorld {
				m.t.Errorf("copying nothing: %v", err)
			}
			to.there, to.texts = from.there, from.texts
		})
	case 9:
		m.two(r, func(from, to *modelWorld) {
			origin := ""
			to.texts = nil
			if from.there {
				origin, to.texts = from.name, from.texts
			}
			to.there, to.world = true, m.made(to.name, origin)
		})
	case 10, 11:
		m.one(r, func(w *modelWorld) {
			if w.world != nil {
				m.check(w.world.Close())
				w.world = nil
			}
		})
	default:
		m.one(r, func(w *modelWorld) {
			if w.world != nil {
				m.check(w.world.Discard())
			}
			m.check(m.Drop(ctx, w.name))
			w.there, w.texts, w.world = false, nil, nil
			if r.IntN(2) == 0 { // as one that is opened lazily
				w.there, w.world = true, m.opened(w.name)
			}
		})
	}
}

// kill continues with the folder as a program leaves it that is killed at this
// moment.
func (m *model) kill() {
	m.paused.Lock()
	defer m.paused.Unlock()
	dir := m.t.TempDir()
	m.check(copyFolder(m.dir, dir))
	m.end()
	m.fixture = newFixture(m.t, dir)
	m.compare()
}

// restart ends the program and starts it again.
func (m *model) restart() {
	m.paused.Lock()
	defer m.paused.Unlock()
	m.end()
	m.fixture = newFixture(m.t, m.dir)
	m.compare()
}

func (m *model) end() {
	for _, w := range m.worlds {
		if w.world != nil {
			m.check(w.world.Close())
			w.world = nil
		}
	}
	m.check(m.Close())
}

// compare looks at all worlds, of which some stay open.
func (m *model) compare() {
	for i, w := range m.worlds {
		if n, err := m.Size(context.Background(), w.name); err != nil || n > 0 != w.there {
			m.t.Errorf("%s has %d bytes, is it there: %v: %v", w.name, n, w.there, err)
		}
		if !w.there {
			continue
		}
		w.world = m.opened(w.name)
		m.holds(w.world, strings.Join(w.texts, " "))
		if i%2 == 0 {
			m.check(w.world.Close())
			w.world = nil
		}
	}
}

// copyFolder copies files, of which some have several names.
func copyFolder(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	first := map[uint64]string{}
	for _, e := range entries {
		ino, _, err := system.Inode(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		target := filepath.Join(to, e.Name())
		if other := first[ino]; other != "" {
			err = os.Link(other, target)
		} else {
			err = files.CopyFile(filepath.Join(from, e.Name()), target, false)
			first[ino] = target
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Each of several worlds that share files holds what was acknowledged, after
// suspension, closing, copies, removal, the end of the program and its being
// killed.
func TestWorldsHoldWhatWasAcknowledged(t *testing.T) {
	long := modelTime
	if text := os.Getenv("UNDERSTUDY_MODEL_TIME"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(clock.Real().UnixNano())
	t.Logf("seed %d", seed)
	m := newModel(t)
	end := clock.Real().Add(long)
	for round := uint64(0); clock.Real().Before(end) && !t.Failed(); round++ {
		var workers sync.WaitGroup
		for worker := range uint64(4) {
			workers.Go(func() {
				r := rand.New(rand.NewPCG(seed, round*4+worker))
				for range 40 {
					m.step(r)
				}
			})
		}
		workers.Wait()
		if round%2 == 0 {
			m.kill()
		} else {
			m.restart()
		}
	}
	m.end()
}
