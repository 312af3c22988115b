package environment

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

//go:embed migrations
var migrations embed.FS

// WorldSchema returns the tables that this package keeps in each world.
func WorldSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "environment", Migrations: sub, Tables: map[string]store.Class{
		"env_meta": store.WorldClass, "env_state": store.RuntimeClass, "env_request": store.RuntimeClass}}
}

// seededReserve is how far a seeded id source is moved on when the program did
// not end cleanly: more bytes than one run can draw.
const seededReserve = 1 << 40

// Start describes the identity of a new environment; zero fields have defaults.
type Start struct {
	Seed  *int64     // of the id source and the secrets; nil for random ones
	Clock *time.Time // where the clock stands, frozen; nil for the real time
}

// meta returns what a new world stores about itself. The secrets of a guarded
// one do not follow from its seed alone.
func (s Start) meta(guarded bool) map[string]string {
	meta := map[string]string{"lineage": ids.Random().Hex(32), "sealed": "true"}
	if s.Seed != nil {
		meta["lineage"] = "seed"
		meta["seed"] = strconv.FormatInt(*s.Seed, 10)
		meta["ids_position"] = "0"
		if guarded {
			meta["guarded"] = "true"
		}
	}
	if s.Clock != nil {
		setClockMeta(meta, clock.At(*s.Clock).State())
	}
	return meta
}

// Copied describes a world that is a copy of another one.
type Copied struct {
	Position uint64 // where the seeded id source stood when the copy was made
	Fork     *Fork  // the copy is an environment of its own; nil for one that is put back, and for one that is new
	// New reports that the copy is a new environment, and what it is a copy of one as
	// it was when it was made: nothing is under way in it.
	New bool
	// Own is what the secrets of a new environment derive from beside those of the
	// other one, so that they are its own; "" where they follow from its seed.
	Own string
}

// prepare makes a copied world fit to be opened, and returns what it stores about
// itself. runtime are the tables of what is under way.
func (c Copied) prepare(tx *store.Tx, runtime []string) (meta map[string]string, err error) {
	if c.Fork != nil {
		if err := emptyTables(tx, runtime); err != nil {
			return nil, err
		}
		return c.Fork.prepare(tx, c.Position)
	}
	if err := auth.EndActing(tx); err != nil {
		return nil, err
	}
	if err := deleteState(tx); err != nil {
		return nil, err
	}
	have, err := getMeta(tx)
	if err != nil || c.Own == "" {
		return have, err
	}
	own := map[string]string{metaFresh: c.Own, metaOwn: "true"}
	maps.Copy(have, own)
	return have, setMeta(tx, own)
}

// Of what a world stores about itself: the names that its secrets derive from, and
// whether the first of them is no fork's, but that of a new environment which began as a copy.
const (
	metaFresh = "fresh"
	metaOwn   = "own"
)

// isFresh reports whether a world is a fork that accepts no credentials of its
// parent, or a descendant of one.
func isFresh(meta map[string]string) bool {
	names := len(strings.Fields(meta[metaFresh]))
	if meta[metaOwn] != "" {
		names--
	}
	return names > 0
}

// runtimeTables returns the tables of what is under way, which a fork begins without.
func runtimeTables(schemas []store.Schema) (tables []string) {
	for _, s := range schemas {
		for table, class := range s.Tables {
			if class == store.RuntimeClass {
				tables = append(tables, table)
			}
		}
	}
	slices.Sort(tables) // for one text of the question
	return tables
}

func setClockMeta(meta map[string]string, s clock.State) {
	meta["clock_frozen"] = strconv.FormatBool(s.Frozen)
	meta["clock_at"] = strconv.FormatInt(s.At, 10)
	meta["clock_offset"] = strconv.FormatInt(s.Offset, 10)
}

func clockMeta(meta map[string]string) (s clock.State) {
	s.Frozen = meta["clock_frozen"] == "true"
	s.At, _ = strconv.ParseInt(meta["clock_at"], 10, 64)
	s.Offset, _ = strconv.ParseInt(meta["clock_offset"], 10, 64)
	return s
}
