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

// WorldSchema returns the tables of this package in each world.
func WorldSchema() store.Schema {
	sub, _ := fs.Sub(migrations, "migrations")
	return store.Schema{Name: "environment", Migrations: sub, Tables: map[string]store.Class{
		"env_meta": store.WorldClass, "env_state": store.RuntimeClass, "env_request": store.RuntimeClass}}
}

// seededReserve is how far a seeded id source is advanced after a crash: more
// bytes than one run can draw.
const seededReserve = 1 << 40

// Start describes the identity of a new environment; zero fields have defaults.
type Start struct {
	Seed  *int64     // of the id source and the secrets; nil for random ones
	Clock *time.Time // freeze the clock at this time; nil for real time
}

// meta returns the metadata of a new world. With guarded, the secrets do not
// depend on the seed alone.
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
	Position uint64 // of the seeded id source at the time of the copy
	Fork     *Fork  // set if the copy is a fork; nil for a restored copy or a new environment
	// New reports that the copy is a new environment, copied from the initial state
	// of another: it has no runtime data.
	New bool
	// Own is mixed into the secrets of a new environment, so that they differ from
	// the original's; "" if they are derived from its seed.
	Own string
}

// prepare prepares a copied world for opening, and returns its metadata. runtime
// lists the runtime tables.
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

// Metadata keys: the names from which secrets are derived, and whether the first
// is that of a new environment that began as a copy instead of a fork.
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

// runtimeTables returns the runtime tables, which are empty in a fork.
func runtimeTables(schemas []store.Schema) (tables []string) {
	for _, s := range schemas {
		for table, class := range s.Tables {
			if class == store.RuntimeClass {
				tables = append(tables, table)
			}
		}
	}
	slices.Sort(tables) // sorted, so that the statement's text is constant
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
