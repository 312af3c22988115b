package entity

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// Ships in ports: a kind that the tracker does not have.
type ship struct {
	Base
	Title string
	Port  string
	Tons  *float64
	Sails bool
}

// lookout sees all ports but one.
type lookout struct {
	Scope
	fog string
}

func (l *lookout) Restricted() bool { return l.fog != "" }

var shipShape = &Shape{Name: "Ship", Table: "ship"}

var ships = (&Kind[*lookout, ship]{Name: "Ship", Table: "ship", Indexed: true, Enabled: "t.sails", Shape: shipShape,
	Relations: map[string]Relation{"port": {Parent: "t.port"}},
	Sorts:     map[string]SortKey{"title": {Expr: "@.title"}, "tons": {Expr: "@.tons", Missing: "@.tons IS NULL", Zero: "0", By: ByFloat}},
	Hide: func(l *lookout) (string, []any) {
		if l.fog == "" {
			return "", nil
		}
		return "t.port <> ?", []any{l.fog}
	},
}).Columns((*ship).Header,
	Col("title", "title", Text, func(s *ship) any { return &s.Title }),
	Col("port", "portId", Ref, func(s *ship) any { return &s.Port }),
	Col("tons", "tons", Nullable, func(s *ship) any { return &s.Tons }),
	Col("sails", "", Hidden, func(s *ship) any { return &s.Sails }),
)

func init() {
	shipShape.Fields = map[string]Field{"title": {Sort: ByText, Expr: "@.title"}, "tons": {Sort: ByFloat, Expr: "@.tons"},
		"created": {Sort: ByTime, Expr: "@.created"}}
}

const shipTable = `-- +goose Up
CREATE TABLE ship (org TEXT NOT NULL, id TEXT NOT NULL, created BIGINT NOT NULL, updated BIGINT NOT NULL, archived BIGINT NOT NULL,
	version BIGINT NOT NULL, title TEXT NOT NULL, port TEXT NOT NULL, tons DOUBLE PRECISION, sails BOOLEAN NOT NULL, PRIMARY KEY (org, id));
CREATE INDEX ship_created ON ship (org, created, id);
`

// harbour is a world with ships.
type harbour struct {
	*testing.T
	world  *store.World
	caches *Caches
}

func both(t *testing.T, test func(h *harbour)) {
	t.Helper()
	schema := store.Schema{Name: "ship", Migrations: fstest.MapFS{"0001_ship.sql": {Data: []byte(shipTable)}},
		Tables: map[string]store.Class{"ship": store.WorldClass}}
	storetest.Run(t, []store.Schema{schema}, func(t *testing.T, w *store.World) {
		test(&harbour{t, w, NewCaches(ships)})
	})
}

func shipID(n int) string { return "00000000-0000-4000-8000-00000000000" + string(rune('0'+n)) }

func (h *harbour) write(fn func(l *lookout) error) {
	h.Helper()
	err := h.world.Write(context.Background(), func(tx *store.Tx) error {
		l := &lookout{Scope: Scope{Tx: tx, Tenant: "o", Now: time.UnixMicro(1000)}}
		l.RememberRows()
		return fn(l)
	})
	if err != nil {
		h.Fatal(err)
	}
}

func (h *harbour) launch(n int, title, port string, tons float64) *ship {
	s := &ship{Base: Base{Org: "o", ID: shipID(n), Created: int64(n), Updated: int64(n), Version: 1}, Title: title, Port: port, Sails: n != 4}
	if tons > 0 {
		s.Tons = &tons
	}
	h.write(func(l *lookout) error { return ships.Insert(l.Tx, s) })
	return s
}

func (h *harbour) titles(fog string, version int64, q Query) (out []string) {
	h.Helper()
	err := h.world.Read(context.Background(), func(tx *store.Tx) error {
		l := &lookout{Scope: Scope{Tx: tx, Tenant: "o", Now: time.UnixMicro(1000), Version: version, Caches: h.caches}, fog: fog}
		for {
			p, err := ships.List(l, q)
			if err != nil {
				return err
			}
			for _, s := range p.Nodes {
				out = append(out, s.Title)
			}
			if !p.HasNext {
				return nil
			}
			q.After = p.Cursor(p.Nodes[len(p.Nodes)-1])
		}
	})
	if err != nil {
		h.Fatal(err)
	}
	return out
}

// The package reads and writes any kind by its declaration alone.
func TestAnyKindIsListed(t *testing.T) {
	both(t, func(h *harbour) {
		h.launch(1, "Ark", "", 300)
		h.launch(2, "Beagle", "plymouth", 0)
		h.launch(3, "Cutty Sark", "london", 900)
		h.launch(4, "bounty", "london", 18000)
		two := 2
		for _, c := range []struct {
			name, fog string
			q         Query
			want      string
		}{
			{"newest first, enabled ones", "", Query{}, "Cutty Sark Beagle Ark"},
			{"disabled too, page by page", "", Query{First: &two, Disabled: true}, "bounty Cutty Sark Beagle Ark"},
			{"what is hidden is left out", "london", Query{}, "Beagle Ark"},
			{"sorted, missing last, page by page", "", Query{First: &two, Sort: []Ordering{{Key: "tons"}}}, "Ark Cutty Sark Beagle"},
			{"sorted by text, whatever the case", "", Query{First: &two, Disabled: true, Sort: []Ordering{{Key: "title"}}}, "Ark Beagle bounty Cutty Sark"},
			{"filtered", "", Query{Filter: Only("tons", Only("gt", 299.0))}, "Cutty Sark Ark"},
			{"either", "", Query{Filter: Only("or", []any{Only("title", Only("eq", "Ark")), Only("tons", Only("null", true))})}, "Beagle Ark"},
		} {
			for range 2 { // the second time from the cache
				if got := strings.Join(h.titles(c.fog, 1, c.q), " "); got != c.want {
					h.Errorf("%s: %q, want %q", c.name, got, c.want)
				}
			}
		}
	})
}

// The caches return what the database holds at the tenant's version.
func TestRowsAreRememberedByVersion(t *testing.T) {
	both(t, func(h *harbour) {
		old := h.launch(1, "Ark", "ararat", 300)
		h.titles("", 1, Query{})
		now := *old
		now.Title, now.Port, now.Version = "Argo", "", 2
		h.write(func(l *lookout) error {
			changes, err := ships.Update(l, old, &now)
			if want := []Change{{"title", "Ark"}, {"portId", "ararat"}}; !slices.Equal(changes, want) {
				h.Errorf("changes %v, want %v", changes, want)
			}
			if found, _ := ships.Find(l, now.ID); found == nil || found.Title != "Argo" {
				h.Errorf("in the write the row is %v", found)
			}
			if err := ships.Insert(l.Tx, &now); !errors.Is(err, Taken) {
				h.Errorf("an id twice: %v", err)
			}
			return err
		})
		if got := h.titles("", 2, Query{}); !slices.Equal(got, []string{"Argo"}) {
			h.Errorf("after the write: %v", got)
		}
	})
}

// The package names no table, and no kind, of the tracker.
func TestNothingHereNamesTheTracker(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"tracker" + "_", `"Us` + `er"`, `"Iss` + `ue" {`, "prior" + "ity"} {
			if strings.Contains(string(src), word) {
				t.Errorf("%s holds %s", f, word)
			}
		}
	}
}

// Rows that contain only an id are the same each time, for a bounded number of ids.
func TestBareRowsAreKept(t *testing.T) {
	c := newRowCache[ship]()
	base := func(s *ship) *Base { return &s.Base }
	text := "id-1 and more"
	first := c.bare(text[:4], base)
	if first.ID != "id-1" || c.bare("id-1", base) != first {
		t.Errorf("row %+v, then %+v", first, c.bare("id-1", base))
	}
	for i := range 10 * maxBares {
		if id := strings.Repeat("x", i); c.bare(id, base).ID != id {
			t.Fatalf("row %q has another id", id)
		}
	}
	kept := 0
	c.bares.Range(func(any, any) bool { kept++; return true })
	if kept > maxBares {
		t.Errorf("%d rows are kept, more than %d", kept, maxBares)
	}
	if alone := (*rowCache[ship])(nil).bare("id-2", base); alone.ID != "id-2" {
		t.Errorf("row %+v without a cache", alone)
	}
}

// A generation of rows takes the memory of the oldest one, and no row is lost before that.
func TestGenerationsOfRowsTakeTurns(t *testing.T) {
	c := newRowCache[ship]()
	base := func(s *ship) *Base { return &s.Base }
	id := func(i int) string { return "ship-" + strings.Repeat("i", i/1000) + string(rune('0'+i%1000)) }
	for i := range 5 * cacheRows {
		c.put("org", []*ship{{Base: Base{ID: id(i), Version: 1}}}, base, 1)
		for _, back := range []int{0, cacheRows - 1} {
			if at := i - back; at >= 0 {
				rows := make([]*ship, 1)
				if c.newest("org", []stamp{{id(at), 1}}, rows); rows[0] == nil || rows[0].ID != id(at) {
					t.Fatalf("after %d rows, row %d is %+v", i+1, at, rows[0])
				}
			}
		}
		if n := len(c.young) + len(c.old); n > 2*cacheRows {
			t.Fatalf("%d rows are cached", n)
		}
	}
}
