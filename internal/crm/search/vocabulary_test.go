package search_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
)

// longer returns the first n words that begin with a text, and checks how many
// there are up to n.
func (x *words) longer(t *testing.T, text string, n int) (out []string) {
	t.Helper()
	err := x.world.Read(t.Context(), func(tx *store.Tx) (err error) {
		var count int
		if out, err = search.LongerWords(tx, 1, text, n); err != nil {
			return err
		}
		if count, err = search.CountLongerWords(tx, 1, text, n); err == nil && count != len(out) {
			t.Errorf("%q: %d words are counted, %v are found", text, count, out)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A step stores the words of new and of changed records, of each portal.
func TestWordsAreStoredBesideTheWriters(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	check := func(n int, want ...string) {
		t.Helper()
		if got := x.longer(t, "riv", n); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	x.write(t, 1, "Rivulet drive riv", "river arrival")
	x.write(t, 2, "Rivalry")
	check(10)
	x.step(t)
	check(10, "river", "rivulet")
	x.write(t, 1, "River")
	x.rename(t, x.last, "Rivet")
	x.step(t)
	check(10, "river", "rivet", "rivulet")
	check(2, "river", "rivet")
	if n := x.read(t, `SELECT COUNT(*) FROM crm_fts_word`); n != 7 { // of both portals
		t.Errorf("%d words are stored", n)
	}
	for query, want := range map[string]int{"riv": 3, "river": 1, "rivet": 1, "rivalry": 0} {
		if n := x.count(t, query); n != want {
			t.Errorf("%d records have %s", n, query)
		}
	}
	if n := x.read(t, `SELECT COUNT(*) FROM crm_fts_pending`); n != 0 {
		t.Errorf("%d changes are pending", n)
	}
}

// What was written is found at once, however steps and writes interleave.
func TestWritesAreFoundWhileWordsAreStored(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	var stepping sync.WaitGroup
	done := make(chan struct{})
	stepping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if _, err := x.Step(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range 40 {
		x.write(t, 1, fmt.Sprintf("person%06d", i), fmt.Sprintf("early%06d", i))
		for k := range 3 {
			x.rename(t, x.last, fmt.Sprintf("later%06dx%d", i, k))
		}
		for query, want := range map[string]int{"person": i + 1, "later": i + 1, "early": 0, fmt.Sprintf("later%06dx2", i): 1, fmt.Sprintf("later%06dx1", i): 0} {
			if n := x.count(t, query); n != want {
				t.Errorf("after %d writes %d records have %s, want %d", i+1, n, query, want)
			}
		}
	}
	close(done)
	stepping.Wait()
}
