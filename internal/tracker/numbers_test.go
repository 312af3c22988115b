package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// TestRowsReadByTheirNumbers lists rows that are not cached. In the table they are next to
// each other, have rows of another organization between them, or are far apart. The lists
// contain the rows that a statement without caches returns, and no row of the other
// organization is shown afterwards.
func TestRowsReadByTheirNumbers(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		theirs := *o
		theirs.org, theirs.p = o.organization("other", "bob@example.com")
		eng, foreign := o.team("ENG"), theirs.team("ENG")
		var foreigners []string
		for i := range 40 {
			o.issue(eng, fmt.Sprint("issue ", i))
			if i%10 == 5 {
				foreigners = append(foreigners, theirs.issue(foreign, fmt.Sprint("foreign ", i)).ID)
			}
		}
		for _, step := range []int{1, 3, 39} {
			cond := fmt.Sprintf("(t.number - 1) %% %d = 0", step)
			o.must(New(o.world, o.t.Deps).Read(ctx, o.p, func(v *View) error {
				p, err := Issues.List(v, entity.Query{Cond: cond})
				o.must(err)
				want, err := Issues.Where(v, cond)
				o.must(err)
				slices.Reverse(want)
				shown := func(rows []*Issue) string {
					raw, err := json.Marshal(rows)
					o.must(err)
					return string(raw)
				}
				if got, want := shown(p.Nodes), shown(want); got != want || len(p.Nodes) != 39/step+1 {
					o.Errorf("one of %d: %d issues\n%s\nwant\n%s", step, len(p.Nodes), got, want)
				}
				seen, err := Issues.ByID(v, foreigners)
				if err == nil && len(seen) > 0 {
					o.Errorf("one of %d: issues of another organization are shown: %v", step, seen)
				}
				return err
			}))
		}
	})
}

// TestRemembersNumbersOfRows lists rows that are too large to be cached twice at one version:
// the second time they are read by the numbers that the first one has read. When the table was
// renumbered between the two they are found by their ids.
func TestRemembersNumbersOfRows(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		eng := o.team("ENG")
		for i := range 6 {
			o.issue(eng, fmt.Sprint("issue ", i), func(in *WriteIssue) {
				in.Description = opt.Some(strings.Repeat(fmt.Sprint(i), heavyText+1))
			})
		}
		reader := New(o.world, o.t.Deps)
		list := func() {
			o.Helper()
			o.must(reader.Read(ctx, o.p, func(v *View) error {
				p, err := Issues.List(v, entity.Query{})
				o.must(err)
				for i, issue := range p.Nodes {
					if issue == nil || issue.Title != fmt.Sprint("issue ", 5-i) {
						o.Fatalf("issue %d of the list is %v", i, issue)
					}
				}
				if len(p.Nodes) != 6 {
					o.Fatalf("%d issues, want 6", len(p.Nodes))
				}
				return nil
			}))
		}
		list()
		list()
		o.must(o.world.Write(ctx, func(tx *store.Tx) error {
			if tx.Dialect() != store.SQLite {
				return nil
			}
			_, err := tx.Exec(`UPDATE tracker_issue SET rowid = rowid + 100`)
			return err
		}))
		list()
	})
}
