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

var firstName = &schema.Property{Name: "firstname", Type: "string", Number: 1}

// fieldsOf returns a type with one property.
func fieldsOf(portal int64) *search.Fields {
	return &search.Fields{Portal: portal, Type: schema.Contacts, Searchable: []*schema.Property{firstName}, Property: func(name string) *schema.Property {
		if name == firstName.Name {
			return firstName
		}
		return nil
	}}
}

// words is an index on PostgreSQL without background work.
type words struct {
	*search.Index
	world *store.World
	last  int64
	reads func() // called when a step has read its records
}

func newWords(t *testing.T) *words {
	out := &words{world: storetest.Postgres(t, []store.Schema{crm.Schema()}), last: schema.FirstID - 1, reads: func() {}}
	out.Index = search.New(out.world, func(_ context.Context, portal int64, _ schema.Type) (*search.Fields, error) {
		out.reads()
		return fieldsOf(portal), nil
	}, func(err error) { t.Error(err) })
	out.Close()
	return out
}

// do runs fn in a transaction.
func (x *words) do(t *testing.T, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := x.world.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// write writes records of a portal with these first names.
func (x *words) write(t *testing.T, portal int64, names ...string) {
	t.Helper()
	x.do(t, func(tx *store.Tx) error {
		var rows [][]any
		for _, name := range names {
			x.last++
			rows = append(rows, []any{portal, schema.Contacts, x.last, string(schema.EncodeBag(map[string]string{"firstname": name}))})
		}
		err := tx.ExecBatch(`INSERT INTO crm_record (portal, type, id, created, updated, archived, merged, source, source_id, properties)
			VALUES (?, ?, ?, 1, 1, 0, 0, '', '', ?)`, rows)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO crm_tally (portal, type, live) VALUES (?, ?, 0) ON CONFLICT DO NOTHING`, portal, schema.Contacts)
		}
		if err == nil {
			_, err = tx.Exec(`INSERT INTO crm_sequence (name, next) VALUES ('record', ?) ON CONFLICT (name) DO UPDATE SET next = excluded.next`, x.last+1)
		}
		return err
	})
}

// rename changes the first name of a record.
func (x *words) rename(t *testing.T, id int64, name string) {
	t.Helper()
	x.do(t, func(tx *store.Tx) error {
		bag := schema.EncodeBag(map[string]string{"firstname": name})
		if _, err := tx.Exec(`UPDATE crm_record SET properties = ? WHERE id = ?`, string(bag), id); err != nil {
			return err
		}
		return search.Update(tx, []*schema.Record{{ID: id}})
	})
}

// count returns how many records of the first portal a query finds.
func (x *words) count(t *testing.T, query string) int {
	t.Helper()
	page, err := x.Find(t.Context(), fieldsOf(1), search.Request{Query: query, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return page.Total
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

// step indexes everything.
func (x *words) step(t *testing.T) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = x.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// The words of many records leave the pending list of the index in a step, those
// of few stay. They are found in both.
func TestPendingWordsAreMerged(t *testing.T) {
	t.Parallel()
	x := newWords(t)
	all := 0
	for _, c := range []struct {
		records int
		merged  bool
	}{{search.MergeEvery - 1, false}, {1, true}, {2 * search.WordsChunk, true}, {100, false}} {
		names := make([]string, c.records)
		for i := range names {
			names[i] = fmt.Sprint("Rivulet number ", i%2)
		}
		x.write(t, 1, names...)
		x.step(t)
		if all += c.records; x.count(t, "rivulet") != all {
			t.Errorf("%d of %d records are found", x.count(t, "rivulet"), all)
		}
		if c.records == search.MergeEvery-1 {
			continue // what follows would merge them
		}
		if pages := x.read(t, `SELECT gin_clean_pending_list('crm_fts_words')`); (pages == 0) != c.merged {
			t.Errorf("after %d records %d pages wait", c.records, pages)
		}
	}
}
