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

// The journal of an environment is in memory. Closing the environment stores the
// changes since the last time as another block, like the requests. In addition to
// the blocks it stores a state, which indicates that the environment was closed
// properly: the first recorded write after opening removes the state, so that
// changes lost in a crash are known to be lost.

// storedJournal is the stored state of a journal.
type storedJournal struct {
	cause.State
	Layout int64 // of the tables: migrations may change row ids
}

// journalText is the JSON form of storedJournal. It is read at every opening and
// written at every creation, for which gob and gzip are too slow.
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

// decodeJournal decodes the result of encodeJournal, or the packed form of
// earlier versions.
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

// BasePrefix is the prefix of the base name of the copy that a reset restores.
const BasePrefix = "base_"

// MarkOf returns the name of a copy of an environment in its journal. The copy
// that a reset restores has the same name in all environments, so that forks of
// one call have equal states.
func MarkOf(copy string) string {
	if strings.HasPrefix(strings.TrimPrefix(copy, store.InMemory("")), BasePrefix) {
		return BasePrefix
	}
	return copy
}

// tables returns the tables whose changes are recorded, and initializes the
// platform's data about tables.
func (p *Platform) tables() *cause.Tables {
	p.once.Do(func() {
		schemas := Schemas(p.Services)
		p.entities = Entities(p.Services)
		p.noted, p.layout, p.runtime = cause.NewTables(p.entities), int64(store.Digest(schemas)), runtimeTables(schemas)
	})
	return p.noted
}

// Entities is the cached result of the function Entities for all services. It
// must not be changed.
func (p *Platform) Entities() []diff.Entity {
	p.tables()
	return p.entities
}

// beginJournal stores the state of an empty journal for a world that equals a
// copy, in the transaction that completes the world.
func (p *Platform) beginJournal(tx *store.Tx, env *Environment, copy string) error {
	env.Journal.Equals(MarkOf(copy))
	state := env.Journal.State()
	packed, err := encodeJournal(storedJournal{state, p.layout})
	if err != nil {
		return err
	}
	return setState(tx, stateJournal, packed)
}

// loadJournal continues the journal from its stored state, packed. sure is false
// if the environment may not have been closed properly: it then voids the changes
// of databases other than the main one. crashed reports that the environment may
// not have been closed properly and that no state was stored.
func loadJournal(e *Environment, packed []byte, sure bool) (crashed bool, err error) {
	if len(packed) == 0 {
		return !sure, nil
	}
	s, err := decodeJournal(packed)
	if err != nil || s.Layout != e.layout {
		return false, err
	}
	for mark, place := range s.Marks { // of an earlier version, which used the copy's own name
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

// resumeJournal continues the journal from a stored state.
func resumeJournal(e *Environment, s cause.State, older func() ([]cause.Block, error)) {
	e.resumed = true
	e.Journal.Resume(s, older, deleteJournal)
}

// Observe makes the journal record writes from now on. It is called for a new
// environment once it is filled.
func (e *Environment) Observe() {
	e.World.Watch(e.Journal.World(""))
	for name, w := range e.Extra {
		w.Watch(e.Journal.World(name))
	}
}

// saveJournal stores the changes since the journal was loaded.
func saveJournal(tx *store.Tx, e *Environment, state cause.State, block *cause.Block) error {
	packed, err := encodeJournal(storedJournal{state, e.layout})
	if err != nil {
		return err
	}
	if !e.resumed { // delete the blocks of a journal that a crash ended
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
