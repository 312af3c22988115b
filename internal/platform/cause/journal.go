package cause

import (
	"sync"
	"sync/atomic"

	"understudy/internal/platform/store"
)

// Journal records which writes changed which rows of one environment. It is safe
// for concurrent use.
//
// Every change has a place: its number since the journal began. A copy of the
// environment that was announced with Expect is recorded with the place of the
// copy, so that a diff from it finds exactly the later writes.
type Journal struct {
	tables *Tables

	// commits is held shared by a commit until it is recorded, and exclusively to
	// fix a moment between two commits.
	commits sync.RWMutex

	// unmark is set by Resume; nil after it has run.
	unmark atomic.Pointer[func(tx *store.Tx) error]

	mu     sync.Mutex
	list   list
	kept   int64                   // changes before this place are stored
	older  func() ([]Block, error) // reads stored changes; nil once that is done
	oldest int64                   // the place of the first stored change
	marks  map[Mark]int64          // places of copies
	floors map[string]int64        // by world: earlier changes are void
	stated map[string]bool         // worlds whose changes were recorded by statement
	wanted map[string]string       // copies announced by Expect, by the names of their databases
}

// New returns the empty journal of an environment.
func New(t *Tables) *Journal {
	return &Journal{tables: t, list: listAt(0, MaxRows), marks: map[Mark]int64{}, floors: map[string]int64{}, wanted: map[string]string{}, stated: map[string]bool{}}
}

// World returns the witness of one of the environment's worlds: "" is the main one.
func (j *Journal) World(name string) store.Witness { return &witness{j, name, j.tables.worlds[name]} }

// Mark is a world in a copy of the environment.
type Mark struct{ Copy, World string }

// Expect announces a copy of the environment. database returns the name of a
// world in it. A world that was never used is not copied, and counts as equal.
func (j *Journal) Expect(copy string, database func(world string) string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for world := range j.tables.worlds {
		j.wanted[database(world)] = copy
		j.marks[Mark{copy, world}] = j.list.next
	}
}

// Equals records that a copy equals the current state.
func (j *Journal) Equals(copy string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for world := range j.tables.worlds {
		j.marks[Mark{copy, world}] = j.list.next
	}
}

// copied records the place of an expected copy.
func (j *Journal) copied(world, database string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if copy, ok := j.wanted[database]; ok {
		delete(j.wanted, database)
		j.marks[Mark{copy, world}] = j.list.next
	}
}

// Void invalidates the recorded changes of a world.
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
		j.older = nil // the stored changes precede those that were dropped
	}
}

// each calls f for the changes from one place to another, oldest first.
func (j *Journal) each(from, to int64, f func(place int64, c *store.Change)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list.each(from, to, f)
}

// now returns the place of the next change, and whether changes of a world were
// recorded by statement.
func (j *Journal) now(world string) (place int64, stated bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.list.next, j.stated[world]
}

// place returns the place of a world in a copy. known is false if it was not
// recorded, or if later changes were lost; the place is then the beginning of the
// journal.
func (j *Journal) place(copy, world string) (place int64, known bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	place, known = j.marks[Mark{copy, world}]
	least := max(j.list.first, j.floors[world])
	return max(place, least), known && place >= least
}
