package search_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
)

// write writes records with these first names, of one portal.
func (x *words) write(t *testing.T, portal int64, names ...string) {
	t.Helper()
	f := *fields
	f.Portal = portal
	err := x.world.Write(t.Context(), func(tx *store.Tx) error {
		var records []*schema.Record
		for _, n := range names {
			x.last++
			records = append(records, &schema.Record{Type: schema.Contacts, ID: x.last, Bag: schema.EncodeBag(map[string]string{"firstname": n})})
		}
		return search.Insert(tx, &f, records)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longer returns the first n words that begin with a text, and how many there are
// up to n.
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

func (x *words) step(t *testing.T) {
	t.Helper()
	if more, err := x.Step(t.Context()); err != nil || more {
		t.Fatal(more, err)
	}
}

// The beginnings of words are found where writes have left the words, where
// background work has moved them, and in both.
func TestLateWordsAreFoundAndMoved(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	check := func(late bool, n int, want ...string) {
		t.Helper()
		if got := x.longer(t, "riv", n); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if rows := x.read(t, `SELECT COUNT(*) FROM crm_fts_late`); (rows > 0) != late {
			t.Errorf("%d rows of late words", rows)
		}
	}
	x.write(t, 1, "Rivulet drive riv", "river arrival")
	x.write(t, 2, "Rivalry")
	check(true, 10, "river", "rivulet")
	x.step(t)
	check(false, 10, "river", "rivulet")
	x.write(t, 1, "River", "Rivet")
	check(true, 10, "river", "rivet", "rivulet")
	check(true, 2, "river", "rivet")
	x.step(t)
	check(false, 10, "river", "rivet", "rivulet")
	if n := x.read(t, `SELECT COUNT(*) FROM crm_fts_word`); n != 7 { // of both portals
		t.Errorf("%d words are stored", n)
	}
}

// Words that need many rows are all found, at any time while they are moved
// beside the writers.
func TestWordsAreFoundWhileTheyAreMoved(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	var moved sync.WaitGroup
	done := make(chan struct{})
	moved.Go(func() {
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
	var want []string
	for i := range 30 {
		var names []string
		for j := range 40 {
			names = append(names, fmt.Sprintf("person%06d", i*40+j))
		}
		want = append(want, names...)
		x.write(t, 1, names...)
		if got := x.longer(t, "person", 5_000); !slices.Equal(got, want) {
			t.Fatalf("after %d writes %d of %d words are found", i+1, len(got), len(want))
		}
	}
	close(done)
	moved.Wait()
	x.step(t)
	if n := x.read(t, `SELECT COUNT(*) FROM crm_fts_word`); int(n) != len(want) {
		t.Errorf("%d of %d words were moved", n, len(want))
	}
}
