package entity

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/store"
)

// list returns the titles of the first n ships at a version, and how many statements
// that took.
func (h *harbour) list(version int64, n int) (titles string, statements int) {
	h.Helper()
	err := h.world.Read(context.Background(), func(tx *store.Tx) error {
		l := &lookout{Scope: Scope{Tx: tx, Tenant: "o", Now: time.UnixMicro(1000), Version: version, Caches: h.caches}}
		before := l.Statements()
		p, err := ships.List(l, Query{First: &n})
		if err != nil {
			return err
		}
		var all []string
		for _, s := range p.Nodes {
			all = append(all, s.Title)
		}
		titles, statements = strings.Join(all, " "), l.Statements()-before
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
	return titles, statements
}

// A list reads whole rows while those of the last lists were not cached, and ids and
// versions while they were.
func TestListsReadWholeRowsThatAreNotCached(t *testing.T) {
	both(t, func(h *harbour) {
		old := h.launch(1, "Ark", "ararat", 300)
		h.launch(2, "Beagle", "plymouth", 0)
		h.launch(3, "Cutty Sark", "london", 900)
		var counts []int
		see := func(version int64, n int, want string) {
			h.Helper()
			titles, statements := h.list(version, n)
			counts = append(counts, statements)
			if titles != want {
				h.Errorf("list %d: %q, want %q", len(counts), titles, want)
			}
		}
		see(1, 3, "Cutty Sark Beagle Ark") // whole
		see(1, 3, "Cutty Sark Beagle Ark") // remembered
		for n := range 3 {                 // the third by ids and versions, all cached
			see(1, 4+n, "Cutty Sark Beagle Ark")
		}
		now := *old
		now.Title, now.Version = "Argo", 2
		h.write(func(l *lookout) error {
			_, err := ships.Update(l, old, &now)
			return err
		})
		see(2, 3, "Cutty Sark Beagle Argo") // by ids and versions, one row not cached
		see(2, 2, "Cutty Sark Beagle")
		if want := []int{1, 0, 1, 1, 1, 2, 1}; !slices.Equal(counts, want) {
			h.Errorf("statements %v, want %v", counts, want)
		}
		*h.caches = *NewCaches(ships)
		if titles, statements := h.list(2, 2); titles != "Cutty Sark Beagle" || statements != 1 {
			h.Errorf("with new caches %q with %d statements", titles, statements)
		}
	})
}

// The balance of lists follows the last ones, however many there were before.
func TestTheLastListsDecide(t *testing.T) {
	c := newRowCache[ship]()
	for range 100 {
		c.met(0, 50)
	}
	for range maxBalance + 1 {
		c.met(50, 50)
	}
	if c.unlikely() {
		t.Error("after five lists of cached rows, rows are said to be missing")
	}
	for range 100 {
		c.met(50, 50)
	}
	for range maxBalance {
		c.met(25, 50)
	}
	c.met(0, 0)
	if !c.unlikely() {
		t.Error("after four lists without most of their rows, rows are said to be cached")
	}
}
