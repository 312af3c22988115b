package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/server"
)

// Killed while a world is filled, kept and copied, every environment that is listed is
// whole, its own credentials work, and nothing that was kept is left.
func TestKilledWhileDemosAreCopied(t *testing.T) {
	t.Parallel()
	address, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	o := server.Options{Dir: t.TempDir(), Listen: address, Args: []string{"--rate-limits", "off"}}
	d := &demos{}
	for range 4 {
		s, c := server.Open(t, o)
		if d.check(t, s, adminOf(c)); t.Failed() {
			t.FailNow()
		}
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() { d.make(adminOf(c), i) })
		}
		time.Sleep(time.Duration(200+rand.IntN(600)) * time.Millisecond)
		s.Kill()
		wg.Wait()
	}
	s, c := server.Open(t, o)
	d.check(t, s, adminOf(c))
	if len(d.made) == 0 {
		t.Error("nothing was made: the load was none")
	}
}

// demos are the environments that were made of a fixture.
type demos struct {
	mu    sync.Mutex
	made  []world
	whole []string // what each of them holds
}

// make creates environments, and removes most of them, until the server is killed. The
// maker with the number 0 has others filled, which push out what is kept.
func (d *demos) make(a admin, maker int) {
	for n := 0; ; n++ {
		body := map[string]any{"fixture": "demo"}
		if maker == 0 {
			body["clock"] = fmt.Sprintf("2026-03-02T09:%02d:00Z", n%60)
		}
		w, err := a.create(body)
		if err != nil {
			return
		}
		if maker == 0 || n%8 > 0 {
			if a.do("DELETE", "/"+w.ID, nil, nil, 204) != nil {
				return
			}
			continue
		}
		d.mu.Lock()
		d.made = append(d.made, w)
		d.mu.Unlock()
	}
}

func (d *demos) check(t *testing.T, s *server.Server, a admin) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(s.Dir, "worlds", "kept_*")); err != nil || len(left) > 0 {
		t.Error("what was kept is left:", left, err)
	}
	missing := map[string]bool{"default": true}
	for _, w := range d.made {
		missing[w.ID] = true
	}
	ids, err := a.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if missing[id] {
			delete(missing, id)
			continue
		}
		w, err := a.reset(id) // made, or to be removed, without a reply
		if err != nil {
			t.Fatal(id, err)
		}
		d.made = append(d.made, w)
	}
	if len(missing) > 0 {
		t.Errorf("%v are not listed", missing)
	}
	for _, w := range d.made {
		holds, err := contents(w)
		if err == nil && d.whole == nil {
			d.whole = holds
		}
		if err != nil || !slices.Equal(holds, d.whole) || len(holds[3]) == 0 {
			t.Errorf("%s holds %q, not %q: %v", w.ID, holds, d.whole, err)
		}
	}
}

// contents returns what an environment holds, by service.
func contents(w world) (out []string, err error) {
	texts, err := w.texts()
	if err != nil {
		return nil, err
	}
	out = append(out, texts)
	for _, read := range []func() ([]string, error){w.contacts, w.issues, w.events} {
		some, err := read()
		if err != nil {
			return nil, err
		}
		out = append(out, strings.Join(slices.Sorted(slices.Values(some)), " "))
	}
	return out, nil
}
