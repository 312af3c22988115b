package search_test

import (
	"fmt"
	"slices"
	"testing"

	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
)

// On PostgreSQL sets are stored with the words, in steps that end anywhere in a
// chunk, and follow changes. A search that asks for what records lack is exact
// before and after each step.
func TestSetsAreStoredBesideTheWriters(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	x.Chunk, x.Gather = 8, 2
	elm := "Elm"
	lacking := func(want int) {
		t.Helper()
		page, err := x.Find(t.Context(), fieldsOf(1), search.Request{Limit: 3,
			Groups: []search.FilterGroup{{{Property: "firstname", Operator: "NOT_CONTAINS_TOKEN", Value: &elm}}}})
		if err != nil || page.Total != want {
			t.Errorf("%d records lack the word, want %d: %v", page.Total, want, err)
		}
	}
	set := func(bit int) int64 {
		return x.read(t, fmt.Sprintf(`SELECT COUNT(*) FROM crm_posting WHERE property = 1 AND value = 'elm' AND chunk = 0 AND get_bit(bits, %d) = 1`, bit))
	}
	const built = `SELECT next FROM crm_sequence WHERE name = 'postings'`
	for n := range 20 {
		if x.write(t, 1, []string{"Elm", "Oak"}[n%2]); n%3 == 0 {
			x.step(t)
		}
		lacking((n + 1) / 2)
	}
	if n := x.read(t, built); n != 2 || set(2) != 1 || set(3) != 0 {
		t.Errorf("%d chunks have sets; record 2 %d, record 3 %d", n, set(2), set(3))
	}
	x.rename(t, x.last-19+2, "Oak")
	x.rename(t, x.last-19+3, "Elm")
	x.rename(t, x.last-19+4, "Ash")
	lacking(11)
	x.step(t)
	if lacking(11); set(2) != 0 || set(3) != 1 || set(4) != 0 {
		t.Errorf("after changes: record 2 %d, record 3 %d, record 4 %d", set(2), set(3), set(4))
	}
	if err := x.world.WriteBeside(t.Context(), func(tx *store.Tx) error { return search.StoreChunk(tx, 0, 8) }); err == nil || x.read(t, built) != 2 {
		t.Error("a process that is late replaces sets that were stored and changed since")
	}
}

// A step in the background stores whole chunks and leaves the records of the last one
// until there is nothing else. A reader's step ends with what was written before it.
func TestStepsEndWithWholeChunksAndReadersDoNotChaseWriters(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	x.Chunk = 8
	mark := func() int64 {
		return x.read(t, `SELECT next FROM crm_sequence WHERE name = 'words'`) - schema.FirstID + 1
	}
	names := slices.Repeat([]string{"Elm"}, 20)
	x.write(t, 1, names...)
	for _, want := range []struct {
		mark int64
		more bool
	}{{16, true}, {20, false}} {
		if more, err := x.Step(t.Context()); err != nil || more != want.more || mark() != want.mark {
			t.Errorf("a step ends at %d, more %v, want %d, %v: %v", mark(), more, want.mark, want.more, err)
		}
	}
	x.write(t, 1, names...)
	left := 5
	x.reads = func() {
		if left--; left >= 0 {
			x.write(t, 1, names...)
		}
	}
	if err := x.CatchUp(t.Context()); err != nil || mark() < 40 || mark() >= 100 {
		t.Errorf("a reader's step ends at %d of %d: %v", mark(), x.last-schema.FirstID+1, err)
	}
}
