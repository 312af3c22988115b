package cause

import (
	"testing"

	"understudy/internal/platform/store"
)

// One change above the bound drops the oldest change and no other.
func TestAListKeepsItsNewestChanges(t *testing.T) {
	l := listAt(7, MaxRows)
	changes := make([]store.Change, 1000)
	for place := int64(7); place < 7+MaxRows; place += int64(len(changes)) {
		for i := range changes {
			changes[i].Row = place + int64(i)
		}
		if l.append(changes) {
			t.Fatalf("a change was dropped at %d", place)
		}
	}
	for n := int64(1); n <= 2*blockRows+1; n++ {
		if !l.append([]store.Change{{Row: 6 + MaxRows + n}}) {
			t.Fatal("nothing was dropped")
		}
		if n > 2 && n%blockRows > 2 {
			continue
		}
		count, next := int64(0), 7+n
		l.each(0, 1<<40, func(place int64, c *store.Change) {
			if place != next || c.Row != place {
				t.Fatalf("after %d more, place %d has row %d, want %d", n, place, c.Row, next)
			}
			count++
			next++
		})
		if count != MaxRows || l.first != 7+n || len(l.blocks) > MaxRows/blockRows+1 {
			t.Fatalf("after %d more there are %d changes from %d on in %d blocks", n, count, l.first, len(l.blocks))
		}
	}
}
