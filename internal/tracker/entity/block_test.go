package entity

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"understudy/internal/platform/store"
)

// fleet launches n ships that were created one after another.
func (h *harbour) fleet(n int) []*ship {
	all := make([]*ship, n)
	h.write(func(l *lookout) error {
		for i := range all {
			at := int64(i+1) * 1000
			tons := float64(i % 7)
			all[i] = &ship{Base: Base{Org: "o", ID: fmt.Sprintf("00000000-0000-4000-8000-%012x", i), Created: at, Updated: at, Version: 1},
				Title: fmt.Sprintf("ship %d", i), Port: fmt.Sprintf("port %d", i%3), Tons: &tons, Sails: true}
			if err := ships.Insert(l.Tx, all[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// until returns a page of the ships that were created up to a millisecond, at a version;
// 0 reads without the caches.
func (h *harbour) until(version, created int64, first int) []*ship {
	h.Helper()
	var rows []*ship
	if err := h.world.Read(context.Background(), func(tx *store.Tx) error {
		l := &lookout{Scope: Scope{Tx: tx, Tenant: "o", Now: time.UnixMicro(1000), Version: version, Caches: h.caches}}
		p, err := ships.List(l, Query{First: &first, Filter: Only("created", Only("lte", Moment{At: time.UnixMilli(created)}))})
		if err == nil {
			rows = p.Nodes
		}
		return err
	}); err != nil {
		h.Fatal(err)
	}
	return rows
}

func (h *harbour) cached() int {
	c := h.caches.rows[ships.Table].(*rowCache[ship])
	return len(c.young) + len(c.old)
}

// The rows of a long list are cached when a list that has some of them was read before,
// or when the list is asked for again.
func TestRowsOfLongListsAreCachedOnTheirSecondRequest(t *testing.T) {
	both(t, func(h *harbour) {
		h.fleet(200)
		h.until(1, 200, shortList-1)
		if n := h.cached(); n != shortList {
			h.Errorf("%d rows of a short list are cached", n)
		}
		h.until(1, 150, 49)
		h.until(1, 100, 49)
		if n := h.cached(); n != shortList {
			h.Errorf("%d rows are cached after two long lists without common rows", n)
		}
		read := h.until(1, 101, 49)
		if n := h.cached(); n != shortList+50 {
			h.Errorf("%d rows are cached after a list with rows in common", n)
		}
		c := h.caches.rows[ships.Table].(*rowCache[ship])
		for i, e := range c.look("o", []string{read[0].ID, read[1].ID}) {
			if e.row == nil || e.row == read[i] || !ships.Same(e.row, read[i]) {
				h.Errorf("row %d is cached as %+v", i, e.row)
			}
		}
		h.until(1, 150, 49)
		if n := h.cached(); n != shortList+99 { // one was cached already
			h.Errorf("%d rows are cached after a list was asked for again", n)
		}
	})
}

// Lists of any length, asked for in any order between writes, are those that the database
// returns.
func TestListsAreThoseOfTheDatabase(t *testing.T) {
	both(t, func(h *harbour) {
		all := h.fleet(120)
		rnd := rand.New(rand.NewPCG(1, 2))
		version := int64(1)
		for step := range 400 {
			if rnd.IntN(4) == 0 {
				i := rnd.IntN(len(all))
				now := *all[i]
				version++
				now.Title, now.Version = fmt.Sprintf("ship %d of version %d", i, version), version
				switch rnd.IntN(5) {
				case 0:
					now.Tons = nil
				case 1: // more than fits on one page
					now.Title += strings.Repeat(" long", 2000)
				}
				h.write(func(l *lookout) error { _, err := ships.Update(l, all[i], &now); return err })
				all[i] = &now
			}
			until, first := int64(10*rnd.IntN(13)), 1+rnd.IntN(60)
			got, want := h.until(version, until, first), h.until(0, until, first)
			if !slices.EqualFunc(got, want, ships.Same) {
				h.Fatalf("step %d: until %d, first %d: %d rows differ from the %d of the database", step, until, first, len(got), len(want))
			}
		}
	})
}

// Rows of a block are distinct, and a clone shares no texts with them.
func TestBlocks(t *testing.T) {
	b := newBlock[ship](shortList)
	seen := map[*ship]bool{}
	for range 3 * shortList { // more than were expected
		s := b.next()
		if s.Title != "" || seen[s] {
			t.Fatal("a row twice")
		}
		seen[s] = true
		s.Title = "taken"
	}
	for _, atOnce := range []int{0, 10} {
		texts := store.Texts{AtOnce: atOnce}
		var all []string
		for i, n := range []int{4, 0, 6, 3, 20, 10, 7} {
			texts.Reserve(n)
			all = append(all, texts.Copy(bytes.Repeat([]byte{byte('0' + i)}, n/2)), texts.Copy(bytes.Repeat([]byte{byte('0' + i)}, n-n/2)))
		}
		if got := strings.Join(all, " "); got != "00 00   222 222 3 33 4444444444 4444444444 55555 55555 666 6666" {
			t.Errorf("%d at once: %q", atOnce, got)
		}
	}
	raw := []byte("id and title")
	s := &ship{Base: Base{ID: bytesAsText(raw[:2])}, Title: bytesAsText(raw[3:])}
	own := clone(ships, s)
	copy(raw, "xxxxxxxxxxxx")
	if own.ID != "id" || own.Title != "and title" {
		t.Errorf("clone %+v", own)
	}
}

func bytesAsText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
