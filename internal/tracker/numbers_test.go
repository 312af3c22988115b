package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

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
