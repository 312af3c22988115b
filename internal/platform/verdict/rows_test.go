package verdict

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The bound of rows counts the things that a state is about, not others that stand
// in the same table.
func TestOtherThingsOfATableAreNotCounted(t *testing.T) {
	w := storetest.SQLite(t, []store.Schema{{Name: "things", Tables: map[string]store.Class{"record": store.WorldClass},
		Migrations: fstest.MapFS{"0001_things.sql": {Data: []byte(`CREATE TABLE record (id BIGINT NOT NULL PRIMARY KEY, sort TEXT NOT NULL)`)}}}})
	entities := []diff.Entity{{Service: "crm", Name: "record", Table: "record", Key: []string{"id"}, Sorts: []string{"deal", "ticket"},
		NameOf: func(r diff.Row) string { return r.Text("sort") }, Columns: map[string]diff.Column{"id": diff.As("id", diff.Int), "sort": diff.Used("the sort")}}}
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO record (id, sort) SELECT i, CASE WHEN i % 1000 = 0 THEN 'ticket' ELSE 'deal' END FROM n`, maxRows+50)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v := NewVocabulary(entities, nil, []string{"crm"})
	for text, want := range map[string]string{
		`{"expect": [{"state": "crm.ticket", "count": 100}]}`: Passed,
		`{"expect": [{"state": "crm.deal", "count": 99950}]}`: Passed,
		`{"expect": [{"state": "crm.deal", "count": 99951}]}`: Failed,
	} {
		n, err := seeddoc.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Read(n, v)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context()) // what was read counts until it ends
		err = diff.Read(ctx, entities, map[string]*store.World{"": w}, map[string]*store.World{"": w}, nil, func(r *diff.Reading) error {
			got, err := Evaluate(ctx, d, v, World{Reading: r, Now: time.Unix(0, 0)})
			if err == nil && got.Verdict != want {
				b, _ := json.Marshal(got)
				t.Errorf("%s is %.300s, want %s", text, b, want)
			}
			return err
		})
		cancel()
		if e, ok := fault.As(err); ok {
			t.Errorf("%s is refused with %s", text, e.Reason)
		} else if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
