package cause

import (
	"sync"

	"understudy/internal/platform/store"
)

// Journal holds which writes changed which rows of one environment. It is safe
// for concurrent use.
//
// Every change has a place: its number since the journal began. A copy of the
// environment that was announced with Expect is noted with the place at which it
// was made, so that a diff from it on finds exactly the writes that came after.
type Journal struct {
	tables *Tables

	// commits is held shared by a commit until it is noted, and alone by who fixes
	// a moment between two of them.
	commits sync.RWMutex

	mu     sync.Mutex
	list   list
	kept   int64                    // changes before this place are stored
	older  func() ([]Block, error)  // reads what is stored; nil once that is done
	oldest int64                    // the place of the first stored change
	marks  map[Mark]int64           // places of copies
	floors map[string]int64         // by world: what was noted before is void
	stated map[string]bool          // worlds whose changes were noted by statement
	wanted map[string]string        // the copies that databases are about to become a part of
	unmark func(tx *store.Tx) error // see Resume; nil once it has run
}

// New returns the empty journal of an environment.
func New(t *Tables) *Journal {
	return &Journal{tables: t, list: listAt(0, MaxRows), marks: map[Mark]int64{}, floors: map[string]int64{}, wanted: map[string]string{}, stated: map[string]bool{}}
}

// World returns the witness of one of the environment's worlds: "" is the main one.
func (j *Journal) World(name string) store.Witness { return &witness{j, name, j.tables.worlds[name]} }

// Mark is a world in a copy of the environment.
type Mark struct{ Copy, World string }

// Expect announces a copy of the environment. database returns the name that a
// world will have in it. A world that nobody uses is not copied; it is then as it
// is now.
func (j *Journal) Expect(copy string, database func(world string) string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for world := range j.tables.worlds {
		j.wanted[database(world)] = copy
		j.marks[Mark{copy, world}] = j.list.next
	}
}

// Equals notes that a copy is as the environment is now.
func (j *Journal) Equals(copy string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for world := range j.tables.worlds {
		j.marks[Mark{copy, world}] = j.list.next
	}
}

// copied notes the place of a copy that was expected.
func (j *Journal) copied(world, database string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if copy, ok := j.wanted[database]; ok {
		delete(j.wanted, database)
		j.marks[Mark{copy, world}] = j.list.next
	}
}

// Void makes what was noted of a world so far count for nothing.
func (j *Journal) Void(world string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.floors[world] = j.list.next
}

// add appends changes.
func (j *Journal) add(changes []store.Change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.list.append(changes) {
		j.older = nil // what is stored is older than what was dropped
	}
}

// each calls f for the changes from one place to another, the oldest first.
func (j *Journal) each(from, to int64, f func(place int64, c *store.Change)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list.each(from, to, f)
}

// now returns the place of the next change, and whether changes of a world were
// noted by statement.
func (j *Journal) now(world string) (place int64, stated bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.list.next, j.stated[world]
}

// place returns that of a world in a copy. known is false when it was not noted,
// or when changes since then are lost; the place is then where the journal begins.
func (j *Journal) place(copy, world string) (place int64, known bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	place, known = j.marks[Mark{copy, world}]
	least := max(j.list.first, j.floors[world])
	return max(place, least), known && place >= least
}
