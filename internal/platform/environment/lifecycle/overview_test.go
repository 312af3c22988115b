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
		counts, err := environment.NewServiceCounts(map[string]environment.Counts{"messaging": {"messages": 1, "users": 2}, "crm": {"contacts": 3},
			"tracker": {"issues": 4}, "ingest": {"events": 5}})
		if err != nil {
			t.Fatal(err)
		}
		o := environment.Overview{Size: int64(i), Counts: counts}
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
			page, err := Overviews{e}.List(ctx, Selection{}, catalogue.Place{ID: after}, 3)
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
			page, err := Overviews{e}.List(context.Background(), Selection{}, catalogue.Place{ID: after}, 200)
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

// Lists in every order, read in pages of two, hold each environment once, in the
// same order on both databases.
func TestOrdersOfEnvironments(t *testing.T) {
	envtest.OnBoth(t, func(t *testing.T, s store.Store) {
		e := open(t, s, &envtest.Probe{})
		defer func() { _ = e.Close() }()
		ctx := context.Background()
		var entries []catalogue.Entry
		for i, name := range []string{"beta", "Alpha", "zeta", "Émile", "beta", "a b\" c"} {
			at := time.Unix(int64(1000-i%4), 0)
			info := environment.Info{ID: fmt.Sprintf("env-%d", i), Storage: environment.NewID(false), Name: name, Created: at, RateLimits: 1}
			if i%2 == 0 {
				info.Expires = at.Add(time.Hour)
			}
			entries = append(entries, catalogue.Entry{Info: info})
		}
		if err := e.Catalogue.Insert(ctx, entries...); err != nil {
			t.Fatal(err)
		}
		for order, want := range map[catalogue.Order]string{
			{}:                                   "012345",
			{Descending: true}:                   "543210",
			{By: "name"}:                         "510423",
			{By: "name", Descending: true}:       "324015",
			{By: "created_at"}:                   "321504",
			{By: "created_at", Descending: true}: "405123",
			{By: "expires_at"}:                   "204135",
			{By: "expires_at", Descending: true}: "531402",
		} {
			var got string
			var after catalogue.Place
			for {
				found, err := Overviews{e}.Infos(ctx, Selection{Order: order}, after, 2)
				if err != nil {
					t.Fatal(err)
				}
				for _, i := range found {
					got += i.ID[len("env-"):]
					place, ok := order.ReadPlace(order.PlaceOf(&i).String())
					if after = place; !ok {
						t.Fatalf("%v: the place of %s is not read", order, i.ID)
					}
				}
				if len(found) < 2 {
					break
				}
			}
			if got != want {
				t.Errorf("%v: %s instead of %s", order, got, want)
			}
		}
		named, err := Overviews{e}.Infos(ctx, Selection{IDs: []string{"env-3", "gone", "env-1", "env-3", "env-5"}}, catalogue.Place{ID: "env-1"}, 2)
		if err != nil || len(named) != 2 || named[0].ID != "env-3" || named[1].ID != "env-5" {
			t.Errorf("by ids: %v, %v", named, err)
		}
	})
}
