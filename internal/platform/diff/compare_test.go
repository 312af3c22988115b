package diff

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"understudy/internal/platform/budget"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var things = []store.Schema{{Name: "things", Tables: map[string]store.Class{"note": store.WorldClass, "tag": store.WorldClass, "quiet": store.WorldClass},
	Migrations: fstest.MapFS{"0001_things.sql": {Data: []byte(`
		CREATE TABLE note (owner TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (owner, id));
		CREATE TABLE tag (name TEXT NOT NULL PRIMARY KEY, weight BIGINT NOT NULL) WITHOUT ROWID;
		CREATE TABLE quiet (name TEXT NOT NULL PRIMARY KEY, weight BIGINT NOT NULL)`)}}}}

var entities = []Entity{
	{Service: "test", Name: "note", Table: "note", Key: []string{"owner", "id"}, Columns: map[string]Column{
		"owner": As("owner", Text), "id": As("id", Text), "body": As("body", Text)}},
	{Service: "test", Name: "tag", Table: "tag", Key: []string{"name"}, Columns: map[string]Column{"name": As("name", Text), "weight": As("weight", Int)}},
	{Service: "test", Name: "quiet", Table: "quiet", Key: []string{"name"}, Columns: map[string]Column{"name": As("name", Text), "weight": As("weight", Int)}},
}

// model is what a world must hold.
type model map[string]any

func (m model) clone() model {
	out := model{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// step makes some random changes to a world and its model.
func step(t *testing.T, w *store.World, m model, source *ids.Source, changes int) {
	t.Helper()
	dice := func(n int) int {
		var b [2]byte
		source.Bytes(b[:])
		return (int(b[0])<<8 | int(b[1])) % n
	}
	err := w.Write(t.Context(), func(tx *store.Tx) error {
		for range changes {
			owner, id := fmt.Sprint("o", dice(5)), fmt.Sprint(dice(400))
			note, tag := "note "+owner+"/"+id, "tag "+id
			var err error
			switch dice(6) {
			case 0, 1, 2: // long ones go over several pages, and stay there when they change in the middle
				size := []int{10, 300, 5000, 30000}[dice(4)]
				body := strings.Repeat("x", size/2) + fmt.Sprintf("%04d", dice(10000)) + strings.Repeat("y", size/2)
				m[note] = body
				_, err = tx.Exec(`INSERT INTO note (owner, id, body) VALUES (?, ?, ?) ON CONFLICT (owner, id) DO UPDATE SET body = excluded.body`, owner, id, body)
			case 3:
				delete(m, note)
				_, err = tx.Exec(`DELETE FROM note WHERE owner = ? AND id = ?`, owner, id)
			case 4:
				weight := int64(dice(100))
				m[tag] = weight
				_, err = tx.Exec(`INSERT INTO tag (name, weight) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET weight = excluded.weight`, id, weight)
			case 5:
				delete(m, tag)
				_, err = tx.Exec(`DELETE FROM tag WHERE name = ?`, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhatAComparisonFindsIsWhatChanged changes a world at random and compares it with copies of its past.
func TestWhatAComparisonFindsIsWhatChanged(t *testing.T) {
	for name, url := range map[string]string{"sqlite": "", "postgres": storetest.DatabaseURL(t)} {
		t.Run(name, func(t *testing.T) {
			s, err := storetest.Open(t.Context(), url, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			open := func(name string) *store.World {
				w, err := s.Open(t.Context(), name, things)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = w.Close() })
				return w
			}
			source := ids.Seeded(1, 0)
			w, m := open("diff_now"), model{}
			for round := range map[string]int{"sqlite": 25, "postgres": 5}[name] {
				step(t, w, m, source, []int{0, 1, 5, 60, 400}[round%5])
				past := m.clone()
				copied := fmt.Sprint("diff_past", round)
				if err := s.Copy(t.Context(), "diff_now", copied); err != nil {
					t.Fatal(err)
				}
				old := open(copied)
				for _, changes := range []int{0, 1, 3, 50, 500} {
					step(t, w, m, source, changes)
					ctx, end := context.WithCancel(t.Context())
					got, err := Compare(ctx, entities, map[string]*store.World{"": old}, map[string]*store.World{"": w}, Options{Limit: 1 << 20})
					end()
					if err != nil {
						t.Fatal(err)
					}
					if have, want := told(got), wanted(past, m); !reflect.DeepEqual(have, want) {
						t.Fatalf("round %d after %d changes: told\n%v\nwant\n%v", round, changes, have, want)
					}
				}
			}
		})
	}
}

func told(c *Changes) map[string]string {
	out := map[string]string{}
	for sign, list := range map[string][]Change{"+": c.Inserts, "~": c.Updates, "-": c.Deletes} {
		for _, ch := range list {
			out[ch.Entity+" "+ch.Key] = sign + gist(ch.Before) + gist(ch.After)
		}
	}
	return out
}

func gist(fields map[string]any) string {
	if b, ok := fields["body"].(string); ok {
		return fmt.Sprint(" ", len(b), strings.Trim(b, "xy"))
	}
	if fields == nil {
		return ""
	}
	return fmt.Sprint(" ", fields["weight"])
}

func wanted(past, now model) map[string]string {
	out := map[string]string{}
	show := func(v any) string {
		if b, ok := v.(string); ok {
			return gist(map[string]any{"body": b})
		}
		return fmt.Sprint(" ", v)
	}
	for k, v := range now {
		if old, ok := past[k]; !ok {
			out[k] = "+" + show(v)
		} else if old != v {
			out[k] = "~" + show(old) + show(v)
		}
	}
	for k, v := range past {
		if _, ok := now[k]; !ok {
			out[k] = "-" + show(v)
		}
	}
	return out
}

// TestOnlyChangedPagesAreRead shows that the cost follows the change: of many
// rows only those beside a changed one are suspected.
func TestOnlyChangedPagesAreRead(t *testing.T) {
	s, err := storetest.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open(t.Context(), "many", things)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	rows := make([][]any, 20000)
	for i := range rows {
		rows[i] = []any{"o", fmt.Sprintf("%06d", i), "some text that is as long as messages are"}
	}
	err = w.Write(t.Context(), func(tx *store.Tx) error { return tx.CopyFrom("note", []string{"owner", "id", "body"}, rows) })
	if err == nil {
		err = s.Copy(t.Context(), "many", "past")
	}
	if err == nil {
		err = w.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(`UPDATE note SET body = 'changed' WHERE id IN ('000100', '010000')`)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	old, err := s.Open(t.Context(), "past", things)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	err = old.Read(t.Context(), func(a *store.Tx) error {
		return w.Read(t.Context(), func(b *store.Tx) error {
			d, err := store.Compare(t.Context(), a, b)
			if err != nil {
				return err
			}
			found, all, err := d.Rows("note")
			if all || len(found) < 2 || len(found) > 300 {
				t.Errorf("%d rows are suspected, all: %v", len(found), all)
			}
			if found, all, _ := d.Rows("quiet"); all || len(found) > 0 {
				t.Errorf("a table that nobody changed: %d rows, all: %v", len(found), all)
			}
			if found, all, _ := d.Rows("tag"); all || len(found) > 0 {
				t.Errorf("a table without row numbers that nobody changed: %d rows, all: %v", len(found), all)
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAPageIsBoundedByBytes reads pages of long rows: none takes much more
// memory than its own length, and together they hold every change.
func TestAPageIsBoundedByBytes(t *testing.T) {
	for name, url := range map[string]string{"sqlite": "", "postgres": storetest.DatabaseURL(t)} {
		t.Run(name, func(t *testing.T) {
			s, err := storetest.Open(t.Context(), url, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			open := func(name string) *store.World {
				w, err := s.Open(t.Context(), name, things)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = w.Close() })
				return w
			}
			const n, length = 600, 100_000
			w := open("diff_long")
			err = w.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(`INSERT INTO tag (name, weight) VALUES ('x', 1)`)
				return err
			})
			if err == nil {
				err = s.Copy(t.Context(), "diff_long", "diff_short")
			}
			for i := 0; i < n && err == nil; i++ {
				err = w.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Exec(`INSERT INTO note (owner, id, body) VALUES ('o', ?, ?)`, fmt.Sprintf("%04d", i), strings.Repeat("x", length))
					return err
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			old := open("diff_short")
			all, cursor := 0, ""
			var allocated []uint64
			for pages := 0; pages == 0 || cursor != ""; pages++ {
				ctx, end := context.WithCancel(t.Context())
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got, err := Compare(ctx, entities, map[string]*store.World{"": old}, map[string]*store.World{"": w}, Options{Limit: 1 << 20, Cursor: cursor})
				runtime.ReadMemStats(&after)
				held := budget.Held()
				end()
				if err != nil {
					t.Fatal(err)
				}
				if got.Size > maxBytes+2*length || got.Size > 1<<20 && held < int64(got.Size) {
					t.Errorf("page %d: %d bytes, %d held", pages, got.Size, held)
				}
				allocated = append(allocated, after.TotalAlloc-before.TotalAlloc)
				all += len(got.Inserts)
				cursor = got.Next
			}
			if all != n {
				t.Errorf("%d changes", all)
			}
			// The last page is short: what it takes is what comparing files takes.
			if most := slices.Max(allocated) - allocated[len(allocated)-1]; most > 2*maxBytes {
				t.Errorf("a page reads %d bytes", most)
			}
		})
	}
}
