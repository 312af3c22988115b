package cause_test

import (
	"fmt"
	"testing"

	"understudy/internal/platform/cause"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Changes that were dropped above the bound are not reported as exact, all
// newer ones are, also when some were stored while the environment was closed.
func TestDroppedChangesAreNeverExact(t *testing.T) {
	const bound = 3000
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("stored %v", stored), func(t *testing.T) {
			w := open(t, "", "bounded")
			w.journal.Bound(bound)
			from := w.copy(t)
			insert := func(seq, n int64) {
				w.write(t, seq, `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
					INSERT INTO note SELECT 'o', ? || '-' || i, '', '', FALSE FROM n`, n, seq)
			}
			insert(1, 1)
			insert(2, 1)
			insert(3, bound-1)
			if stored {
				state, block, changed := w.journal.Save()
				if block == nil || !changed || len(block.Changes) != bound {
					t.Fatalf("%v of %d changes are stored", block != nil, bound)
				}
				again := cause.New(cause.NewTables(entities))
				again.Bound(bound)
				again.Resume(state, func() ([]cause.Block, error) { return []cause.Block{*block}, nil }, nil)
				w.journal = again
				w.now.Watch(again.World(""))
			}
			check := func(dropped ...string) {
				t.Helper()
				got := w.diff(t, from, "")
				for _, key := range dropped {
					if c := got["+note o/"+key]; c.Cause == nil || c.Cause.Exact || len(c.Cause.Writers) != 0 {
						t.Errorf("%s, which was dropped, is explained by %+v", key, c.Cause)
					}
					delete(got, "+note o/"+key)
				}
				if len(got) != bound {
					t.Errorf("%d changes besides, want %d", len(got), bound)
				}
				for key, c := range got {
					if c.Cause == nil || !c.Cause.Exact || len(c.Cause.Writers) != 1 || !hasPrefix(key, c.Cause.Writers[0].Seq) {
						t.Fatalf("%s is explained by %+v", key, c.Cause)
					}
				}
			}
			check("1-1")
			insert(4, 1)
			check("1-1", "2-1")

			// A row that was there before may have been written by what was dropped.
			to := w.copy(t)
			w.write(t, 5, `UPDATE note SET body = 'x' WHERE id = '2-1'`)
			if c := w.diff(t, from, "")["+note o/2-1"]; c.Cause.Exact {
				t.Errorf("of a row whose insert was dropped: %+v", c.Cause)
			}
			if c := w.diff(t, to, "")["~note o/2-1"]; !c.Cause.Exact || writers(c)[0] != 5 {
				t.Errorf("since a later copy: %+v", c.Cause)
			}
		})
	}
}

func hasPrefix(key string, seq int64) bool {
	want := fmt.Sprintf("+note o/%d-", seq)
	return len(key) > len(want) && key[:len(want)] == want
}

// SQLite uses the number of a deleted row for the next one. What a request did to
// the row that went is not shown as done to the row that came.
func TestEffectsOnARowWhoseNumberIsUsedAgain(t *testing.T) {
	w := open(t, "", "again")
	w.write(t, 1, `INSERT INTO note VALUES ('o', 'first', '', '', FALSE)`)
	w.write(t, 2, `DELETE FROM note WHERE id = 'first'`)
	w.write(t, 3, `INSERT INTO note VALUES ('o', 'second', '', '', FALSE)`)
	w.write(t, 4, `DELETE FROM note WHERE id = 'second'`)
	w.write(t, 4, `INSERT INTO note VALUES ('o', 'third', '', '', FALSE)`)
	got := ""
	err := diff.Read(t.Context(), entities, map[string]*store.World{"": w.now}, map[string]*store.World{"": w.now}, w.journal.Between("", ""), func(r *diff.Reading) error {
		found, _, err := r.Effects(w.journal.Effects(1, 2, 3, 4))
		for _, x := range found {
			got += fmt.Sprintf("%d %s %q, ", x.Seq, x.Op, x.Key)
		}
		return err
	})
	if want := `1 insert "", 2 delete "", 3 insert "", 4 delete "", 4 insert "o/third", `; err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}
