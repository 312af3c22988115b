package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/server"
)

// Killed in the middle of any act, each environment is as before it or as
// after it, none is there by half, and no file is left that belongs to none.
func TestKilledWhileEnvironmentsAreMadeAndPutBack(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killLifeCycle(t, 12)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killLifeCycle(t, 4, "--database", server.Postgres(t))
	})
}

// known is what a client may believe of an environment.
type known struct {
	world
	texts     []string // what it may show: one, or two when the reply to the last act is missing
	base      string   // after a reset
	snapshots map[string]string
	gone      bool // the reply to a delete is missing
}

// player acts on environments of its own, one act after the other.
type player struct {
	a      admin
	random *rand.Rand
	owned  []*known
	name   string
	acts   int
}

func killLifeCycle(t *testing.T, rounds int, flags ...string) {
	address, err := server.FreeAddress() // the same after each start, so that base URLs stay
	if err != nil {
		t.Fatal(err)
	}
	o := server.Options{Dir: t.TempDir(), Listen: address, Args: append(flags, "--rate-limits", "off")}
	players := make([]*player, 3)
	for i := range players {
		players[i] = &player{name: fmt.Sprint("p", i), random: rand.New(rand.NewPCG(uint64(i), 8))}
	}
	for round := range rounds {
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Credentials()
		if err != nil {
			t.Fatal(err)
		}
		checkAll(t, adminOf(c), players)
		if t.Failed() {
			s.Kill()
			t.Fatalf("after kill %d\n%s", round, s.Output())
		}
		var wg sync.WaitGroup
		for _, p := range players {
			p.a = adminOf(c)
			wg.Go(func() {
				for p.act() == nil {
				}
			})
		}
		time.Sleep(time.Duration(100+rand.IntN(600)) * time.Millisecond)
		s.Kill()
		wg.Wait()
	}
	total := 0
	for _, p := range players {
		total += p.acts
	}
	if total < 2*rounds {
		t.Errorf("only %d acts: the load was none", total)
	}
	s, c := server.Open(t, o)
	ids := checkAll(t, adminOf(c), players)
	if len(flags) == 0 {
		checkFiles(t, s.Dir, ids, players)
	}
}

// act does one thing and notes what it does to what is known. An error ends the round.
func (p *player) act() error {
	p.acts++
	if len(p.owned) == 0 || len(p.owned) < 3 && p.random.IntN(3) == 0 {
		w, err := p.a.create(map[string]any{"name": p.name, "rate_limits": "off"})
		if err == nil {
			p.owned = append(p.owned, &known{world: w, texts: []string{""}, snapshots: map[string]string{}})
		}
		return err
	}
	k := p.owned[p.random.IntN(len(p.owned))]
	now := k.texts[0]
	switch p.random.IntN(7) {
	case 0, 1, 2:
		text := fmt.Sprintf("%s-%d", p.name, p.acts)
		after := strings.Split(strings.TrimSpace(now+" "+text), " ")
		slices.Sort(after)
		return k.change(strings.Join(after, " "), func() error { return k.post(text) })
	case 3:
		return k.change(k.base, func() error { _, err := p.a.reset(k.ID); return err })
	case 4:
		id, err := p.a.snapshot(k.ID)
		if err == nil {
			k.snapshots[id] = now
		}
		return err
	case 5:
		for id, texts := range k.snapshots {
			return k.change(texts, func() error { return p.a.restore(k.ID, id) })
		}
	case 6:
		if len(p.owned) < 4 {
			w, err := p.a.fork(k.ID)
			if err == nil {
				p.owned = append(p.owned, &known{world: w, texts: []string{now}, base: now, snapshots: map[string]string{}})
			}
			return err
		}
		k.gone = true
		if err := p.a.do("DELETE", "/"+k.ID, nil, nil, 204); err != nil {
			return err
		}
		p.owned = slices.DeleteFunc(p.owned, func(o *known) bool { return o == k })
	}
	return nil
}

// change does what makes an environment show after.
func (k *known) change(after string, act func() error) error {
	before := k.texts[0]
	k.texts = []string{before, after}
	err := act()
	if err == nil {
		k.texts = []string{after}
	}
	return err
}

// checkAll compares the server with what is known, and returns the ids of all environments.
func checkAll(t *testing.T, a admin, players []*player) []string {
	t.Helper()
	expected := map[string]bool{"default": true}
	for _, p := range players {
		for _, k := range slices.Clone(p.owned) {
			texts, err := k.world.texts()
			if se := new(server.StatusError); k.gone && err != nil && (errors.As(err, se) || strings.Contains(err.Error(), "404")) {
				p.owned = slices.DeleteFunc(p.owned, func(o *known) bool { return o == k })
				continue
			}
			expected[k.ID] = true
			if err == nil && !slices.Contains(k.texts, texts) {
				err = fmt.Errorf("shows %q, want one of %q", texts, k.texts)
			}
			if err == nil {
				err = k.answers()
			}
			if err != nil {
				t.Errorf("%s: %v", k.ID, err)
				continue
			}
			k.texts, k.gone = []string{texts}, false
		}
	}
	ids, err := a.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if expected[id] {
			delete(expected, id)
			continue
		}
		// Made without a reply: it must be whole.
		w, err := a.reset(id)
		if err == nil {
			err = w.answers()
		}
		if err == nil {
			err = a.do("DELETE", "/"+id, nil, nil, 204)
		}
		if err != nil {
			t.Errorf("%s, whose making nobody was told of: %v", id, err)
		}
	}
	for id := range expected {
		t.Errorf("%s is not listed", id)
	}
	return ids
}

// checkFiles finds files of worlds that are of no environment and no snapshot.
func checkFiles(t *testing.T, dir string, ids []string, players []*player) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(dir, "worlds"))
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, ".new") {
			t.Errorf("%s is left", name)
		}
		for _, prefix := range []string{"env_", "base_"} {
			id, ok := strings.CutPrefix(name, prefix)
			if id, _, _ = strings.Cut(id, "."); ok && !slices.Contains(ids, strings.TrimSuffix(id, "__events")) {
				t.Errorf("%s belongs to no environment", name)
			}
		}
	}
}
