package lifecycle

import (
	"context"
	"fmt"
	"testing"
	"time"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/envtest"
	"understudy/internal/platform/store"
)

// fill enters n closed environments with overviews into the catalogue.
func fill(t testing.TB, e *Environments, n int) {
	t.Helper()
	entries, notes := make([]catalogue.Entry, n), []catalogue.Closing{}
	for i := range entries {
		id := fmt.Sprintf("closed-%05d", i)
		entries[i].Info = environment.Info{ID: id, Storage: environment.NewID(false), Name: id, Created: time.Unix(0, 0), RateLimits: 1}
		o := environment.Overview{Size: int64(i), Counts: map[string]environment.Counts{"messaging": {"messages": 1, "users": 2}, "crm": {"contacts": 3},
			"tracker": {"issues": 4}, "ingest": {"events": 5}}}
		notes = append(notes, catalogue.Closing{ID: id, Overview: &o})
	}
	ctx := context.Background()
	if err := e.Catalogue.Insert(ctx, entries...); err != nil {
		t.Fatal(err)
	}
	if err := e.Catalogue.MarkClosed(ctx, notes...); err != nil {
		t.Fatal(err)
	}
}

// A page shows each environment with its own overview: the stored one of a closed
// environment, the present one of an open environment.
func TestPagesOfOverviews(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		e := open(t, s, &envtest.Probe{})
		defer func() { _ = e.Close() }()
		ctx := context.Background()
		fill(t, e, 7)
		env, err := e.Create(ctx, Create{Info: environment.Info{ID: "closed-00003-open", RateLimits: 1}})
		if err != nil {
			t.Fatal(err)
		}
		stale := environment.Overview{Size: 99}
		if err := e.Catalogue.MarkClosed(ctx, catalogue.Closing{ID: env.ID, Overview: &stale}); err != nil {
			t.Fatal(err)
		}
		var seen []string
		for after := ""; ; {
			page, err := Overviews{e}.List(ctx, after, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range page {
				seen, after = append(seen, o.ID), o.ID
				if o.ID == env.ID {
					if o.Size == 99 {
						t.Error("an open environment is shown as it was stored")
					}
				} else if want := fmt.Sprintf("closed-%05d", o.Size); want != o.ID {
					t.Errorf("%s has the overview of %s", o.ID, want)
				}
			}
			if len(page) < 3 {
				break
			}
		}
		if len(seen) != 8 || seen[4] != env.ID {
			t.Errorf("%v", seen)
		}
	})
}

// BenchmarkListing lists 10,000 closed environments by pages of 200.
func BenchmarkListing(b *testing.B) {
	e := open(b, envtest.Store(b, "", b.TempDir()), &envtest.Probe{})
	defer func() { _ = e.Close() }()
	fill(b, e, 10_000)
	for b.Loop() {
		n := 0
		for after := ""; ; {
			page, err := Overviews{e}.List(context.Background(), after, 200, nil)
			if err != nil {
				b.Fatal(err)
			}
			if n += len(page); len(page) == 0 {
				break
			}
			after = page[len(page)-1].ID
		}
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}
