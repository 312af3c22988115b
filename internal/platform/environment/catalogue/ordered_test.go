package catalogue

import (
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/clock"
	"understudy/internal/platform/environment"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/sqlite"
)

// A catalogue whose rows were stored in the order of their creation has the same
// environments and overviews once they are stored in the order of ids.
func TestRowsAreKeptWhenTheyAreOrdered(t *testing.T) {
	s, err := sqlite.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, before := context.Background(), schema()
	files := fstest.MapFS{}
	all, err := fs.ReadDir(before.Migrations, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		text, err := fs.ReadFile(before.Migrations, f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if f.Name() < "0006" {
			files[f.Name()] = &fstest.MapFile{Data: text}
		}
	}
	before.Migrations = files
	w, err := s.Open(ctx, "catalogue", []store.Schema{before})
	if err != nil {
		t.Fatal(err)
	}
	c := &Catalogue{w}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	counts, err := environment.NewServiceCounts(map[string]environment.Counts{"crm": {"companies": 2}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]environment.Overview{}
	for i, id := range []string{"zed", "alpha", "mid"} {
		o := environment.Overview{Info: environment.Info{ID: id, Storage: "s" + id, Name: "n" + id, Parent: "p", Created: at, Expires: at.Add(time.Hour),
			RateLimits: 2}, Size: int64(i), Clock: clock.State{Frozen: true, At: int64(i)}, Counts: counts}
		if err := c.Insert(ctx, Entry{Info: o.Info, Restoring: "r", Wake: 7, Position: int64(i), Overview: &o}); err != nil {
			t.Fatal(err)
		}
		want[id] = o
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err = Open(ctx, s); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	found, err := Overviews{c}.List(ctx, Order{}, Place{}, 5)
	if err != nil || len(found) != 3 || found[0].ID != "alpha" || found[2].ID != "zed" {
		t.Fatal(found, err)
	}
	room := make([]environment.Overview, 1, 8) // of an earlier list
	again, err := Overviews{c}.ListIn(ctx, &room, Order{}, Place{}, 5)
	if err != nil || !reflect.DeepEqual(again, found) || &again[0] != &room[:1][0] || cap(room) != 8 {
		t.Errorf("in memory of another list: %+v, %v", again, err)
	}
	for _, o := range found {
		if !reflect.DeepEqual(o, want[o.ID]) {
			t.Errorf("%+v\nwant\n%+v", o, want[o.ID])
		}
		if e, err := c.Get(ctx, o.ID); err != nil || e.Wake != 7 || e.Position != o.Size {
			t.Error(e, err)
		}
	}
}

// A list has no stored overview of an environment that is open: it may be
// outdated, and the environment be closed before the list asks for its state.
func TestOverviewsOfOpenEnvironmentsAreNotRead(t *testing.T) {
	ctx, c := context.Background(), opened(t)
	counts := environment.ReadServiceCounts("{}")
	if err := c.Insert(ctx, Entry{Info: environment.Info{ID: "one", Storage: "one"}, Overview: &environment.Overview{Size: 5, Counts: counts}}); err != nil {
		t.Fatal(err)
	}
	for _, open := range []bool{false, true} {
		if open {
			if err := c.MarkOpen(ctx, "one"); err != nil {
				t.Fatal(err)
			}
		}
		listed, err := Overviews{c}.List(ctx, Order{}, Place{}, 5)
		if err != nil || len(listed) != 1 || listed[0].Counts.Known() == open || (listed[0].Size == 5) == open {
			t.Error(open, listed, err)
		}
		named, err := Overviews{c}.Of(ctx, "one", "other")
		if err != nil || len(named) != 1 || named[0].Counts.Known() == open {
			t.Error(open, named, err)
		}
		if last, err := (Overviews{c}).Last(ctx, "one", "other"); err != nil || len(last) != 1 || last[0].Size != 5 {
			t.Error(open, last, err)
		}
	}
}

// A list in the order of ids shows what the other order shows, which reads each overview by
// itself: of environments that are open or closed, with an overview or without.
func TestOverviewsAreThoseOfTheirEnvironments(t *testing.T) {
	ctx, c := context.Background(), opened(t)
	var all []Entry
	for i := range 60 {
		id := fmt.Sprintf("e%c-%d", 'a'+i*7%26, i)
		e := Entry{Info: environment.Info{ID: id, Storage: id, Name: id, Created: time.UnixMicro(int64(i)).UTC()}}
		if i%3 > 0 {
			e.Overview = &environment.Overview{Size: int64(i), Clock: clock.State{Frozen: i%4 == 0, At: int64(i)}, Counts: environment.ReadServiceCounts(fmt.Sprintf(`{"n":%d}`, i/2))}
		}
		if i%5 < 2 || i > 40 && i < 50 {
			e.Wake = WakeAtStart
		}
		all = append(all, e)
	}
	if err := c.Insert(ctx, all...); err != nil {
		t.Fatal(err)
	}
	want, err := Overviews{c}.List(ctx, Order{Descending: true}, Place{}, 100)
	if err != nil || len(want) != len(all) {
		t.Fatal(len(want), err)
	}
	slices.Reverse(want)
	for limit := 1; limit <= len(all)+1; limit++ {
		var got []environment.Overview
		for after := (Place{}); ; {
			page, err := Overviews{c}.List(ctx, Order{}, after, limit)
			if err != nil || len(page) > limit {
				t.Fatal(len(page), err)
			}
			if got = append(got, page...); len(page) < limit {
				break
			}
			after = Order{}.PlaceOf(&page[limit-1].Info)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d a page:\n%+v\nwant\n%+v", limit, got, want)
		}
	}
}
