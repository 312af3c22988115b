package search_test

import (
	"context"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"understudy/internal/crm"
	"understudy/internal/crm/schema"
	"understudy/internal/crm/search"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// A world from before the index was filled beside the writers has its words, those
// that were to be put in order included, and later records get theirs.
func TestWorldsWithWordsOfTheirWritesAreRead(t *testing.T) {
	t.Parallel()
	now := crm.Schema()
	before := now
	before.Migrations = fstest.MapFS{}
	names, err := fs.Glob(now.Migrations, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name >= "0009" {
			continue
		}
		text, err := fs.ReadFile(now.Migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		before.Migrations.(fstest.MapFS)[name] = &fstest.MapFile{Data: text}
	}
	url := storetest.PostgresURL(t)
	s, err := storetest.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	w, err := s.Create(t.Context(), "words_of_writes", "", []store.Schema{before})
	if err != nil {
		t.Fatal(err)
	}
	x := &words{world: w, last: schema.FirstID - 1}
	x.write(t, 1, "Rivulet", "River")
	x.do(t, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO crm_fts (id, words) SELECT id, array_to_tsvector(ARRAY['1t1_riv' || CASE WHEN id % 2 = 0 THEN 'er' ELSE 'ulet' END]) FROM crm_record`)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO crm_fts_word (portal, word) VALUES (1, 'river')`)
		}
		if err == nil {
			_, err = tx.Exec(`INSERT INTO crm_fts_late (portal, words) VALUES (1, ' rivulet river')`)
		}
		return err
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if x.world, err = s.Open(t.Context(), "words_of_writes", []store.Schema{now}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Drop(context.Background(), "words_of_writes") }()
	defer func() { _ = x.world.Close() }()
	x.Index = search.New(x.world, func(_ context.Context, portal int64, _ schema.Type) (*search.Fields, error) {
		return fieldsOf(portal), nil
	}, func(err error) { t.Error(err) })
	x.Close()
	if got := x.longer(t, "riv", 10); !slices.Equal(got, []string{"river", "rivulet"}) {
		t.Errorf("the words are %v", got)
	}
	x.write(t, 1, "Rivet")
	if n := x.count(t, "riv"); n != 3 {
		t.Errorf("%d records are found", n)
	}
	x.step(t)
	if n := x.read(t, `SELECT COUNT(*) FROM crm_fts`); n != 3 {
		t.Errorf("the index has %d records", n)
	}
}
