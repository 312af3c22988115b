package cause

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"understudy/internal/platform/cache"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// Tables is the tables whose rows are recorded, and the sets of columns that
// statements update. All environments share it.
type Tables struct {
	worlds map[string]map[string]store.Noted // by world, then by name
	list   []table                           // by number, from 1

	mu      sync.RWMutex
	sets    [][]string        // by number, from 1
	numbers map[string]uint16 // of sets, by their names

	texts *cache.Rows[string, parsed] // by statement
}

type table struct {
	world, name string
	key         []string
	// inside marks the things inside the rows of a table. They have increasing
	// numbers, and an insert represents all up to the next one.
	inside bool
}

// maxTexts bounds the cached statements: some have as many placeholders as rows.
const maxTexts = 4096

// NewTables returns the tables of entities and of their histories.
func NewTables(entities []diff.Entity) *Tables {
	t := &Tables{worlds: map[string]map[string]store.Noted{}, numbers: map[string]uint16{},
		texts: cache.NewRows[string, parsed](nil, "", maxTexts)}
	add := func(world, name string, key []string, keys int) {
		if t.worlds[world] == nil {
			t.worlds[world] = map[string]store.Noted{}
		}
		if _, known := t.worlds[world][name]; known {
			return
		}
		t.list = append(t.list, table{world: world, name: name, key: key})
		t.worlds[world][name] = store.Noted{Number: uint16(len(t.list)), Keys: keys}
	}
	entities = slices.Clone(entities)
	slices.SortFunc(entities, func(a, b diff.Entity) int { return cmp.Compare(a.Table, b.Table) })
	for _, e := range entities {
		keys := 0
		if e.NoRowID {
			keys = len(e.Key)
		}
		if e.Unpack == nil {
			add(e.World, e.Table, e.Key, keys)
		} else { // the code that stores a row reports the things in it
			add(e.World, store.Inside(e.Table), nil, 0)
			t.list[len(t.list)-1].inside = true
		}
		if e.History != nil {
			add(e.World, e.History.Table, nil, 0)
		}
	}
	return t
}

// number returns the number of a table, 0 if its rows are not recorded.
func (t *Tables) number(world, name string) uint16 { return t.worlds[world][name].Number }

// parse returns the parsed statement, cached.
func (t *Tables) parse(sql string) parsed {
	p, known, epoch := t.texts.Get(sql)
	if known {
		return p
	}
	p = parse(sql)
	p.set = t.setOf(p.updates)
	t.texts.Put(sql, p, epoch)
	return p
}

// setOf returns the number of a set of columns, 0 for all.
func (t *Tables) setOf(columns []string) uint16 {
	if len(columns) == 0 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	name := strings.Join(columns, " ")
	n := t.numbers[name]
	if n == 0 && len(t.sets) < math.MaxUint16 {
		t.sets = append(t.sets, columns)
		n = uint16(len(t.sets))
		t.numbers[name] = n
	}
	return n
}

// columns returns a set by its number, nil for all columns.
func (t *Tables) columns(set uint16) []string {
	if set == 0 {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.sets[set-1]
}
