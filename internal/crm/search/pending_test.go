package search_test

import (
	"context"
	"fmt"
	"testing"

	"understudy/internal/crm"
	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var (
	firstName = &schema.Property{Name: "firstname", Type: "string", Number: 1}
	fields    = &search.Fields{Portal: 1, Type: schema.Contacts, Searchable: []*schema.Property{firstName}, Property: func(name string) *schema.Property {
		if name == firstName.Name {
			return firstName
		}
		return nil
	}}
)

// words is an index on PostgreSQL without background work.
type words struct {
	*search.Index
	world *store.World
	last  int64
}

func newWords(t *testing.T) *words {
	w := storetest.Postgres(t, []store.Schema{crm.Schema()})
	x := search.New(w, func(context.Context, int64, schema.Type) (*search.Fields, error) { return fields, nil }, func(err error) { t.Error(err) })
	x.Close()
	return &words{Index: x, world: w}
}

// insert writes the words of n records.
func (x *words) insert(t *testing.T, n int) {
	t.Helper()
	err := x.world.Write(t.Context(), func(tx *store.Tx) error {
		var records []*schema.Record
		for range n {
			x.last++
			records = append(records, &schema.Record{Type: schema.Contacts, ID: x.last,
				Bag: schema.EncodeBag(map[string]string{"firstname": fmt.Sprint("Rivulet number ", x.last%2)})})
		}
		return search.Insert(tx, fields, records)
	})
	if err != nil {
		t.Fatal(err)
	}
	x.Wrote(t.Context(), n)
}

// read reads one number.
func (x *words) read(t *testing.T, sql string) (n int64) {
	t.Helper()
	err := x.world.Read(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Get(sql, nil, &n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The words of many records leave the pending list of the index in a step, those
// of few stay. They are found in both.
func TestPendingWordsAreMerged(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	for _, c := range []struct {
		records int
		merged  bool
	}{{search.MergeEvery - 1, false}, {1, true}, {search.MergeEvery + 100, true}, {100, false}} {
		x.insert(t, c.records)
		if more, err := x.Step(t.Context()); err != nil || more {
			t.Fatal(more, err)
		}
		if n := x.read(t, `SELECT COUNT(*) FROM crm_fts WHERE words @@ '1t1_rivulet'`); n != x.last {
			t.Errorf("%d of %d records are found", n, x.last)
		}
		if c.records == search.MergeEvery-1 {
			continue // what follows would merge them
		}
		if pages := x.read(t, `SELECT gin_clean_pending_list('crm_fts_words')`); (pages == 0) != c.merged {
			t.Errorf("after %d records %d pages wait", c.records, pages)
		}
	}
}
