package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// A copy that is removed while its file is copied for it does not come back.
func TestARemovedCopyStaysRemoved(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, strings.Repeat("x", 8<<20))
	s.check(a.Close())
	for n := range 20 {
		name := fmt.Sprint("copy", n)
		a := s.opened("a")
		s.copied("a", name)
		s.write(a, strings.Repeat("y", maxKeptLog))
		var both sync.WaitGroup
		both.Go(func() { a.Suspend() }) // after which the copy has a file of its own
		both.Go(func() {
			time.Sleep(time.Duration(n) * 300 * time.Microsecond)
			s.check(s.Drop(context.Background(), name))
		})
		both.Wait()
		if size, _ := s.Size(context.Background(), name); size > 0 {
			t.Fatalf("%s has %d bytes after it was removed", name, size)
		}
		s.check(a.Close())
	}
}

// Its log least of all, which would be read with a file that comes in its place.
func TestADiscardedWorldLeavesNothing(t *testing.T) {
	s := newFixture(t, t.TempDir())
	a := s.made("a", "")
	s.write(a, "one")
	s.check(a.Discard())
	s.holdsClosed("a", "")
}
