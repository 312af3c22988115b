package lifecycle

import (
	"context"
	"testing"

	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/store"
)

// Environments that begin alike are counted in one of them, until something is written.
func TestEnvironmentsThatBeginAlikeAreCountedOnce(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		p, counted := &envtest.Probe{}, &Counted{}
		e := open(t, s, p)
		defer func() { _ = e.Close() }()
		list := func(want ...string) {
			t.Helper()
			page, err := Overviews{e}.List(context.Background(), Selection{Order: catalogue.Order{By: "name"}}, catalogue.Place{}, 5)
			if err != nil || len(page) != len(want) {
				t.Fatalf("%v, %v", page, err)
			}
			for i, o := range page {
				if got := o.Counts.String(); got != want[i] {
					t.Errorf("%s: %s instead of %s", o.Name, got, want[i])
				}
			}
		}
		const none, one = `{"probe":{"rows":0}}`, `{"probe":{"rows":1}}`
		for _, name := range []string{"a", "b", "c"} {
			c := Create{Counted: counted}
			c.Info.Name = name
			env := create(t, e, c)
			if name == "b" {
				list(none, none)
				if n := p.Counted.Load(); n != 1 {
					t.Errorf("counted %d times", n)
				}
				envtest.Insert(t, env, "x")
			}
		}
		list(none, one, none)
		if n := p.Counted.Load(); n != 2 {
			t.Errorf("counted %d times once one was written to", n)
		}
	})
}
