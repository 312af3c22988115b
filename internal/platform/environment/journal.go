package environment

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"understudy/internal/platform/cause"
	"understudy/internal/platform/diff"
	"understudy/internal/platform/store"
)

// The journal of an environment is in memory. When the environment is closed it
// is stored as the requests are: what came since the last time as one block more.
// Beside the blocks stands a state, which says that the environment was closed in
// order: the first noted write after it is opened removes the state, so that what
// a crash loses is known to be lost.

// storedJournal is the state of a journal as it is stored.
type storedJournal struct {
	cause.State
	Layout int64 // of the tables: migrations may change the numbers of rows
}

// journalText is a storedJournal as JSON. It is read whenever an environment is
// opened and written whenever one is made, for which gob and gzip take too long.
type journalText struct {
	Layout int64            `json:"layout"`
	First  int64            `json:"first"`
	Next   int64            `json:"next"`
	Marks  []markText       `json:"marks,omitempty"`
	Floors map[string]int64 `json:"floors,omitempty"`
	Stated map[string]bool  `json:"stated,omitempty"`
}

type markText struct {
	Copy  string `json:"copy"`
	World string `json:"world"`
	Place int64  `json:"place"`
}

func encodeJournal(s storedJournal) ([]byte, error) {
	out := journalText{Layout: s.Layout, First: s.First, Next: s.Next, Floors: s.Floors, Stated: s.Stated}
	for m, place := range s.Marks {
		out.Marks = append(out.Marks, markText{m.Copy, m.World, place})
	}
	slices.SortFunc(out.Marks, func(a, b markText) int {
		return cmp.Or(strings.Compare(a.Copy, b.Copy), strings.Compare(a.World, b.World))
	})
	return json.Marshal(out)
}

// decodeJournal reads what encodeJournal returns, or what earlier versions stored: packed.
func decodeJournal(b []byte) (s storedJournal, err error) {
	if b[0] != '{' {
		err = unpack(b, &s)
		return s, err
	}
	var in journalText
	if err := json.Unmarshal(b, &in); err != nil {
		return s, err
	}
	s = storedJournal{cause.State{First: in.First, Next: in.Next, Marks: map[cause.Mark]int64{}, Floors: in.Floors, Stated: in.Stated}, in.Layout}
	for _, m := range in.Marks {
		s.Marks[cause.Mark{Copy: m.Copy, World: m.World}] = m.Place
	}
	return s, nil
}

// BasePrefix begins the base name of the copy that a reset goes back to.
const BasePrefix = "base_"

// MarkOf returns the name of a copy of an environment in its journal: that which a
// reset goes back to is called alike in all environments, so that forks of one
// call store the same.
func MarkOf(copy string) string {
	if strings.HasPrefix(strings.TrimPrefix(copy, store.InMemory("")), BasePrefix) {
		return BasePrefix
	}
	return copy
}

// tables returns the tables whose changes are noted, and finds out what the platform knows of all tables.
func (p *Platform) tables() *cause.Tables {
	p.once.Do(func() {
		schemas := Schemas(p.Services)
		p.entities = Entities(p.Services)
		p.noted, p.layout, p.runtime = cause.NewTables(p.entities), int64(store.Digest(schemas)), runtimeTables(schemas)
	})
	return p.noted
}

// Entities returns those of all services, as the function of this name does. They are
// described once and must not be changed.
func (p *Platform) Entities() []diff.Entity {
	p.tables()
	return p.entities
}

// beginJournal stores the state of an empty journal, of a world that equals a
// copy, in the transaction that makes it ready.
func (p *Platform) beginJournal(tx *store.Tx, env *Environment, copy string) error {
	env.Journal.Equals(MarkOf(copy))
	state := env.Journal.State()
	packed, err := encodeJournal(storedJournal{state, p.layout})
	if err != nil {
		return err
	}
	return setState(tx, stateJournal, packed)
}

// loadJournal continues the journal from its stored state, packed. sure is false when the environment
// may not have been closed in order: of databases beside the main one nothing
// that was noted counts then. It reports whether the environment has crashed: it
// may not have been closed in order, and nothing says that it was.
func loadJournal(e *Environment, packed []byte, sure bool) (crashed bool, err error) {
	if len(packed) == 0 {
		return !sure, nil
	}
	s, err := decodeJournal(packed)
	if err != nil || s.Layout != e.layout {
		return false, err
	}
	for mark, place := range s.Marks { // of an earlier version, which called it by its own name
		s.Marks[cause.Mark{Copy: MarkOf(mark.Copy), World: mark.World}] = place
	}
	resumeJournal(e, s.State, func() ([]cause.Block, error) { return readJournal(e) })
	for world := range e.Extra {
		if !sure {
			e.Journal.Void(world)
		}
	}
	return false, nil
}

// resumeJournal continues the journal from what is stored.
func resumeJournal(e *Environment, s cause.State, older func() ([]cause.Block, error)) {
	e.resumed = true
	e.Journal.Resume(s, older, deleteJournal)
}

// Observe makes the journal note what is written from now on. A new environment
// is observed once it is filled.
func (e *Environment) Observe() {
	e.World.Watch(e.Journal.World(""))
	for name, w := range e.Extra {
		w.Watch(e.Journal.World(name))
	}
}

// saveJournal stores what was noted since the journal was loaded.
func saveJournal(tx *store.Tx, e *Environment, state cause.State, block *cause.Block) error {
	packed, err := encodeJournal(storedJournal{state, e.layout})
	if err != nil {
		return err
	}
	if !e.resumed { // blocks of a journal that a crash ended
		if err := trimJournal(tx, math.MaxInt64); err != nil {
			return err
		}
	}
	if err := setState(tx, stateJournal, packed); err != nil {
		return err
	}
	if block != nil {
		packed, err := pack(block)
		if err != nil {
			return err
		}
		if err := setState(tx, journalBlock(block.Next), packed); err != nil {
			return err
		}
	}
	return trimJournal(tx, state.First)
}

// readJournal reads the stored blocks.
func readJournal(e *Environment) (out []cause.Block, err error) {
	var packed [][]byte
	err = e.World.Read(context.Background(), func(tx *store.Tx) (err error) {
		packed, err = listStates(tx, stateJournal+"/")
		return err
	})
	for _, b := range packed {
		var one cause.Block
		if err == nil {
			err = unpack(b, &one)
		}
		out = append(out, one)
	}
	if err != nil {
		e.Log.Error("the journal of causes could not be read", "error", err)
		return nil, err
	}
	return out, nil
}
