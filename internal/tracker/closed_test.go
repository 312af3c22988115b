package tracker

import (
	"context"
	"errors"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/tracker/entity"
)

// If a view cannot read which teams are hidden, it shows nothing and fails.
func TestAViewThatDoesNotKnowWhatIsHiddenFailsClosed(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		team := o.team("ENG")
		o.issue(team, "Order chairs")
		rollBack := errors.New("roll back")
		err := o.t.world.Write(ctx, func(tx *store.Tx) error {
			v, err := o.t.view(tx, o.p, 0) // as in a write: the view reads the hidden teams on demand
			o.must(err)
			_, err = tx.Exec(`ALTER TABLE tracker_member RENAME TO gone`)
			o.must(err)
			if hidden, known := v.unseen(); known || len(hidden) != 0 || v.end(nil) == nil || !v.Restricted() {
				o.Errorf("hidden %v, known %v, ends with %v", hidden, known, v.end(nil))
			}
			if err := v.end(notFound("Team")); errors.Is(err, NotFound) {
				o.Errorf("a team that was not looked for is said to be missing: %v", err)
			}
			for name, condition := range map[string]func(*View) (string, []any){"team": hideBy("t.team"), "project": hideProject("t.id")} {
				if sql, _ := condition(v); sql != nothing {
					o.Errorf("%s: rows are shown where %q", name, sql)
				}
			}
			return rollBack
		})
		if !errors.Is(err, rollBack) {
			o.Fatal(err)
		}
		var seen int
		o.must(o.t.Read(ctx, o.p, func(v *View) error {
			page, err := Issues.List(v, entity.Query{})
			seen = len(page.Nodes)
			return err
		}))
		if seen != 1 {
			o.Errorf("%d issues", seen)
		}
	})
}
